"""A pure function of one feature map, mapped over the channels and then over the samples.

zh: 写一个只处理单个特征图的纯函数，先映射到各通道，再映射到各样本。
"""

import torch
from torch import Tensor, nn


def response(plane: Tensor, weight: Tensor, bias: Tensor, threshold: Tensor, eps: float) -> Tensor:
    """One feature map, (H, W), by its own mean square."""
    numbers = plane.flatten()
    factor = weight * torch.pow(torch.dot(numbers, numbers) / len(numbers) + eps, -0.5)
    return torch.maximum(plane * factor + bias, threshold)


class FilterResponseNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.threshold = nn.Parameter(torch.zeros(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError("not a batch of images")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        learnt = [each.to(wide.dtype) for each in (self.weight, self.bias, self.threshold)]
        by_channel = torch.vmap(response, in_dims=(0, 0, 0, 0, None))
        by_sample = torch.vmap(by_channel, in_dims=(0, None, None, None, None))
        return by_sample(wide, *learnt, self.eps).to(x.dtype)
