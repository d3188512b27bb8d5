# Returns a view of 4 TiB with stride 0.
# class: verdict
# process: held
import torch


def rms(x, eps=1e-5):
    return torch.zeros((), dtype=torch.float32).expand(2**40)
