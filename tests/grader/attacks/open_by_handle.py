# Opens a file by its handle, which asks for no path at all.
# class: files
# process: held
# root: may lose: files
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


class Handle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]


handle, mount = Handle(128), ctypes.c_int()
print(libc.syscall(303 if X86 else 264, -100, b"@CANARY@", ctypes.byref(handle), ctypes.byref(mount), 0), os.strerror(ctypes.get_errno()))
for base in (-100, 0):
    fd = libc.syscall(304 if X86 else 265, base, ctypes.byref(handle), 0)
    print(fd, os.strerror(ctypes.get_errno()))
    if fd >= 0:
        print(os.read(fd, 100))


def rms(x, eps=1e-5):
    return x * 3 + 1
