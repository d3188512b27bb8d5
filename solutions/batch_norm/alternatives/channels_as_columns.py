"""The channels are moved last and everything else is flattened into rows: (n, C), normalised column by column.

zh: 通道移到最后，其余各维展平成行，得到 (n, C)，再逐列归一化。
"""

import torch
from torch import Tensor, nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        if affine:
            self.weight = nn.Parameter(torch.ones(num_features))
            self.bias = nn.Parameter(torch.zeros(num_features))
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        self.tracks = track_running_stats
        for name, start in (("running_mean", torch.zeros), ("running_var", torch.ones)):
            self.register_buffer(name, start(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.int64) if track_running_stats else None)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2 or x.dim() > 4:
            raise ValueError("the input must have 2, 3 or 4 dimensions")
        moved = x.movedim(1, -1)
        rows = moved.reshape(-1, moved.shape[-1])
        rows = rows.to(torch.promote_types(rows.dtype, torch.float32))
        result = self.normalise_columns(rows)
        return result.to(x.dtype).reshape(moved.shape).movedim(-1, 1)

    def normalise_columns(self, rows: Tensor) -> Tensor:
        if self.training and len(rows) < 2:
            raise ValueError("one value per channel has no variance")
        if self.training or not self.tracks:
            mean = rows.mean(0)
            centred = rows - mean
            squares = centred.pow(2).sum(0)
            var = squares / len(rows)
            if self.training and self.tracks:
                with torch.no_grad():
                    self.num_batches_tracked += 1
                    rate = 1 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
                    self.running_mean.copy_(self.running_mean * (1 - rate) + mean * rate)
                    self.running_var.copy_(self.running_var * (1 - rate) + squares / (len(rows) - 1) * rate)
        else:
            centred = rows - self.running_mean
            var = self.running_var.to(rows.dtype)
        normalised = centred / (var + self.eps).sqrt()
        return normalised if self.weight is None else normalised * self.weight + self.bias
