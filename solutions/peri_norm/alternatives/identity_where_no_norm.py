"""One formula for all placements: where one has no norm, there is an nn.Identity.

zh: 所有位置共用一个公式：没有归一化的地方是 nn.Identity。
"""

from torch import nn


class NormBlock(nn.Module):
    def __init__(self, dim, sublayer, placement="peri"):
        super().__init__()
        if placement not in {"pre", "post", "output", "peri"}:
            raise ValueError(placement)
        self.after_the_sum = placement == "post"
        self.norm_in = nn.LayerNorm(dim) if placement in {"pre", "peri"} else nn.Identity()
        self.norm_out = nn.Identity() if placement == "pre" else nn.LayerNorm(dim)
        self.sublayer = sublayer

    def forward(self, x):
        branch = self.sublayer(self.norm_in(x))
        return self.norm_out(x + branch) if self.after_the_sum else x + self.norm_out(branch)
