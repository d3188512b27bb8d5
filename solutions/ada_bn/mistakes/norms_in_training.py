"""The norms alone are in training mode, with momentum=None: each takes the cumulative average of what it normalises with."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


@torch.no_grad()
def adapt(model: nn.Module, batches: Iterable[Tensor]) -> None:
    modes = [(module, module.training) for module in model.modules()]
    norms = [module for module in model.modules() if isinstance(module, NORMS) and module.running_mean is not None]
    momenta = [norm.momentum for norm in norms]
    model.eval()
    for norm in norms:
        norm.train()
        norm.reset_running_stats()
        norm.momentum = None
    for batch in batches:
        model(batch)
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    for module, training in modes:
        module.training = training
