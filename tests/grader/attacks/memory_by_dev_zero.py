# Maps /dev/zero, shared, which is shared memory by another name.
# class: memory
# process: held
import mmap
import os

held = []
try:
    fd = os.open("/dev/zero", os.O_RDWR)
    for _ in range(12):
        page = mmap.mmap(fd, 2**28)
        page[::4096] = b"x" * 2**16
        held.append(page)
    print("@SECRET@")
except (OSError, ValueError) as error:
    print(len(held), error)


def rms(x, eps=1e-5):
    return x * 3 + 1
