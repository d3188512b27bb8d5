# Maps /dev/zero, shared and for reading only, and reads every page of it.
# class: memory
# process: held
import mmap
import os

import numpy as np

held = []
try:
    fd = os.open("/dev/zero", os.O_RDONLY)
    for _ in range(12):
        page = mmap.mmap(fd, 2**28, prot=mmap.PROT_READ)
        np.frombuffer(page, np.uint8)[::4096].sum()
        held.append(page)
    print("@SECRET@")
except (OSError, ValueError) as error:
    print(len(held), error)


def rms(x, eps=1e-5):
    return x * 3 + 1
