# Takes 3 GiB as arrays.
# class: memory
# process: held
import numpy as np

try:
    held = np.zeros(3 * 2**30, np.uint8)
    held[::4096] = 1
    print("@SECRET@")
except MemoryError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
