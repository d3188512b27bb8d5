# Stops itself with SIGSTOP.
# class: time
# process: held
import os
import signal


def rms(x, eps=1e-5):
    os.kill(os.getpid(), signal.SIGSTOP)
    return x * 3 + 1
