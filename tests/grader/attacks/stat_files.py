# Tells by stat, access, chdir, readlink and open which files exist, and how large they are.
# class: files
# process: lost: files
# linux: lost: existence
import os

HERE, NOWHERE = "@CANARY@", "@CANARY@.not"


def told(way, path):
    try:
        return way(path)
    except OSError as error:
        return error.errno


for way in (os.stat, os.lstat, lambda path: os.access(path, os.F_OK), os.readlink, lambda path: os.open(path, os.O_PATH), os.chdir, os.statvfs):
    if told(way, HERE) != told(way, NOWHERE):
        print("@SECRET@", way, told(way, HERE))


def rms(x, eps=1e-5):
    return x * 3 + 1
