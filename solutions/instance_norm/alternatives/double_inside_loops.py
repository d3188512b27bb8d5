"""Sample by sample and channel by channel, in float64, with Python loops.

zh: 用 Python 循环逐样本、逐通道地在 float64 中计算。
"""

import torch
from torch import Tensor, nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.register_parameter("weight", None)
        self.register_parameter("bias", None)
        self.register_buffer("running_mean", None)
        self.register_buffer("running_var", None)
        self.register_buffer("num_batches_tracked", None)
        if affine:
            self.weight = nn.Parameter(torch.ones(num_features))
            self.bias = nn.Parameter(torch.zeros(num_features))
        if track_running_stats:
            self.running_mean = torch.zeros(num_features)
            self.running_var = torch.ones(num_features)
            self.num_batches_tracked = torch.tensor(0)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in (3, 4):
            raise ValueError("the input must have 3 or 4 dimensions")
        own = self.training or not self.track_running_stats
        if own and x[0, 0].numel() == 1:
            raise ValueError("one value per channel has no variance")
        means = torch.zeros(self.num_features, dtype=torch.float64)
        variances = torch.zeros(self.num_features, dtype=torch.float64)
        samples = []
        for sample in x.double():
            channels = []
            for c, channel in enumerate(sample):
                mean = channel.mean() if own else self.running_mean[c].double()
                var = ((channel - mean) ** 2).mean() if own else self.running_var[c].double()
                result = (channel - mean) / torch.sqrt(var + self.eps)
                if self.affine:
                    result = result * self.weight[c] + self.bias[c]
                channels.append(result)
                if own and self.track_running_stats:
                    n = channel.numel()
                    means[c] += mean.item() / len(x)
                    variances[c] += var.item() * n / (n - 1) / len(x)
            samples.append(torch.stack(channels))
        if own and self.track_running_stats:
            for c in range(self.num_features):
                self.running_mean[c] = (1 - self.momentum) * self.running_mean[c] + self.momentum * means[c]
                self.running_var[c] = (1 - self.momentum) * self.running_var[c] + self.momentum * variances[c]
        return torch.stack(samples).to(x.dtype)
