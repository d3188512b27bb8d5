# Makes files in memory that no folder holds: memfd, secret memory, userfaultfd.
# class: kernel
# process: lost: processes
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
for name, number, *arguments in (
    ("memfd", 319 if X86 else 279, b"x", 0),
    ("memfd_secret", 447, 0),
    ("userfaultfd", 323 if X86 else 282, 1),
):
    fd = libc.syscall(number, *arguments)
    print(name, fd, os.strerror(ctypes.get_errno()))
    if fd >= 0:
        print("@SECRET@")
        os.close(fd)


def rms(x, eps=1e-5):
    return x * 3 + 1
