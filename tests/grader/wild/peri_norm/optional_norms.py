from torch import nn


class NormBlock(nn.Module):
    def __init__(self, dim, sublayer, placement="pre"):
        super().__init__()
        assert placement in ("pre", "post", "output", "peri"), placement
        self.kind = placement
        self.fn = sublayer
        self.norm_in = nn.LayerNorm(dim) if placement in ("pre", "peri") else None
        self.norm_out = nn.LayerNorm(dim) if placement != "pre" else None

    def forward(self, x):
        h = x if self.norm_in is None else self.norm_in(x)
        h = self.fn(h)
        if self.kind == "post":
            return self.norm_out(x) + h
        if self.norm_out is not None:
            h = self.norm_out(h)
        h += x  # saves a copy
        return h
