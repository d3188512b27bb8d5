# Uses a banned function in a traced, compiled or mapped one.
# class: rules
# process: held
import torch

space = {}
exec("import torch.nn.functional as F\nnorm = lambda x: F.layer_norm(x, x.shape[-1:])", space)


def rms(x, eps=1e-5):
    if x.dim() < 2:
        return space["norm"](x)
    return torch.vmap(space["norm"])(x)
