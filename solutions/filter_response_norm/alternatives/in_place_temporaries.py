"""The result is built in place in a tensor of its own; the last step is the maximum over a stack of two.

zh: 结果在自己新建的张量中原地算出；最后一步是两个张量叠起来取最大值。
"""

import torch
from torch import Tensor, nn


class FilterResponseNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.threshold = nn.Parameter(torch.zeros(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in (4,):
            raise ValueError(f"cannot normalise {tuple(x.shape)}")
        own = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
        denominator = own.pow(2).mean(3).mean(2).add_(self.eps).sqrt_()
        y = own.div(denominator[..., None, None]).mul(self.weight.reshape(-1, 1, 1))
        y += self.bias.reshape(-1, 1, 1)
        return torch.stack([y, self.threshold.reshape(-1, 1, 1).expand_as(y).to(y.dtype)]).amax(0).to(x.dtype)
