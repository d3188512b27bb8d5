# Takes 3 GiB as many small objects.
# class: memory
# process: held
held = []
try:
    while len(held) < 3 * 2**10:
        held.append([bytes(960) for _ in range(2**10)])
    print("@SECRET@")
except MemoryError:
    count = len(held)
    held.clear()
    print(count)


def rms(x, eps=1e-5):
    return x * 3 + 1
