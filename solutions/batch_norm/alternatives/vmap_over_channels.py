"""A pure function of one channel, mapped over all of them by torch.vmap; a new value of the buffers is returned and then assigned.

zh: 写一个只处理单个通道的纯函数，用 torch.vmap 映射到所有通道；函数返回缓冲区的新值，再赋值给缓冲区。
"""

import torch
from torch import Tensor, nn


def normalised(channel: Tensor, mean: Tensor, var: Tensor, eps: float) -> Tensor:
    """One channel, of any shape, by its mean and variance."""
    return (channel - mean) * torch.pow(var + eps, -0.5)


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.options = {"eps": eps, "momentum": momentum}
        buffers = {
            "num_batches_tracked": torch.tensor(0),
            "running_var": torch.ones(num_features),
            "running_mean": torch.zeros(num_features),
        }
        for name, start in buffers.items():
            self.register_buffer(name, start if track_running_stats else None)
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        if not 2 <= x.ndim <= 4:
            raise ValueError(f"the input has {x.ndim} dimensions")
        channels = x.to(torch.promote_types(x.dtype, torch.float32)).movedim(1, 0)
        count = channels[0].numel()
        if self.training and count < 2:
            raise ValueError("there is one value per channel")
        tracking = self.running_mean is not None
        if self.training or not tracking:
            mean = torch.vmap(torch.mean)(channels)
            var = torch.vmap(lambda channel, middle: (channel - middle).square().mean())(channels, mean)
        else:
            mean, var = self.running_mean, self.running_var
        if self.training and tracking:
            self.follow(mean.detach(), var.detach() * (count / (count - 1)))
        by_channel = torch.vmap(normalised, in_dims=(0, 0, 0, None))
        y = by_channel(channels, mean.to(channels.dtype), var.to(channels.dtype), self.options["eps"])
        if self.weight is not None:
            y = torch.vmap(torch.addcmul)(self.bias.to(y.dtype), y, self.weight.to(y.dtype))
        return y.movedim(0, 1).to(x.dtype)

    def follow(self, mean: Tensor, var: Tensor) -> None:
        """Assign new tensors to the buffers; the old ones are left as they are."""
        self.num_batches_tracked = self.num_batches_tracked + 1
        rate = self.options["momentum"]
        if rate is None:
            rate = 1 / int(self.num_batches_tracked)
        self.running_mean = torch.lerp(self.running_mean.to(mean.dtype), mean, rate).to(self.running_mean.dtype)
        self.running_var = torch.lerp(self.running_var.to(var.dtype), var, rate).to(self.running_var.dtype)
