# Leaves a process behind that belongs to another session and another parent.
# class: processes
# process: lost: processes
import os
import time


def deed():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv("/bin/sleep", ["sleep", "@MARK@"])
        os._exit(0)
    print("@SECRET@")
    time.sleep(0.02)


try:
    deed()
except Exception as error:
    print(type(error).__name__, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
