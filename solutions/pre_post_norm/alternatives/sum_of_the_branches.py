"""The residual path of the stack is a list: x and what the branches have added so far, summed where a norm needs it.

zh: 堆叠的残差通路是一个列表：x 以及各分支到目前为止的增量，归一化需要时才求和。
"""

from functools import reduce
from operator import add

from torch import nn


class Wrapped(nn.Module):
    """A plain function as a Module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Branch(nn.Sequential):
    """A norm, then a sublayer."""

    def __init__(self, dim, sublayer):
        super().__init__(nn.LayerNorm(dim), sublayer if isinstance(sublayer, nn.Module) else Wrapped(sublayer))


class PostNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.sublayer = sublayer
        self.register_module("norm", nn.LayerNorm(normalized_shape=(dim,)))

    def forward(self, x):
        return self.norm(reduce(add, [x, self.sublayer(x)]))


class PreNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.sublayer = sublayer
        self.register_module("norm", nn.LayerNorm(normalized_shape=(dim,)))

    def forward(self, x):
        return reduce(add, [x, self.sublayer(self.norm(x))])


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        self.branches = nn.ModuleList(Branch(dim, each) for each in sublayers)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        parts = [x]
        for branch in self.branches:
            parts.append(branch(reduce(add, parts)))
        return self.norm(reduce(add, parts))
