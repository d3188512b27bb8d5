"""A residual block with its norms in one of four places: Pre-LN, Post-LN, output norm and Peri-LN (Kim et al. 2025)."""

from collections.abc import Callable

from torch import Tensor, nn


class NormBlock(nn.Module):
    """`norm_in` normalises what the sublayer is given, `norm_out` what it returns; in Post-LN, the sum."""

    def __init__(self, dim: int, sublayer: Callable[[Tensor], Tensor], placement: str = "peri") -> None:
        super().__init__()
        if placement not in ("pre", "post", "output", "peri"):
            raise ValueError(f"placement is 'pre', 'post', 'output' or 'peri', not {placement!r}")
        self.placement = placement
        if placement in ("pre", "peri"):
            self.norm_in = nn.LayerNorm(dim)
        self.sublayer = sublayer
        if placement in ("post", "output", "peri"):
            self.norm_out = nn.LayerNorm(dim)

    def forward(self, x: Tensor) -> Tensor:
        if self.placement == "pre":
            return x + self.sublayer(self.norm_in(x))
        if self.placement == "post":
            return self.norm_out(x + self.sublayer(x))
        if self.placement == "output":
            return x + self.norm_out(self.sublayer(x))
        return x + self.norm_out(self.sublayer(self.norm_in(x)))
