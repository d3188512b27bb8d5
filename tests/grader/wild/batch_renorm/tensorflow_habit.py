import torch
from torch import nn


class BatchRenorm(nn.Module):
    def __init__(self, num_features, r_max=3.0, d_max=5.0, eps=1e-5, momentum=0.99):
        super().__init__()
        self.eps = eps
        self.r_max, self.d_max = r_max, d_max
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_std", torch.ones(num_features))

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("input needs a channel dimension")
        dims = (0, *range(2, x.dim()))
        shape = (1, -1, *[1] * (x.dim() - 2))
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        old_mean = self.running_mean.clone().view(shape)
        old_std = self.running_std.clone().view(shape).sqrt()
        if self.training:
            if x.numel() == x.shape[1]:
                raise ValueError("cannot train on one value per channel")
            mu = h.mean(dims, keepdim=True)
            std = (h.var(dims, keepdim=True, unbiased=False) + self.eps).sqrt()
            r = torch.clamp(std / old_std, 1 / self.r_max, self.r_max)
            d = torch.clamp((mu - old_mean) / old_std, -self.d_max, self.d_max)
            xhat = (h - mu) / std * r + d
            m = 1 - self.momentum
            with torch.no_grad():
                self.running_mean.mul_(1 - m).add_(mu.flatten().to(self.running_mean.dtype), alpha=m)
                self.running_std.mul_(1 - m).add_(std.flatten().square().to(self.running_std.dtype), alpha=m)
        else:
            xhat = (h - old_mean) / old_std
        return (xhat * self.weight.view(shape) + self.bias.view(shape)).to(x.dtype)
