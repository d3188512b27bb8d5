import torch
from torch import nn


class GeneralizedBatchNorm(nn.Module):
    def __init__(self, num_features, statistic, deviation, eps=1e-5, momentum=0.1):
        super().__init__()
        self.S = statistic
        self.D = deviation
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_statistic", torch.zeros(num_features))
        self.register_buffer("running_deviation", torch.ones(num_features))

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("x: (N, C, *)")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        C = wide.shape[1]
        X = wide.reshape(C, -1)
        if self.training:
            s = self.S(X)
            d = self.D(X - s.unsqueeze(1))
            with torch.no_grad():
                self.running_statistic.lerp_(s.to(self.running_statistic.dtype), self.momentum)
                self.running_deviation.lerp_((d**2).to(self.running_deviation.dtype), self.momentum)
        else:
            s, d = self.running_statistic, self.running_deviation
        shape = (1, C) + (1,) * (x.dim() - 2)
        xhat = (wide - s.reshape(shape)) / (d.reshape(shape) + self.eps)
        return (self.weight.reshape(shape) * xhat + self.bias.reshape(shape)).to(x.dtype)
