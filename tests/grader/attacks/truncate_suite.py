# Cuts the hidden suite to nothing, by truncate, ftruncate, and by opening it for reading only.
# class: files
# process: lost: files
import os


def deed():
    for way in (
        lambda: os.open("@SUITE@", os.O_RDONLY | os.O_TRUNC),
        lambda: os.truncate("@SUITE@", 0),
        lambda: os.ftruncate(os.open("@SUITE@", os.O_RDWR), 0),
        lambda: open("@SUITE@", "w"),
    ):
        try:
            way()
        except OSError as error:
            print(error)


try:
    deed()
except Exception as error:
    print(type(error).__name__, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
