"""Mixing and normalising are one autograd function with its own backward pass, derived on paper.

zh: 混合与归一化合写成一个 autograd 函数，反向由自己在纸上推导。
"""

import torch
from torch import Tensor, nn

KINDS = ((2, 3), (1, 2, 3), (0, 2, 3))  # what an instance, a layer and a batch average away


class MixAndNormalise(torch.autograd.Function):
    """x̂ = (x − μ) · r with r = 1 / √(σ² + ε). `fixed` holds mean and variance in the place of the batch's, or None."""

    @staticmethod
    def forward(ctx, x, mean_share, var_share, eps, fixed):
        means = [x.mean(dims, keepdim=True) for dims in KINDS]
        variances = [(x - mean).square().mean(dims, keepdim=True) for mean, dims in zip(means, KINDS, strict=True)]
        if fixed is not None:
            means[2], variances[2] = fixed
        mean = sum(share * kind for share, kind in zip(mean_share, means, strict=True))
        var = sum(share * kind for share, kind in zip(var_share, variances, strict=True))
        r = (var + eps).rsqrt()
        ctx.learnt = 2 if fixed is not None else 3  # kinds that depend on x
        ctx.save_for_backward(x, mean_share, var_share, mean, r, *means, *variances)
        return (x - mean) * r

    @staticmethod
    def backward(ctx, gradient):
        x, mean_share, var_share, mean, r, *kinds = ctx.saved_tensors
        means, variances = kinds[:3], kinds[3:]
        of_mean = -(gradient * r).sum((2, 3), keepdim=True)  # (N, C, 1, 1)
        of_var = (gradient * (x - mean)).sum((2, 3), keepdim=True) * r**3 / -2
        of_x = gradient * r
        for k in range(ctx.learnt):
            over = [dim for dim in KINDS[k] if dim < 2]  # of (N, C, 1, 1), what this kind shares one number among
            from_mean = of_mean.sum(over, keepdim=True) if over else of_mean
            from_var = of_var.sum(over, keepdim=True) if over else of_var
            count = x.numel() // means[k].numel()
            of_x = of_x + mean_share[k] * from_mean / count + var_share[k] * from_var * 2 / count * (x - means[k])
        of_mean_share = torch.stack([(of_mean * kind).sum() for kind in means])
        of_var_share = torch.stack([(of_var * kind).sum() for kind in variances])
        return of_x, of_mean_share, of_var_share, None, None


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

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError(f"no images: {tuple(x.shape)}")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        fixed = None
        if self.training:
            self.follow(wide.detach())
        else:
            fixed = self.running_mean.view(1, -1, 1, 1), self.running_var.view(1, -1, 1, 1)
        y = MixAndNormalise.apply(wide, self.mean_weight.softmax(0), self.var_weight.softmax(0), self.eps, fixed)
        return (y * self.weight.view(1, -1, 1, 1) + self.bias.view(1, -1, 1, 1)).to(x.dtype)

    def follow(self, x: Tensor) -> None:
        rows = x.transpose(0, 1).flatten(1)
        self.running_mean += self.momentum * (rows.mean(1) - self.running_mean)
        self.running_var += self.momentum * (rows.var(1, correction=0) - self.running_var)
