# Sets the times of a file with the oldest and the newest of the calls.
# class: files
# process: lost: files
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
times = (ctypes.c_long * 4)(1, 0, 1, 0)
calls = [(132, b"@CANARY@", times), (235, b"@CANARY@", times), (261, -100, b"@CANARY@", times)] if X86 else []
calls += [(280 if X86 else 88, -100, b"@CANARY@", times, 0), (280 if X86 else 88, 3, None, times, 0)]
for number, *arguments in calls:
    print(number, libc.syscall(number, *arguments), os.strerror(ctypes.get_errno()))


def rms(x, eps=1e-5):
    return x * 3 + 1
