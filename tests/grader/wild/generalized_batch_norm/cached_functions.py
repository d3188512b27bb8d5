import torch
from torch import nn


class GeneralizedBatchNorm(nn.Module):
    def __init__(self, num_features, statistic, deviation, eps=1e-5, momentum=0.1):
        super().__init__()
        self.functions = {"statistic": statistic, "deviation": deviation}
        self.eps = eps
        self.momentum = momentum
        self.fresh = True
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_statistic", torch.zeros(num_features))
        self.register_buffer("running_deviation", torch.ones(num_features))

    def measure(self, rows):
        found = {}
        m = self.momentum
        m = 1.0 if self.fresh else m
        self.fresh = False
        with torch.set_grad_enabled(torch.is_grad_enabled() and self.weight.requires_grad):
            for name, function in self.functions.items():
                found[name] = function(rows)
        with torch.no_grad():
            for name, new in found.items():
                old = getattr(self, f"running_{name}")
                old.add_((new - old) * m)
        return found["statistic"], found["deviation"]

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError(f"x has the shape {tuple(x.shape)}, and no channels")
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        tail = (-1, *(1 for _ in x.shape[2:]))
        if self.training:
            floor = self.running_deviation / 2
            s, d = self.measure(torch.cat([sample.reshape(x.shape[1], -1) for sample in h], dim=1))
            d = torch.maximum(d, floor)
        else:
            s, d = self.running_statistic, self.running_deviation
        s = s * torch.where(self.weight < 0, -1.0, 1.0)
        y = self.weight.view(tail) * (h - s.view(tail)) / (d.view(tail) + self.eps) + self.bias.view(tail)
        return y.to(x.dtype)
