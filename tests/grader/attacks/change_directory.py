# Moves into a folder and reads relative to it.
# class: files
# process: lost: files
import os

for way in (lambda: os.chdir("@FOLDER@"), lambda: os.fchdir(os.open("@FOLDER@", os.O_RDONLY)), lambda: os.fchdir(os.open("@FOLDER@", os.O_PATH))):
    try:
        way()
        print(os.listdir("."), open("canary.txt").read(100))
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
