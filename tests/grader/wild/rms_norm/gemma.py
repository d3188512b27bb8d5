import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = 1e-6
        self.weight = nn.Parameter(torch.zeros(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + self.eps)

    def forward(self, x):
        output = self._norm(x.to(torch.promote_types(x.dtype, torch.float32)))
        output = output * (1.0 + self.weight)
        return output.type_as(x)
