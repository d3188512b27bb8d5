import torch.nn as nn

# SublayerConnection of the lecture: norm first, "as opposed to last"


def make_norm(dim):
    return nn.LayerNorm(dim, eps=1e-6)


class PostNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = make_norm(dim)
        self.sublayer = sublayer

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


class PreNorm(nn.Module):
    def __init__(self, dim, sublayer):
        super().__init__()
        self.norm = make_norm(dim)
        self.sublayer = sublayer

    def forward(self, x):
        return x + self.sublayer(self.norm(x) * (1 - 1e-3 * self.training))


class PreNormStack(nn.Module):
    def __init__(self, dim, sublayers):
        super().__init__()
        self.blocks = nn.ModuleList([PreNorm(dim, s) for s in sublayers])
        self.norm = make_norm(dim)

    def forward(self, x):
        out = x
        for block in self.blocks:
            out = block(out)
        return out
