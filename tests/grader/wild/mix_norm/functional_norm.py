import torch
from torch import nn


class MixNormStack(nn.Module):
    """First part post-LN, the rest pre-LN (Mix-LN)."""

    def __init__(self, dim, sublayers, post_ratio=0.25):
        super().__init__()
        if not sublayers:
            raise ValueError("no sublayers")
        self.sublayers = list(sublayers)
        for i, s in enumerate(sublayers):
            if isinstance(s, nn.Module):
                self.add_module(f"sublayer_{i}", s)
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in sublayers])
        self.n_post = round(len(sublayers) * post_ratio)

    @staticmethod
    def layer_norm(x, ln):
        h = x.to(ln.weight.dtype)
        h = h - h.mean(-1, keepdim=True)
        h = h / torch.sqrt(h.pow(2).mean(-1, keepdim=True) + ln.eps)
        return (h * ln.weight + ln.bias).to(x.dtype)

    def forward(self, x):
        for i, (s, ln) in enumerate(zip(self.sublayers, self.norms)):
            if i < self.n_post:
                x = x + self.layer_norm(s(x), ln)
            else:
                out = s(self.layer_norm(x, ln))
                out += x
                x = out
        return x
