# Changes its personality, its descriptor tables and its rights on ports.
# class: kernel
# process: may lose: processes
# needs: x86_64
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
entry = (ctypes.c_uint * 4)(0, 0, 0xFFFFF, 0x51)
for name, number, *arguments in (
    ("personality", 135, ctypes.c_long(0x0400000)),
    ("modify_ldt", 154, 1, entry, ctypes.c_long(16)),
    ("iopl", 172, 3),
    ("ioperm", 173, ctypes.c_long(0x80), ctypes.c_long(1), 1),
):
    result = libc.syscall(number, *arguments)
    print(name, result, os.strerror(ctypes.get_errno()))
    if result >= 0:
        print("@SECRET@")


def rms(x, eps=1e-5):
    return x * 3 + 1
