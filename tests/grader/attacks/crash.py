# Crashes at a null pointer.
# class: time
# process: held
import ctypes


def rms(x, eps=1e-5):
    ctypes.memset(0, 1, 10)
    return x * 3 + 1
