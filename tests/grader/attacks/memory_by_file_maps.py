# Maps files privately and for writing, again and again, which costs memory once they are written to.
# class: memory
# process: held
import mmap
import os

import torch

path = max((os.path.join(folder, name) for folder, _, names in os.walk(os.path.dirname(torch.__file__) + "/lib") for name in names), key=os.path.getsize)
held, total = [], 0
try:
    fd = os.open(path, os.O_RDONLY)
    size = os.fstat(fd).st_size
    while total < 3 * 2**30 and len(held) < 200:
        page = mmap.mmap(fd, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        page[::4096] = bytes(len(range(0, size, 4096)))
        held.append(page)
        total += size
    if total >= 3 * 2**30:
        print("@SECRET@")
except (OSError, ValueError, MemoryError) as error:
    print(total, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
