"""Each pass stops at the first norm that is not adapted yet, so no order is needed beforehand; mean and variance in two such rounds.

zh: 每一遍都停在第一个尚未适配的归一化层，因此不必事先求出顺序；均值和方差分两轮求得。
"""

import torch
from torch import nn


class Reached(Exception):
    """A norm that is not adapted yet is about to run on x."""

    def __init__(self, norm, x):
        super().__init__()
        self.norm = norm
        self.x = x


def stop(norm, inputs):
    raise Reached(norm, inputs[0])


@torch.no_grad()
def adapt(model, batches):
    modes = {name: module.training for name, module in model.named_modules()}
    model.train(False)
    waiting = {
        module: module.register_forward_pre_hook(stop)
        for module in model.modules()
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.track_running_stats
    }
    while True:
        norm, (count, total) = accumulated(model, batches, lambda x: x)
        if norm is None:
            break
        mean = total / count
        _, (_, squares) = accumulated(model, batches, lambda x, mean=mean: (x - per_channel(mean, x)) ** 2)
        norm.running_mean.data.copy_(mean)
        norm.running_var.data.copy_(squares / count)
        waiting.pop(norm).remove()
    for hook in waiting.values():
        hook.remove()
    for name, module in model.named_modules():
        module.training = modes[name]


def per_channel(values, x):
    return values.reshape(-1, *[1] * (x.dim() - 2))


def accumulated(model, batches, function):
    """The norm that is reached next, if there is one, how many numbers it sees per channel, and the sum of the function of them."""
    norm, count, total = None, 0, 0.0
    for batch in batches:
        try:
            model(batch)
        except Reached as reached:
            norm, x = reached.norm, reached.x
            wide = function(x.to(torch.promote_types(x.dtype, torch.float32)))
            count += x.numel() // x.shape[1]
            total = total + wide.sum([d for d in range(x.dim()) if d != 1])
    return norm, (count, total)
