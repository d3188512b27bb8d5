# Installs a filter with a listener, to answer its own system calls.
# class: kernel
# process: may lose: processes
import ctypes
import os
import platform
import struct

libc = ctypes.CDLL(None, use_errno=True)
allow = ctypes.create_string_buffer(struct.pack("<HBBI", 6, 0, 0, 0x7FFF0000))
program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", 1, ctypes.addressof(allow)))
libc.prctl(38, ctypes.c_ulong(1), 0, 0, 0)
fd = libc.syscall(317 if platform.machine() == "x86_64" else 277, 1, 8, program)
if fd >= 0:
    print("@SECRET@")
print(fd, os.strerror(ctypes.get_errno()))


def rms(x, eps=1e-5):
    return x * 3 + 1
