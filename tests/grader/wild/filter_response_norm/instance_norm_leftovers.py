import torch
import torch.nn as nn


class FilterResponseNorm(nn.Module):
    def __init__(self, num_features, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(1, num_features, 1, 1))
        self.bias = nn.Parameter(torch.zeros(1, num_features, 1, 1))
        self.threshold = nn.Parameter(torch.zeros(1, num_features, 1, 1))
        self.seen = None

    def forward(self, x):
        if x.ndim != 4:
            raise ValueError(f"expected 4D input (got {x.ndim}D input)")
        if x.size(2) * x.size(3) == 1:
            raise ValueError("more than one spatial element is needed")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        flat = wide.reshape(x.size(0), x.size(1), -1)
        power = flat.var(dim=2, unbiased=False)
        if self.training:
            self.seen = power.detach().mean(0)
        elif self.seen is not None:
            power = self.seen.expand_as(power)
        inv = (power + self.eps).pow(-0.5)
        out = wide * inv[:, :, None, None]
        w, b, t = (p.reshape(1, -1, 1, 1) for p in (self.weight, self.bias, self.threshold))
        out = out * w + b
        out = torch.relu(out) + t
        return out.to(x.dtype)
