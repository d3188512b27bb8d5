# Overwrites the hidden suite in place, through a shared mapping that no limit on file sizes stops.
# class: files
# process: lost: files
import mmap
import os


def deed():
    for flags in (os.O_WRONLY, os.O_WRONLY | os.O_APPEND):
        try:
            os.write(os.open("@SUITE@", flags), b"# overwritten\n")
        except OSError as error:
            print(error)
    with mmap.mmap(os.open("@SUITE@", os.O_RDWR), 0) as suite:
        suite[:3] = b"'''"
        suite.flush()


try:
    deed()
except Exception as error:
    print(type(error).__name__, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
