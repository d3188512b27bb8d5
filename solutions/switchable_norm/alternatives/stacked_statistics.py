"""The three means, and the three variances, are broadcast to (3, N, C) and contracted with the shares by einsum.

zh: 三个均值和三个方差分别广播成 (3, N, C)，再用 einsum 与占比缩并。
"""

import torch
from torch import Tensor, nn


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
        if x.ndim != 4:
            raise ValueError(f"SwitchNorm takes (N, C, H, W), not {tuple(x.shape)}")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        kinds = [torch.var_mean(wide, dims, correction=0, keepdim=True) for dims in ((2, 3), (1, 2, 3), (0, 2, 3))]
        if not self.training:
            kinds[2] = tuple(buffer.to(wide.dtype).view(1, -1, 1, 1) for buffer in (self.running_var, self.running_mean))
        shape = (*x.shape[:2], 1, 1)
        var, mean = (torch.stack([kind[i].expand(shape) for kind in kinds]) for i in (0, 1))
        if self.training:
            self.running_mean = self.blended(self.running_mean, mean[2, 0].flatten())
            self.running_var = self.blended(self.running_var, var[2, 0].flatten())
        mean = torch.einsum("k,kncij->ncij", torch.softmax(self.mean_weight.to(wide.dtype), 0), mean)
        var = torch.einsum("k,kncij->ncij", torch.softmax(self.var_weight.to(wide.dtype), 0), var)
        y = torch.einsum("nchw,ncij->nchw", wide - mean, (var + self.eps) ** -0.5)
        return (torch.einsum("nchw,c->nchw", y, self.weight.to(wide.dtype)) + self.bias[:, None, None]).to(x.dtype)

    def blended(self, old: Tensor, new: Tensor) -> Tensor:
        return ((1 - self.momentum) * old + self.momentum * new.detach()).to(old.dtype)
