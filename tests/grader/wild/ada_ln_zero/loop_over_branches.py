import torch
from torch import nn


class AdaLNZeroBlock(nn.Module):
    EPS = 1e-6  # TODO argument?

    def __init__(self, dim, cond_dim, attn, mlp):
        super().__init__()
        self.dim = dim
        self.branches = nn.ModuleList([attn, mlp])
        self.modulation = nn.Linear(cond_dim, dim * 6)
        with torch.no_grad():
            for p in self.modulation.parameters():
                p.zero_()

    def ln(self, h):
        f = h
        f = f - f.mean(-1, keepdim=True)
        v = torch.einsum("bld,bld->bl", f, f)[..., None] / (self.dim - 1)
        return (f / (v + self.EPS) ** 0.5).to(h.dtype)

    def forward(self, x, c):
        act = c / (1 + torch.exp(-c))  # silu
        p = self.modulation(act).view(-1, 2, 3, 1, self.dim)
        for k, f in enumerate(self.branches):
            shift, scale, gate = p[:, k].unbind(1)
            x = x + gate * f(self.ln(x) * (1 + scale) + shift)
        return x
