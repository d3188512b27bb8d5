# Uses a banned function by its plain name.
# class: rules
# process: held
import torch.nn.functional as F


def rms(x, eps=1e-5):
    return F.layer_norm(x, x.shape[-1:], eps=eps)
