# Locks memory, so that it cannot be paged out.
# class: memory
# process: held
import ctypes
import mmap
import resource

page = mmap.mmap(-1, 2**25, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
libc = ctypes.CDLL(None, use_errno=True)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
print(libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(2**25)))
if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] == resource.RLIM_INFINITY:
    print("no limit")


def rms(x, eps=1e-5):
    return x * 3 + 1
