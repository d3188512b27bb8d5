# Deletes the hidden suite, or moves it away.
# class: files
# process: lost: files
import os
import shutil


def deed():
    for way in (
        lambda: os.rename("@SUITE@", "@SUITE@.old"),
        lambda: os.unlink("@SUITE@"),
        lambda: shutil.rmtree(os.path.dirname("@SUITE@")),
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
