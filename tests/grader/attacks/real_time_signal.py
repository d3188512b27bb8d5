# Ends itself by a signal that has no name.
# class: verdict
# process: held
import os


def rms(x, eps=1e-5):
    os.kill(os.getpid(), 40)
    return x * 3 + 1
