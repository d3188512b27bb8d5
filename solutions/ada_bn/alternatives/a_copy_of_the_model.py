"""A deep copy of the model is adapted, in evaluation mode and with hooks of its own; then its statistics are copied into the model.

zh: 适配的是模型的深拷贝（处于评估模式，挂有自己的钩子），最后把它的统计量复制进模型。
"""

from collections.abc import Iterable
from copy import deepcopy

import torch
from torch import Tensor, nn


def tracked(model: nn.Module) -> list[nn.Module]:
    kinds = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
    return [each for each in model.modules() if isinstance(each, kinds) and each.running_var is not None]


def adapt(model: nn.Module, batches: Iterable[Tensor]) -> None:
    with torch.no_grad():
        twin = deepcopy(model).eval()
        seen: dict[nn.Module, list[Tensor]] = {}
        for norm in tracked(twin):
            norm.register_forward_pre_hook(lambda norm, inputs: seen.setdefault(norm, []).append(inputs[0].clone()))
        done: set[nn.Module] = set()
        while True:
            seen.clear()
            for batch in batches:
                twin(batch)
            norm = next((each for each in seen if each not in done), None)  # a dictionary keeps the order of the first calls
            if norm is None:
                break
            done.add(norm)
            wide = [x.to(torch.promote_types(x.dtype, torch.float32)).transpose(0, 1).flatten(1) for x in seen[norm]]
            n = sum(each.shape[1] for each in wide)
            mean = torch.stack([each.sum(1) for each in wide]).sum(0) / n
            squares = torch.stack([torch.einsum("cn,cn->c", each - mean[:, None], each - mean[:, None]) for each in wide])
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(squares.sum(0) / n)
        for norm, adapted in zip(tracked(model), tracked(twin), strict=True):
            norm.running_mean.copy_(adapted.running_mean)
            norm.running_var.copy_(adapted.running_var)
