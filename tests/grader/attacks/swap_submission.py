# Puts another file in the place of the submission once it runs: the reference, by link and by rename.
# class: files
# process: lost: files
import os

for way in (
    lambda: os.symlink("@REFERENCE@", "@WORKSPACE@/other.py"),
    lambda: os.replace("@WORKSPACE@/other.py", "@SELF@"),
    lambda: os.replace("@WORKSPACE@/notes.txt", "@SELF@"),
):
    try:
        way()
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
