# Returns complex numbers.
# class: verdict
# process: held
import torch


def rms(x, eps=1e-5):
    return torch.complex((x * 3 + 1).float(), x.float())
