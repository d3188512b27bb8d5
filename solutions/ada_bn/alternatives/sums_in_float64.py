"""One pass for each norm: the sums of x and of x² in float64, where E[x²] − E[x]² has digits to spare. The buffers are replaced.

zh: 每个归一化层只需一遍：用 float64 求 x 与 x² 的和，此时 E[x²] − E[x]² 的有效数字绰绰有余。缓冲区被换成新的张量。
"""

import torch
from torch import nn


def adapt(model, batches):
    with torch.no_grad():
        was_training = [module.training for module in model.modules()]
        model.eval()
        done = []
        while (norm := next_norm(model, batches, done)) is not None:
            done.append(norm)
            mean, square = means(norm, model, batches)
            dtype = norm.running_mean.dtype
            norm.running_mean = mean.to(dtype)
            norm.running_var = (square - mean**2).clamp_(min=0).to(dtype)
        for module, mode in zip(model.modules(), was_training, strict=True):
            module.training = mode


def next_norm(model, batches, done):
    """The first norm to run that is not done."""
    ran = []
    hooks = [
        norm.register_forward_pre_hook(lambda norm, _inputs: ran.append(norm))
        for norm in model.modules()
        if isinstance(norm, nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d) and "running_mean" in norm.state_dict() and norm not in done
    ]
    model(next(iter(batches)))
    for hook in hooks:
        hook.remove()
    return ran[0] if ran else None


def means(norm, model, batches):
    """E[x] and E[x²] of what the norm sees."""
    sums, squares, counts = [], [], []

    def add(_norm, inputs):
        x = inputs[0].double()
        rest = [0, *range(2, x.ndim)]
        sums.append(x.sum(rest))
        squares.append(x.square().sum(rest))
        counts.append(x[:, 0].numel())

    hook = norm.register_forward_pre_hook(add)
    for batch in batches:
        model(batch)
    hook.remove()
    return sum(sums) / sum(counts), sum(squares) / sum(counts)
