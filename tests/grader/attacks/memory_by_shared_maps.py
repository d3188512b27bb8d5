# Maps 3 GiB of shared memory, which no limit on data counts.
# class: memory
# process: held
import mmap

held = []
try:
    for _ in range(12):
        page = mmap.mmap(-1, 2**28)
        page[::4096] = b"x" * 2**16
        held.append(page)
    print("@SECRET@")
except (OSError, ValueError) as error:
    print(len(held), error)


def rms(x, eps=1e-5):
    return x * 3 + 1
