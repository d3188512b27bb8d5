# Tells the kernel to page another process out, or to take its memory at once.
# class: processes
# process: lost: processes
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
MOVE, MIGRATE = (279, 256) if platform.machine() == "x86_64" else (239, 238)
fd = libc.syscall(434, @VICTIM@, 0)
if fd >= 0:
    print("@SECRET@ pidfd_open")
piece = (ctypes.c_long * 2)(0x400000, 4096)
for number, *arguments in ((440, fd, piece, ctypes.c_long(1), 20, 0), (MOVE, @VICTIM@, ctypes.c_long(0), None, None, None, 0), (448, fd, 0)):
    result = libc.syscall(number, *arguments)
    print(number, result, os.strerror(ctypes.get_errno()))


def rms(x, eps=1e-5):
    return x * 3 + 1
