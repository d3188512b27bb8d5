"""A pure function of one channel, mapped over all of them; everything between the two casts is float64.

zh: 写一个只处理单个通道的纯函数，映射到所有通道；两次类型转换之间都用 float64。
"""

import torch
from torch import Tensor, nn


def statistics(channel: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of a vector."""
    mean = channel.sum() / len(channel)
    return mean, torch.sqrt(torch.dot(channel - mean, channel - mean) / len(channel) + eps)


def normalised(channel: Tensor, mean: Tensor, std: Tensor, r: Tensor, d: Tensor) -> Tensor:
    return (channel - mean) / std * r + d


class BatchRenorm(nn.Module):
    def __init__(self, num_features, r_max=3.0, d_max=5.0, eps=1e-5, momentum=0.01):
        super().__init__()
        self.r_max, self.d_max, self.eps, self.momentum = r_max, d_max, eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_std", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError(f"expected (N, C, *), got {tuple(x.shape)}")
        moved = x.double().movedim(1, 0)
        channels = moved.flatten(1)
        past = self.running_mean.double(), self.running_std.double()
        if self.training:
            mean, std = torch.vmap(statistics, in_dims=(0, None))(channels, self.eps)
            r, d = self.correction(*past, mean.detach(), std.detach())
            self.follow(mean.detach(), std.detach())
        else:
            (mean, std), r, d = past, torch.ones_like(past[0]), torch.zeros_like(past[0])
        y = torch.vmap(normalised)(channels, mean, std, r, d)
        y = y * self.weight.double()[:, None] + self.bias.double()[:, None]
        return y.view(moved.shape).movedim(0, 1).to(x.dtype)

    def correction(self, past_mean: Tensor, past_std: Tensor, mean: Tensor, std: Tensor) -> tuple[Tensor, Tensor]:
        r, d = std / past_std, (mean - past_mean) / past_std
        return torch.clamp(r, 1 / self.r_max, self.r_max), torch.clamp(d, -self.d_max, self.d_max)

    def follow(self, mean: Tensor, std: Tensor) -> None:
        for name, new in (("running_mean", mean), ("running_std", std)):
            old = getattr(self, name)
            setattr(self, name, (old * (1 - self.momentum) + new * self.momentum).to(old.dtype))
