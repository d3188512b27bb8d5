"""Nothing is kept but a count, a mean and a sum of squares, into which each batch is merged (Chan et al. 1979). Returns the model.

zh: 只保存个数、均值和离差平方和，逐批合并进去（Chan 等人，1979）。返回模型。
"""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

KINDS = nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d


@dataclass
class Moments:
    """A hook that merges what it sees."""

    count: int = 0
    mean: Any = field(default=0.0)
    squares: Any = field(default=0.0)

    def __call__(self, norm: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        x = inputs[0].to(torch.promote_types(inputs[0].dtype, torch.float32)).movedim(1, -1).reshape(-1, inputs[0].shape[1])
        var, mean = torch.var_mean(x, dim=0, correction=0)
        total = self.count + len(x)
        difference = mean - self.mean
        self.mean = self.mean + difference * (len(x) / total)
        self.squares = self.squares + var * len(x) + difference.square() * (self.count * len(x) / total)
        self.count = total


def adapt(model: nn.Module, batches: Any) -> nn.Module:
    training = {module for module in model.modules() if module.training}
    model.eval()
    with torch.no_grad():
        for norm in in_order(model, batches):
            moments = Moments()
            with norm.register_forward_pre_hook(moments):
                for batch in batches:
                    model(batch)
            norm.running_mean.copy_(moments.mean)
            norm.running_var.copy_(moments.squares / moments.count)
    for module in training:
        module.training = True
    return model


def in_order(model: nn.Module, batches: Any) -> list[Any]:
    """The norms that have statistics, in the order in which the first batch comes to them."""
    found: list[nn.Module] = []
    hooks = [
        each.register_forward_hook(lambda norm, _inputs, _output: found.append(norm)) for each in model.modules() if isinstance(each, KINDS)
    ]
    for batch in batches:
        model(batch)
        break
    for hook in hooks:
        hook.remove()
    return [norm for norm in found if norm.running_var is not None]
