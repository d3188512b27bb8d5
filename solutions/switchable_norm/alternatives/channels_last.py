"""Images are turned to (N, H, W, C); the buffers are kept by a base class, and the variance is put together from within and between.

zh: 图像转成 (N, H, W, C)；缓冲区由基类保存，方差由组内方差和组间方差合成。
"""

import torch
from torch import Tensor, nn


class Running(nn.Module):
    def __init__(self, size, momentum):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("running_mean", torch.zeros(size))
        self.register_buffer("running_var", torch.ones(size))

    @torch.no_grad()
    def observe(self, mean: Tensor, var: Tensor) -> None:
        self.running_mean.copy_(torch.lerp(self.running_mean.to(mean.dtype), mean, self.momentum))
        self.running_var.copy_(torch.lerp(self.running_var.to(var.dtype), var, self.momentum))


def log_shares(weights: Tensor) -> Tensor:
    weights = weights.to(torch.promote_types(weights.dtype, torch.float32))
    return weights - torch.logsumexp(weights, 0)


def pooled(mean: Tensor, var: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Mean and variance of equally large groups together: the variance within them, and that between their means."""
    return mean.mean(dim, keepdim=True), var.mean(dim, keepdim=True) + mean.var(dim, keepdim=True, correction=0)


class SwitchNorm(Running):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__(num_features, momentum)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.mean_weight = nn.Parameter(torch.ones(3))
        self.var_weight = nn.Parameter(torch.ones(3))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError("the input must have 4 dimensions")
        turned = x.permute(0, 2, 3, 1).to(torch.promote_types(x.dtype, torch.float32))
        pixels = turned.flatten(1, 2)  # (N, H · W, C)
        mean_in = pixels.mean(1)  # (N, C)
        var_in = (pixels - mean_in[:, None]).pow(2).mean(1)
        mean_ln, var_ln = pooled(mean_in, var_in, 1)
        if self.training:
            mean_bn, var_bn = pooled(mean_in, var_in, 0)
            self.observe(mean_bn[0], var_bn[0])
        else:
            mean_bn, var_bn = self.running_mean.to(pixels.dtype), self.running_var.to(pixels.dtype)
        a, b = log_shares(self.mean_weight).exp().unbind(), log_shares(self.var_weight).exp().unbind()
        mean = a[0] * mean_in + a[1] * mean_ln + a[2] * mean_bn
        deviation = (b[0] * var_in + b[1] * var_ln + b[2] * var_bn + self.eps).sqrt()
        y = (pixels - mean[:, None]) / deviation[:, None]
        y = torch.addcmul(self.bias, y, self.weight)
        return y.reshape(turned.shape).permute(0, 3, 1, 2).to(x.dtype)
