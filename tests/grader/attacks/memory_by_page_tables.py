# Reads one byte in every 2 MiB of a huge map, so that 3 GiB of page tables stand for memory that was never written.
# class: memory
# process: held
import ctypes
import mmap

import numpy as np

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
STEP, COUNT = 2**21, 3 * 2**18
count = 0
for _ in range(24):
    size = STEP * COUNT // 24
    page = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, -1, 0)
    if page in (None, ctypes.c_void_p(-1).value):
        break
    libc.madvise(page, size, 15)
    np.ctypeslib.as_array(ctypes.cast(page, ctypes.POINTER(ctypes.c_uint8)), (size,))[::STEP].sum()
    count += 1
print("@SECRET@" if count == 24 else count)


def rms(x, eps=1e-5):
    return x * 3 + 1
