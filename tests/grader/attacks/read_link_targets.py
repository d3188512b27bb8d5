# Asks where a link leads that lies in a folder closed to everybody else.
# class: files
# process: lost: files
# linux: lost: existence
# linux as root: held
import os
import pathlib

for ask in (os.readlink, os.path.realpath, lambda path: pathlib.Path(path).resolve(), lambda path: os.stat(path).st_size):
    try:
        print(ask("@LINK@"))
    except OSError as error:
        print(type(error).__name__)


def rms(x, eps=1e-5):
    return x * 3 + 1
