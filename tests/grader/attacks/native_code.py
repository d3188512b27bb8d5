# Runs machine code of its own, which asks the kernel without any library.
# class: kernel
# process: lost: files
# needs: x86_64
import ctypes
import mmap
import os

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
page = libc.mmap(None, 4096, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
ctypes.memmove(page, bytes.fromhex("b802000000 31f6 31d2 0f05 c3"), 12)
print(libc.mprotect(page, 4096, 5))
fd = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(page)(b"@CANARY@")
print(fd)
if fd >= 0:
    print(os.read(fd, 100))


def rms(x, eps=1e-5):
    return x * 3 + 1
