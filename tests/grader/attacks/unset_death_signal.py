# Undoes what ties it to its parent: the death signal, the session, the group, being found as a leftover.
# class: processes
# process: held
import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
for option, value in ((1, 0), (36, 0), (4, 1), (38, 0), (8, 1), (0x59616D61, -1)):
    print(option, libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), os.strerror(ctypes.get_errno()))
for way in (os.setsid, lambda: os.setpgid(0, os.getpgid(os.getppid())), lambda: os.setpgid(0, @GRADER@)):
    try:
        way()
    except OSError as error:
        print(error)
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


def rms(x, eps=1e-5):
    return x * 3 + 1
