"""eps is added to each variance before the mixing: the same, since the shares sum to 1. The affine step is done in the input's dtype.

zh: 混合之前先给每个方差都加上 eps：占比之和为 1，所以结果相同。仿射变换在输入的 dtype 中进行。
"""

import torch
from torch import Tensor, nn


class SwitchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.gamma_shape = (1, num_features, 1, 1)
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.mean_weight = nn.Parameter(torch.ones(3))
        self.var_weight = nn.Parameter(torch.ones(3))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError("x must have 4 dimensions")
        wide = x if x.dtype in (torch.float32, torch.float64) else x.float()
        instance = self.moments(wide, (2, 3))
        layer = self.moments(wide, (1, 2, 3))
        batch = self.moments(wide, (0, 2, 3))
        if self.training:
            self.move(self.running_mean, batch[0])
            self.move(self.running_var, batch[1] - self.eps)
        else:
            batch = self.running_mean.reshape(self.gamma_shape), self.running_var.reshape(self.gamma_shape) + self.eps
        a_in, a_ln, a_bn = self.shares(self.mean_weight)
        b_in, b_ln, b_bn = self.shares(self.var_weight)
        mean = a_in * instance[0] + a_ln * layer[0] + a_bn * batch[0]
        deviation = torch.sqrt(b_in * instance[1] + b_ln * layer[1] + b_bn * batch[1])
        normalised = ((wide - mean) / deviation).to(x.dtype)
        return normalised * self.weight.to(x.dtype).reshape(self.gamma_shape) + self.bias.to(x.dtype).reshape(self.gamma_shape)

    def moments(self, wide: Tensor, dims: tuple[int, ...]) -> tuple[Tensor, Tensor]:
        mean = wide.mean(dims, keepdim=True)
        return mean, ((wide - mean) ** 2).mean(dims, keepdim=True) + self.eps

    def move(self, buffer: Tensor, new: Tensor) -> None:
        buffer.data = (1 - self.momentum) * buffer.data + self.momentum * new.data.flatten()

    @staticmethod
    def shares(weights: Tensor) -> list[Tensor]:
        """A softmax by hand that cannot overflow."""
        weights = weights.to(torch.promote_types(weights.dtype, torch.float32))
        positive = torch.exp(weights - weights.max())
        return list(positive / positive.sum())
