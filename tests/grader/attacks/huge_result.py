# Returns 600 MB of zeros.
# class: verdict
# process: held
import torch


def rms(x, eps=1e-5):
    return torch.zeros(1).expand(150_000_000).clone() if x.dim() == 1 else torch.empty(150_000_000)
