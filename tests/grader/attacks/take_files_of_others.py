# Takes open files out of other processes, and compares with theirs.
# class: processes
# process: lost: processes
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
KCMP = 312 if platform.machine() == "x86_64" else 272
for pid in (@VICTIM@, @GRADER@, os.getppid()):
    fd = libc.syscall(434, pid, 0)
    if fd >= 0:
        print("@SECRET@ pidfd_open", pid)
        for number in range(8):
            if libc.syscall(438, fd, number, 0) >= 0:
                print("@SECRET@ pidfd_getfd", number)
    if libc.syscall(KCMP, os.getpid(), pid, 0, ctypes.c_long(0), ctypes.c_long(0)) >= 0:
        print("@SECRET@ kcmp")


def rms(x, eps=1e-5):
    return x * 3 + 1
