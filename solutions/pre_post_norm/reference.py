"""Post-LN and Pre-LN blocks, and the stack of Pre-LN blocks that ends with a norm (Xiong et al. 2020)."""

from collections.abc import Callable, Sequence

from torch import Tensor, nn


class PostNorm(nn.Module):
    """y = LN(x + F(x)): the norm stands on the residual path."""

    def __init__(self, dim: int, sublayer: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x + self.sublayer(x))


class PreNorm(nn.Module):
    """y = x + F(LN(x)): the norm stands on the branch, and nothing on the residual path."""

    def __init__(self, dim: int, sublayer: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.sublayer = sublayer

    def forward(self, x: Tensor) -> Tensor:
        return x + self.sublayer(self.norm(x))


class PreNormStack(nn.Module):
    """Pre-LN blocks one after the other, then the one norm that the residual path meets."""

    def __init__(self, dim: int, sublayers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(PreNorm(dim, sublayer) for sublayer in sublayers)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return self.norm(x)
