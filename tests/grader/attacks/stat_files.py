# Tells by stat, access, chdir, readlink and open which files exist, and how large they are.
# class: files
# process: lost: files
# linux: lost: existence
import os

PATHS = ("@CANARY@", "/etc/passwd")


def told(way, path):
    try:
        return way(path)
    except OSError as error:
        return error.errno


for way in (os.stat, os.lstat, lambda path: os.access(path, os.F_OK), os.readlink, lambda path: os.open(path, os.O_PATH), os.chdir, os.statvfs):
    for path in PATHS:
        if told(way, path) != told(way, path + ".not"):
            print("@SECRET@", way, told(way, path))


def rms(x, eps=1e-5):
    return x * 3 + 1
