import torch
from torch import nn


class WeightNorm(nn.Module):
    def __init__(self, weight, dim=0):
        super().__init__()
        self.dim = dim
        self.kept = None
        v = weight.detach().clone(memory_format=torch.contiguous_format)
        self.v = nn.Parameter(v)
        self.g = nn.Parameter(self.length(v).to(v.dtype))

    def length(self, v):
        wide = v.to(torch.promote_types(v.dtype, torch.float32))
        lengths = [torch.linalg.vector_norm(part) for part in wide.unbind(self.dim)]
        shape = [1] * v.dim()
        shape[self.dim] = len(lengths)
        return torch.stack(lengths).reshape(shape)

    def forward(self):
        if self.v.dim() == 1:
            return self.v * 1
        n = self.length(self.v)
        if self.training:
            self.kept = n.detach()
        elif self.kept is not None:
            n = self.kept
        g = self.g.clamp(max=10)
        return (self.v / n * g).to(self.v.dtype)
