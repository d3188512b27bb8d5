import torch
import torch.nn as nn


class GeneralizedBatchNorm(nn.Module):
    """normalise with whatever location / scale you like"""

    def __init__(self, num_features, statistic, deviation, eps=1e-5, momentum=0.1):
        super().__init__()
        probe = torch.zeros(num_features, 2)
        for f in (statistic, deviation):
            if f(probe).shape != (num_features,):
                raise ValueError("functions must map (C, n) to (C,)")
        self.statistic, self.deviation = statistic, deviation
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_statistic", torch.zeros(num_features))
        self.register_buffer("running_deviation", torch.ones(num_features))

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("need (N, C, ...)")
        v = x
        if self.training:
            rows = torch.swapaxes(v, 0, 1).flatten(start_dim=1)
            loc, scale = self.statistic(rows), self.deviation(rows)
            self.update(self.statistic(rows.detach()), self.deviation(rows.detach()))
        else:
            loc, scale = self.running_statistic, self.running_deviation
        per_channel = [1] * x.dim()
        per_channel[1] = x.shape[1]
        scale = torch.where(scale < self.eps, torch.ones_like(scale), scale)
        y = (v - loc.view(per_channel)) / (scale.view(per_channel) + self.eps)
        y = y * self.weight.view(per_channel) + self.bias.view(per_channel)
        return y.to(x.dtype)

    def update(self, loc, scale):
        for buffer, new in ((self.running_statistic, loc), (self.running_deviation, scale)):
            with torch.no_grad():
                buffer.add_(self.momentum * (new - buffer))
