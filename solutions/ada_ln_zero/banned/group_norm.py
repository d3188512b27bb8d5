"""The normalisation by a group norm with one group, whose rows are the positions."""

from torch import nn
from torch.nn import functional as F


class AdaLNZeroBlock(nn.Module):
    def __init__(self, dim, cond_dim, attn, mlp):
        super().__init__()
        self.attn, self.mlp = attn, mlp
        self.modulation = nn.Linear(cond_dim, 6 * dim)
        nn.init.zeros_(self.modulation.weight)
        nn.init.zeros_(self.modulation.bias)

    def forward(self, x, c):
        a, b, gate1, d, e, gate2 = self.modulation(F.silu(c)).unsqueeze(1).chunk(6, dim=-1)
        x = x + gate1 * self.attn(self.normalised(x) * (1 + b) + a)
        return x + gate2 * self.mlp(self.normalised(x) * (1 + e) + d)

    def normalised(self, x):
        return F.group_norm(x.flatten(0, 1), 1, eps=1e-6).view_as(x)
