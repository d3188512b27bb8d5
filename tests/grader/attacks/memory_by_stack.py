# Raises the limit of its stack, and writes to the stack far below where it ends.
# class: memory
# process: held
import ctypes
import resource

libc = ctypes.CDLL(None)
libc.getauxval.restype = ctypes.c_ulong


def rms(x, eps=1e-5):
    try:
        resource.setrlimit(resource.RLIMIT_STACK, (resource.getrlimit(resource.RLIMIT_STACK)[1],) * 2)
    except (OSError, ValueError) as error:
        print(error)
    top = libc.getauxval(25) // 4096 * 4096
    for depth in range(16, 3 * 2**10):
        ctypes.memset(top - depth * 2**20, 1, 2**20)
    print("@SECRET@")
    return x * 3 + 1
