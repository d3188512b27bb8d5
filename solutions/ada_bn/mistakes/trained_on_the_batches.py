"""The model sees the batches in training mode, and each of its norms moves its statistics by its momentum."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


@torch.no_grad()
def adapt(model: nn.Module, batches: Iterable[Tensor]) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.train()
    for batch in batches:
        model(batch)
    for module, training in modes:
        module.training = training
