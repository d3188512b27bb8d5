import torch
import torch.nn.functional as F
from torch import nn, Tensor


class WeightNorm(nn.Module):
    def __init__(self, weight: Tensor, dim: int = 0):
        super().__init__()
        self.dim = dim
        v = weight.detach().clone()
        length = self.size(v)
        self.g = nn.Parameter(torch.log(torch.expm1(length)).to(v.dtype))
        self.v = nn.Parameter(v)

    def size(self, v: Tensor) -> Tensor:
        w = v.to(torch.promote_types(v.dtype, torch.float32))
        return torch.linalg.vector_norm(w, dim=-1, keepdim=True)

    def forward(self) -> Tensor:
        size = self.size(self.v).detach()
        out = F.softplus(self.g) * (self.v / size)
        return out
