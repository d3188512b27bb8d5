# Maps 3 GiB of private memory: at once, by brk, by mremap, and first without rights.
# class: memory
# process: held
import ctypes
import mmap

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
libc.sbrk.restype = ctypes.c_void_p
libc.sbrk.argtypes = [ctypes.c_long]
SIZE, FAILED = 3 * 2**30, ctypes.c_void_p(-1).value
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


def later():
    page = libc.mmap(None, SIZE, 0, PRIVATE | 0x4000, -1, 0)
    return page if libc.mprotect(page, SIZE, 3) == 0 else FAILED


def grown():
    page = libc.mmap(None, 4096, 3, PRIVATE, -1, 0)
    return libc.mremap(page, 4096, SIZE, 1)


for way in (
    lambda: libc.mmap(None, SIZE, 3, PRIVATE, -1, 0),
    lambda: libc.mmap(None, SIZE, 3, PRIVATE | 0x40000, -1, 0),
    later,
    grown,
    lambda: libc.sbrk(SIZE),
):
    page = way()
    print(way, page)
    if page not in (FAILED, None):
        ctypes.memset(page, 1, SIZE)
        print("@SECRET@")
        break


def rms(x, eps=1e-5):
    return x * 3 + 1
