"""PyTorch's `update_bn`: training mode for the whole model, one pass, and the cumulative average over the batches."""

from collections.abc import Iterable

from torch import Tensor, nn
from torch.optim.swa_utils import update_bn


def adapt(model: nn.Module, batches: Iterable[Tensor]) -> None:
    modes = [(module, module.training) for module in model.modules()]
    update_bn(batches, model)
    for module, training in modes:
        module.training = training
