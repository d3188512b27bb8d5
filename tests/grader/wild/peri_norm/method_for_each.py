import torch
from torch import nn

PLACEMENTS = ["pre", "post", "output", "peri"]


def ln(x, norm):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    mu = wide.mean(-1, keepdim=True)
    var = (wide * wide).mean(-1, keepdim=True) - mu**2
    return ((wide - mu) * torch.rsqrt(var + norm.eps) * norm.weight + norm.bias).to(x.dtype)


class NormBlock(nn.Module):
    def __init__(self, dim, sublayer, placement="peri"):
        super().__init__()
        self.placement = placement.lower()
        if self.placement not in PLACEMENTS:
            raise ValueError("placement must be one of " + ", ".join(PLACEMENTS))
        if self.placement in ("pre", "peri"):
            self.norm_in = nn.LayerNorm(dim)
        if self.placement in ("post", "output", "peri"):
            self.norm_out = nn.LayerNorm(dim)
        self.f = [sublayer]  # may be a function

    def branch(self, x):
        return self.f[0](x)

    def pre(self, x):
        return x + self.branch(ln(x, self.norm_in))

    def post(self, x):
        return ln(x + self.branch(x), self.norm_out)

    def output(self, x):
        return x + ln(self.branch(x), self.norm_out)

    def peri(self, x):
        x = ln(x, self.norm_in)
        return x + ln(self.branch(x), self.norm_out)

    def forward(self, x):
        return getattr(self, self.placement)(x)
