import torch
import torch.nn as nn


class SwitchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-3, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.mean_weight = nn.Parameter(torch.ones(3) / 3)
        self.var_weight = nn.Parameter(torch.ones(3) / 3)
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x):
        if x.dim() != 4:
            raise ValueError("x must have 4 dimensions")
        v = x.to(torch.promote_types(x.dtype, torch.float32))

        def statistics(dims):
            return v.mean(dims, keepdim=True), v.var(dims, keepdim=True, unbiased=False)

        instance, layer = statistics((2, 3)), statistics((1, 2, 3))
        batch = statistics((0, 2, 3))
        if self.training:
            with torch.no_grad():
                self.running_mean += self.momentum * (batch[0].flatten() - self.running_mean)
                self.running_var += self.momentum * (batch[1].flatten() - self.running_var)
        else:
            batch = self.running_mean.view(1, -1, 1, 1), self.running_var.view(1, -1, 1, 1)
        a = self.mean_weight
        b = self.var_weight
        mean = a[0] * instance[0] + a[1] * layer[0] + a[2] * batch[0]
        var = b[0] * instance[1] + b[1] * layer[1] + b[2] * batch[1]
        y = (v - mean) * torch.rsqrt(var + self.eps)
        y = y * self.weight.view(1, -1, 1, 1) + self.bias.view(1, -1, 1, 1)
        return y
