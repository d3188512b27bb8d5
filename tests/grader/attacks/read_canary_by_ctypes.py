# Reads a file of the user with fopen, openat2, and open flags that Python does not know.
# class: files
# process: lost: files
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
PATH = b"@CANARY@"
OPENAT = 257 if platform.machine() == "x86_64" else 56


class How(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]


fds = [libc.syscall(437, -100, PATH, ctypes.byref(How(0, 0, 0)), ctypes.c_long(24))]
fds += [libc.syscall(OPENAT, -100, PATH, flags, 0) for flags in (0, 0o10000000, 0o1000000, 0o4000)]
libc.fopen.restype = ctypes.c_void_p
stream = libc.fopen(PATH, b"r")
if stream:
    fds.append(libc.fileno(ctypes.c_void_p(stream)))
print(fds, os.strerror(ctypes.get_errno()))
for fd in fds:
    try:
        print(os.read(fd, 100))
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
