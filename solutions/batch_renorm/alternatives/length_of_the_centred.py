"""The variance is that of the length of the centred values; addcmul scales and shifts.

zh: 方差由中心化后各值的长度求得；用 addcmul 缩放和平移。
"""

import torch
from torch import Tensor, nn


class BatchRenorm(nn.Module):
    def __init__(self, num_features, r_max=3.0, d_max=5.0, eps=1e-5, momentum=0.01):
        super().__init__()
        self.r_max, self.d_max, self.eps, self.momentum = r_max, d_max, eps, momentum
        for name, start in (("weight", 1.0), ("bias", 0.0)):
            self.register_parameter(name, nn.Parameter(torch.full((num_features,), start)))
        for name, start in (("running_mean", 0.0), ("running_std", 1.0)):
            self.register_buffer(name, torch.full((num_features,), start))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError(f"{x.dim()} dimensions are too few")
        rest = [0, *range(2, x.dim())]
        view = [1, x.shape[1]] + [1] * (x.dim() - 2)
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        weight, bias, past_mean, past_std = (
            each.to(wide.dtype).view(view) for each in (self.weight, self.bias, self.running_mean, self.running_std)
        )
        if not self.training:
            return torch.addcmul(bias, (wide - past_mean) / past_std, weight).to(x.dtype)
        mean = wide.mean(rest, keepdim=True)
        length = torch.linalg.vector_norm(wide - mean, dim=rest, keepdim=True)
        variance = length**2 / (x.numel() // x.shape[1])
        std = (variance + self.eps).sqrt()
        with torch.no_grad():
            r = torch.clamp(std / past_std, min=1 / self.r_max, max=self.r_max)
            d = torch.clamp((mean - past_mean) / past_std, min=-self.d_max, max=self.d_max)
            self.running_mean += self.momentum * (mean.flatten() - self.running_mean)
            self.running_std += self.momentum * (std.flatten() - self.running_std)
        return torch.addcmul(bias, (wide - mean) * (r / std) + d, weight).to(x.dtype)
