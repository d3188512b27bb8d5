import torch
from torch import nn


class SwitchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.9):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.mean_weight = nn.Parameter(torch.ones(3))
        self.var_weight = nn.Parameter(torch.ones(3))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.zeros(num_features))

    def forward(self, x):
        if x.dim() != 4:
            raise ValueError(f"expected 4D input (got {x.dim()}D input)")
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        N, C, H, W = h.shape
        h = h.reshape(N, C, -1)
        mean_in = h.mean(-1, keepdim=True)
        var_in = h.var(-1, keepdim=True)
        mean_ln = mean_in.mean(1, keepdim=True)
        temp = var_in + mean_in**2
        var_ln = temp.mean(1, keepdim=True) - mean_ln**2
        if self.training:
            mean_bn = mean_in.mean(0, keepdim=True)
            var_bn = temp.mean(0, keepdim=True) - mean_bn**2
            keep = self.momentum
            self.running_mean.mul_(keep).add_((1 - keep) * mean_bn.detach().flatten())
            self.running_var.mul_(keep).add_((1 - keep) * var_bn.detach().flatten())
        else:
            mean_bn = self.running_mean.view(1, C, 1)
            var_bn = self.running_var.view(1, C, 1)
        mw = self.mean_weight.softmax(0)
        vw = self.var_weight.softmax(0)
        mean = mw[0] * mean_in + mw[1] * mean_ln + mw[2] * mean_bn
        var = vw[0] * var_in + vw[1] * var_ln + vw[2] * var_bn
        h = (h - mean) / (var + self.eps).sqrt()
        h = h.reshape(N, C, H, W) * self.weight.view(1, C, 1, 1) + self.bias.view(1, C, 1, 1)
        return h.to(x.dtype)
