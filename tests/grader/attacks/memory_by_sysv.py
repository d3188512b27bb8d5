# Attaches 3 GiB of SysV shared memory, which outlives its process.
# class: memory
# process: held
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
count = 0
for _ in range(12):
    number = libc.shmget(0, ctypes.c_size_t(2**28), 0o1600)
    if number < 0:
        break
    page = libc.shmat(number, None, 0)
    libc.shmctl(number, 0, None)
    if page in (None, ctypes.c_void_p(-1).value):
        break
    ctypes.memset(page, 1, 2**28)
    count += 1
print("@SECRET@" if count == 12 else count)


def rms(x, eps=1e-5):
    return x * 3 + 1
