import torch
from torch import nn


class SwitchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.mean_weight = nn.Parameter(torch.ones(3))
        self.var_weight = nn.Parameter(torch.ones(3))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x):
        if x.dim() != 4:
            raise ValueError("x must have 4 dimensions")
        values = x.to(torch.promote_types(x.dtype, torch.float32))
        var_in, mean_in = torch.var_mean(values, (2, 3), keepdim=True, unbiased=False)
        var_ln, mean_ln = torch.var_mean(values, (1, 2, 3), keepdim=True, unbiased=False)
        if True:
            var_bn, mean_bn = torch.var_mean(values, (0, 2, 3), keepdim=True, unbiased=False)
        else:
            var_bn, mean_bn = self.running_var.view(1, -1, 1, 1), self.running_mean.view(1, -1, 1, 1)
        if self.training:
            with torch.no_grad():
                self.running_mean += self.momentum * (mean_bn.flatten() - self.running_mean)
                self.running_var += self.momentum * (var_bn.flatten() - self.running_var)
        shares = torch.softmax(self.mean_weight, 0)
        mean = shares[0] * mean_in + shares[1] * mean_ln + shares[2] * mean_bn
        shares = torch.softmax(self.mean_weight, 0)
        var = shares[0] * var_in + shares[1] * var_ln + shares[2] * var_bn
        y = (values - mean) / (var.sqrt() + self.eps)
        return (y * self.weight.view(-1, 1, 1) + self.bias.view(-1, 1, 1)).to(x.dtype)
