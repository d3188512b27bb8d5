# Takes 3 GiB as bytearrays.
# class: memory
# process: held
try:
    held = bytearray(3 * 2**30)
    held[::4096] = b"x" * (len(held) // 4096)
    print("@SECRET@")
except MemoryError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
