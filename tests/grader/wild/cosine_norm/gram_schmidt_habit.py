import torch
from torch import nn
import torch.nn.functional as F


class CosineLinear(nn.Module):
    def __init__(self, in_features, out_features, eps=1e-8):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.randn(out_features, in_features) / in_features**0.5)
        self.bias = nn.Parameter(torch.zeros(out_features))

    def length(self, v, dim=-1):
        squares = (v * v).sum(dim=dim, keepdim=True)
        return torch.sqrt(squares + self.eps**2)

    def forward(self, x):
        dtype = torch.promote_types(x.dtype, torch.float32)
        h, w = x.to(dtype), self.weight.to(dtype)
        h = h / self.length(h, 1 if h.dim() > 1 else 0)
        w = w / self.length(w).detach()
        return F.linear(h, w, self.bias.to(dtype)).to(x.dtype)
