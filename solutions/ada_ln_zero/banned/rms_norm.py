"""PyTorch's RMS norm of the centred positions."""

from torch import nn
from torch.nn import functional as F


class AdaLNZeroBlock(nn.Module):
    def __init__(self, dim, cond_dim, attn, mlp):
        super().__init__()
        self.norm = nn.RMSNorm(dim, eps=1e-6, elementwise_affine=False)
        self.attn, self.mlp = attn, mlp
        self.modulation = nn.Linear(cond_dim, 6 * dim)
        nn.init.zeros_(self.modulation.weight)
        nn.init.zeros_(self.modulation.bias)

    def forward(self, x, c):
        a, b, gate1, d, e, gate2 = self.modulation(F.silu(c)).unsqueeze(1).chunk(6, dim=-1)
        x = x + gate1 * self.attn(self.norm(x - x.mean(-1, keepdim=True)) * (1 + b) + a)
        return x + gate2 * self.mlp(self.norm(x - x.mean(-1, keepdim=True)) * (1 + e) + d)
