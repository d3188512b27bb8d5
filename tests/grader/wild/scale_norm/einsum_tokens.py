import torch
from torch import nn


class ScaleNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.tensor(float(dim)))

    def length(self, tokens):
        # tokens: (batch, time, dim)
        energy = torch.einsum("btd,btd->bt", tokens, tokens)
        return torch.sqrt(energy + self.eps)[..., None]

    def forward(self, x):
        dtype = x.dtype
        x = x.to(torch.promote_types(dtype, torch.float32))
        length = self.length(x).detach()
        return (self.g * (x / length)).to(dtype)
