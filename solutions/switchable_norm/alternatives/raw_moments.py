"""Two numbers per plane are all that is needed, E[x] and E[x²]; every statistic comes from averages of them.

zh: 每个平面只需两个数 E[x] 和 E[x²]；各种统计量都由它们的平均得到。
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SwitchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        for name, size in (("weight", num_features), ("mean_weight", 3), ("var_weight", 3)):
            self.register_parameter(name, nn.Parameter(torch.ones(size)))
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_features)))
        for name, start in (("running_mean", torch.zeros), ("running_var", torch.ones)):
            self.register_buffer(name, start(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if len(x.shape) != 4:
            raise ValueError("x must have 4 dimensions")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        first = wide.mean((2, 3))  # (N, C)
        second = (wide * wide).mean((2, 3))

        def averaged(over):
            mean = first.mean(over, keepdim=True) if over is not None else first
            square = second.mean(over, keepdim=True) if over is not None else second
            return mean, square - mean * mean

        instance, layer = averaged(None), averaged(1)
        batch = averaged(0) if self.training else (self.running_mean[None], self.running_var[None])
        shares = F.softmax(self.mean_weight, dim=-1), F.softmax(self.var_weight, dim=-1)
        mean, var = (sum(share[k] * kind[which] for k, kind in enumerate((instance, layer, batch))) for which, share in enumerate(shares))
        scale = torch.rsqrt(var + self.eps) * self.weight
        shift = self.bias - mean * scale
        if self.training:
            with torch.no_grad():
                self.running_mean.lerp_(batch[0][0].to(self.running_mean.dtype), self.momentum)
                self.running_var.lerp_(batch[1][0].to(self.running_var.dtype), self.momentum)
        return (wide * scale[..., None, None] + shift[..., None, None]).to(x.dtype)
