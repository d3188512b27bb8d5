# Kills the process that it was forked from, while it is loaded, each time.
# class: time
# process: may lose: processes
import os
import signal
import time

os.kill(os.getppid(), signal.SIGKILL)
time.sleep(9)


def rms(x, eps=1e-5):
    return x * 3 + 1
