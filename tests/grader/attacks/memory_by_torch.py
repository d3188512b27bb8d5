# Takes 3 GiB as tensors.
# class: memory
# process: held
import torch

held = []
try:
    for _ in range(6):
        held.append(torch.ones(2**27))
    print("@SECRET@")
except (RuntimeError, MemoryError) as error:
    print(len(held), error)


def rms(x, eps=1e-5):
    return x * 3 + 1
