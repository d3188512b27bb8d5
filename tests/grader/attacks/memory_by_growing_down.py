# Maps 3 GiB of private memory that grows down, which the kernel counts as stack and not as data.
# class: memory
# process: held
import ctypes
import mmap

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
count = 0
for _ in range(12):
    page = libc.mmap(None, 2**28, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100, -1, 0)
    if page in (None, ctypes.c_void_p(-1).value):
        break
    ctypes.memset(page, 1, 2**28)
    count += 1
print("@SECRET@" if count == 12 else count)


def rms(x, eps=1e-5):
    return x * 3 + 1
