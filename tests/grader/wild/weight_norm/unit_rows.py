import torch
import torch.nn as nn


class WeightNorm(nn.Module):
    """w = g * v/|v|, v kept on the unit sphere at the start"""

    def __init__(self, weight, dim=0):
        super().__init__()
        self.axis = dim
        with torch.no_grad():
            lengths = self.lengths(weight)
            g = lengths.reshape(-1).to(weight.dtype)
            v = (weight / lengths).to(weight.dtype)
        self.g = nn.Parameter(g, requires_grad=weight.requires_grad)
        self.v = nn.Parameter(v, requires_grad=weight.requires_grad)

    def lengths(self, w):
        rows = w.transpose(0, self.axis).reshape(w.shape[self.axis], -1)
        rows = rows.to(torch.promote_types(w.dtype, torch.float32))
        shape = [1] * w.dim()
        shape[self.axis] = -1
        return rows.norm(dim=1).view(shape)

    def forward(self):
        n = self.lengths(self.v) + 1e-12
        g = self.g.view_as(n)
        return (self.v * (g / n)).to(self.v.dtype)
