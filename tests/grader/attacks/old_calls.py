# Asks for system calls by the numbers of other conventions: 32 bits by int 0x80, and x32.
# class: kernel
# process: may lose: files
# needs: x86_64
import ctypes
import mmap
import os

CODE = bytes.fromhex("53 89f8 89f3 89d1 31d2 cd80 5b c3")


def by_interrupt():
    low = ctypes.CDLL(None).mmap
    low.restype = ctypes.c_void_p
    low.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    page = low(None, 4096, 7, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40, -1, 0)
    ctypes.memmove(page, CODE, len(CODE))
    ctypes.memmove(page + 1024, b"@CANARY@\0", len(b"@CANARY@") + 1)
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_uint, ctypes.c_uint)(page)
    return call(5, page + 1024, 0)


def by_x32():
    return ctypes.CDLL(None).syscall(0x40000000 | 2, b"@CANARY@", 0, 0)


for way in (by_x32, by_interrupt):
    fd = way()
    print(way, fd)
    if fd >= 0:
        print(os.read(fd, 100))


def rms(x, eps=1e-5):
    return x * 3 + 1
