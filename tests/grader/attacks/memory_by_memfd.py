# Fills 3 GiB of files in memory: memfd, and those of /dev/shm.
# class: memory
# process: held
# root: held
import ctypes
import mmap
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
fds = [libc.syscall(319 if platform.machine() == "x86_64" else 279, b"x", 0)]
try:
    fds.append(os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR))
except OSError as error:
    print(error)
for fd in fds:
    held = []
    try:
        os.ftruncate(fd, 3 * 2**30)
        for part in range(12):
            page = mmap.mmap(fd, 2**28, offset=part * 2**28)
            page[::4096] = b"x" * 2**16
            held.append(page)
        print("@SECRET@")
        break
    except (OSError, ValueError) as error:
        print(fd, len(held), error)
    try:
        os.posix_fallocate(fd, 0, 3 * 2**30)
        print("@SECRET@")
    except OSError as error:
        print(fd, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
