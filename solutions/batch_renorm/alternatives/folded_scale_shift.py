"""Both modes end in one scale and one shift per channel; the correction goes into them, not into x.

zh: 两种模式最后都是每个通道一次缩放和一次平移；修正量并入其中，而不作用在 x 上。
"""

import torch
from torch import Tensor, nn


class BatchRenorm(nn.Module):
    def __init__(self, num_features, r_max=3.0, d_max=5.0, eps=1e-5, momentum=0.01):
        super().__init__()
        self.bounds = {"r": (1 / r_max, r_max), "d": (-d_max, d_max)}
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.empty(num_features))
        self.bias = nn.Parameter(torch.empty(num_features))
        self.register_buffer("running_mean", torch.empty(num_features))
        self.register_buffer("running_std", torch.empty(num_features))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for tensor, start in ((self.weight, 1.0), (self.bias, 0.0), (self.running_mean, 0.0), (self.running_std, 1.0)):
            nn.init.constant_(tensor, start)

    def forward(self, x: Tensor) -> Tensor:
        if len(x.shape) < 2:
            raise ValueError(f"no channels in {tuple(x.shape)}")
        last = x.to(torch.promote_types(x.dtype, torch.float32)).movedim(1, -1)
        if self.training:
            rows = last.flatten(0, -2)
            mean = rows.mean(0)
            std = ((rows - mean).pow(2).mean(0) + self.eps).sqrt()
            r, d = self.correction(mean.detach(), std.detach())
            scale, shift = self.weight * r / std, self.weight * d + self.bias
            with torch.no_grad():
                self.running_mean.copy_(torch.lerp(self.running_mean.to(mean.dtype), mean, self.momentum))
                self.running_std.copy_(torch.lerp(self.running_std.to(std.dtype), std, self.momentum))
        else:
            mean = self.running_mean.to(last.dtype)
            scale, shift = self.weight / self.running_std.to(last.dtype), self.bias
        return ((last - mean) * scale + shift).movedim(-1, 1).to(x.dtype)

    def correction(self, mean: Tensor, std: Tensor) -> tuple[Tensor, Tensor]:
        r = std / self.running_std.to(std.dtype)
        d = (mean - self.running_mean.to(mean.dtype)) / self.running_std.to(std.dtype)
        return r.clamp(*self.bounds["r"]), d.clamp(*self.bounds["d"])
