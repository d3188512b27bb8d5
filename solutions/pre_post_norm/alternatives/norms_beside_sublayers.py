"""The stack is no row of blocks: norms and sublayers are two lists, and the norm of the end is registered first.

zh: 堆叠不由块组成：归一化层和子层是两个列表，最后的归一化层最先注册。
"""

from torch import nn


class PostNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.f = sublayer

    def forward(self, x):
        y = self.f(x) + x
        return self.norm(y)


class PreNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.f = sublayer

    def forward(self, x):
        n = self.norm(x)
        return self.f(n) + x


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.functions = list(sublayers)
        self.modules_among_them = nn.ModuleList(each for each in self.functions if isinstance(each, nn.Module))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in self.functions)

    def forward(self, x):
        for norm, function in zip(self.norms, self.functions, strict=True):
            x = x + function(norm(x))
        return self.norm(x)
