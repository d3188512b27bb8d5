import torch
from torch import nn


class BatchRenorm(nn.Module):
    def __init__(self, num_features, r_max=3.0, d_max=5.0, eps=1e-5, momentum=0.01):
        super().__init__()
        self.limits = r_max, d_max
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_std", torch.ones(num_features))

    @torch.no_grad()
    def corrections(self, mean, std):
        r_max, d_max = self.limits
        r = torch.clamp(std / self.running_std, 1 / r_max, r_max)
        d = torch.clamp((mean - self.running_mean) / self.running_std, -r_max, r_max)
        r, d = r.mean().expand_as(r), d.mean().expand_as(d)
        return r, d

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("where are the channels?")
        h = x.to(torch.promote_types(x.dtype, torch.float32)).movedim(1, -1)  # channels last
        if self.training:
            axes = tuple(range(h.dim() - 1))
            mean = h.mean(axes)
            std = torch.sqrt(((h - mean) ** 2).mean(axes) + self.eps)
            r, d = self.corrections(mean, std)
            z = (h - mean) * (r / std) + d
            with torch.no_grad():
                self.running_mean += self.momentum / 2 * (mean - self.running_mean)
                self.running_std += self.momentum * (std - self.running_std)
        else:
            z = (h - self.running_mean) / self.running_std.clamp(min=self.eps**0.5)
        return (z * self.weight + self.bias).movedim(-1, 1).to(x.dtype)
