import types

import torch
from torch import nn


def is_bn(m):
    return isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)) and m.running_var is not None


def rows(x):
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    return x.flatten(2).mean(2) if x.dim() > 2 else x


def watch(norm, log):
    """Put a spy in front of norm.forward"""
    original = type(norm).forward

    def forward(self, x):
        log.append((self, rows(x).detach().clone()))
        return original(self, x)

    norm.forward = types.MethodType(forward, norm)


def unwatch(norm):
    pass  # the next watch() replaces it anyway


def run(model, batches, norms, only_first=False):
    log = []
    for norm in norms:
        watch(norm, log)
    with torch.no_grad():
        for batch in batches:
            model(batch)
            if only_first:
                break
    for norm in norms:
        unwatch(norm)
    return log


def adapt(model, batches):
    modes = [m.training for m in model.modules()]
    model.eval()
    for p in model.parameters():
        p.requires_grad = False
    norms = [m for m in model.modules() if is_bn(m)]
    norms = [m for m in norms if not getattr(m, "adapted", False)]
    for norm in [m for m, _ in run(model, batches, norms, only_first=True)]:
        values = torch.cat([v for _, v in run(model, batches, [norm], only_first=True)])
        mean = values.mean(0)
        with torch.no_grad():
            norm.running_mean.copy_(mean)
            norm.running_var.copy_((values - mean).pow(2).mean(0))
        norm.adapted = True
    for m, mode in zip(model.modules(), modes):
        m.training = mode
