"""PyTorch's own batch norm, in training and with a momentum of 1, gives the mean and the unbiased variance; (n − 1)/n makes it biased.

zh: PyTorch 自己的批归一化在训练模式、momentum 为 1 时给出均值和无偏方差；乘以 (n − 1)/n 就是有偏方差。
"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm


def adapt(model, batches):
    batches = list(batches)
    states = {module: module.training for module in model.modules()}
    with torch.no_grad():
        model.eval()
        for norm in order_of_execution(model, batches[0]):
            x = everything_seen(norm, model, batches)
            n = x.shape[0]
            mean, var = torch.zeros(x.shape[1], dtype=x.dtype), torch.zeros(x.shape[1], dtype=x.dtype)
            if n > 1:
                F.batch_norm(x, mean, var, training=True, momentum=1.0)
            else:
                mean = x[0]
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(var * ((n - 1) / n))
    for module in model.modules():
        module.training = states[module]


def order_of_execution(model: nn.Module, batch):
    order = []
    hooks = []
    for module in model.modules():
        if isinstance(module, _BatchNorm) and module.running_mean is not None:
            hooks.append(module.register_forward_hook(lambda module, *_: order.append(module)))
    model(batch)
    for hook in hooks:
        hook.remove()
    return order


def everything_seen(norm, model, batches):
    """(n, C), in float32 or wider."""
    parts = []

    def keep(_module, args):
        (x,) = args
        wide = torch.empty(x.shape, dtype=torch.promote_types(x.dtype, torch.float32)).copy_(x)
        parts.extend(sample.reshape(sample.shape[0], -1).mT for sample in wide)

    handle = norm.register_forward_pre_hook(keep)
    for batch in batches:
        model(batch)
    handle.remove()
    return torch.cat(parts)
