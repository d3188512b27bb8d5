"""Sample by sample and channel by channel, as one would write it down without broadcasting.

zh: 逐样本、逐通道计算，就像不用广播时会写的那样。
"""

import torch
from torch import Tensor, nn


def mean_and_variance(numbers: Tensor) -> tuple[Tensor, Tensor]:
    mean = numbers.sum() / numbers.numel()
    return mean, ((numbers - mean) ** 2).sum() / numbers.numel()


class SwitchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.mean_weight = nn.Parameter(torch.ones(3))
        self.var_weight = nn.Parameter(torch.ones(3))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError("not a batch of images")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        per_layer = [mean_and_variance(sample) for sample in wide]
        per_channel = []
        for c in range(self.num_features):
            if self.training:
                mean, var = mean_and_variance(wide[:, c])
                self.running_mean[c] += self.momentum * (mean.item() - self.running_mean[c])
                self.running_var[c] += self.momentum * (var.item() - self.running_var[c])
                per_channel.append((mean, var))
            else:
                per_channel.append((self.running_mean[c], self.running_var[c]))
        mean_shares, var_shares = self.mean_weight.softmax(-1), self.var_weight.softmax(-1)
        samples = []
        for n, sample in enumerate(wide):
            planes = []
            for c, plane in enumerate(sample):
                kinds = (mean_and_variance(plane), per_layer[n], per_channel[c])
                mean = sum(share * kind[0] for share, kind in zip(mean_shares, kinds, strict=True))
                var = sum(share * kind[1] for share, kind in zip(var_shares, kinds, strict=True))
                planes.append(self.weight[c] * (plane - mean) / torch.sqrt(var + self.eps) + self.bias[c])
            samples.append(torch.stack(planes))
        return torch.stack(samples).to(x.dtype)
