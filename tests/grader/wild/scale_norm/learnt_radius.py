import torch
from torch import nn

# unit vector * sqrt(dim) * learnt radius


class ScaleNorm(nn.Module):
    def __init__(self, dim, eps=1e-12):
        super().__init__()
        self.scale = dim**0.5
        self.eps = eps
        self.g = nn.Parameter(torch.ones(1))

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        n = torch.linalg.vector_norm(h, dim=-1, keepdim=True)
        return (h / n.clamp(min=self.eps) * self.scale * self.g)
