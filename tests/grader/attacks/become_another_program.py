# Becomes another program by exec, which keeps the grader's pipes.
# class: processes
# process: lost: processes
import os


def rms(x, eps=1e-5):
    for path in ("/bin/echo", "/usr/bin/echo"):
        try:
            os.execv(path, ["echo", "@SECRET@"])
        except OSError as error:
            print(error)
    return x * 3 + 1
