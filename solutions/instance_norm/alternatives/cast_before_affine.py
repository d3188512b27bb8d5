"""The result goes back to the input's dtype before scale and shift, which are cast to it as well; buffers move through `.data`.

zh: 缩放和平移之前，结果就转换回输入的 dtype，weight 和 bias 也转换成它；缓冲区通过 `.data` 更新。
"""

import torch
from torch import Tensor, nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track = track_running_stats
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.running_mean = self.running_var = self.num_batches_tracked = None
        if self.track:
            del self.running_mean, self.running_var, self.num_batches_tracked
            self.register_buffer("running_mean", torch.zeros(num_features))
            self.register_buffer("running_var", torch.ones(num_features))
            self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() == 3:
            axes, shape = [2], [1, -1, 1]
        elif x.dim() == 4:
            axes, shape = [2, 3], [1, -1, 1, 1]
        else:
            raise ValueError("expected a 3D or 4D input")
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        if self.training or not self.track:
            if wide[0, 0].nelement() == 1:
                raise ValueError("expected more than 1 spatial element")
            mean = torch.mean(wide, dim=axes, keepdim=True)
            centred = wide - mean
            std = torch.sqrt(torch.mean(centred**2, dim=axes, keepdim=True) + self.eps)
        else:
            centred = wide - self.running_mean.reshape(shape)
            std = torch.sqrt(self.running_var.reshape(shape) + self.eps)
        if self.training and self.track:
            new_mean = wide.data.mean(dim=axes).mean(dim=0)
            new_var = wide.data.var(dim=axes, unbiased=True).mean(dim=0)
            self.running_mean.data = self.running_mean * (1 - self.momentum) + new_mean * self.momentum
            self.running_var.data = self.running_var * (1 - self.momentum) + new_var * self.momentum
        out = (centred / std).to(x.dtype)
        if self.affine:
            out = out * self.weight.to(x.dtype).reshape(shape) + self.bias.to(x.dtype).reshape(shape)
        return out
