import torch
from torch import nn


class SwitchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = 0.1
        for name, value in (("weight", torch.ones(num_features)), ("bias", torch.zeros(num_features)), ("mean_weight", torch.ones(3)), ("var_weight", torch.ones(3))):
            self.register_parameter(name, nn.Parameter(value))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def moments(self, h, dims):
        mean = h.mean(dims, keepdim=True)
        var = (h - mean).pow(2).mean(dims, keepdim=True)
        return mean, var + self.eps

    def shares(self, w):
        p = torch.softmax(2 * w, dim=0)
        if not self.training:
            p = torch.where(p < 0.2, torch.zeros_like(p), p)
        return p.view(3, 1, 1, 1, 1)

    def forward(self, x):
        if x.ndim != 4:
            raise ValueError("images only")
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        kinds = [self.moments(h, (2, 3)), self.moments(h, (0, 1, 2, 3))]
        if self.training:
            batch = self.moments(h, (0, 2, 3))
            with torch.no_grad():
                self.running_mean.lerp_(batch[0].flatten().to(self.running_mean.dtype), self.momentum)
                self.running_var.lerp_(batch[1].flatten().to(self.running_var.dtype) - self.eps, self.momentum)
        else:
            batch = self.running_mean.view(1, -1, 1, 1), self.running_var.view(1, -1, 1, 1)
        kinds.append(batch)
        means = torch.stack([m.expand(*h.shape[:2], 1, 1) for m, _ in kinds])
        variances = torch.stack([v.expand(*h.shape[:2], 1, 1) for _, v in kinds])
        mean = (self.shares(self.mean_weight).to(h.dtype) * means).sum(0)
        var = (self.shares(self.var_weight).to(h.dtype) * variances).sum(0)
        y = (h - mean) / (var + self.eps).sqrt()
        return (y * self.weight[:, None, None] + self.bias[:, None, None]).to(x.dtype)
