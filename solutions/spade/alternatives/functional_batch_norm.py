"""The buffers are the layer's own, and F.batch_norm normalises and moves them; γ and β come from one convolution with both weights.

zh: 缓冲区属于这个层自己，由 F.batch_norm 归一化并更新；γ 和 β 来自一个把两组权重拼在一起的卷积。
"""

import torch
import torch.nn.functional as F
from torch import nn


class SPADE(nn.Module):
    def __init__(self, num_features, label_channels, hidden=128, eps=1e-5):
        super().__init__()
        self.beta = nn.Conv2d(hidden, num_features, (3, 3), padding="same")
        self.gamma = nn.Conv2d(hidden, num_features, (3, 3), padding="same")
        self.shared = nn.Conv2d(label_channels, hidden, (3, 3), padding="same")
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.long))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.epsilon = eps

    def forward(self, x, label_map):
        if x.ndim != 4:
            raise ValueError("x must be (N, C, H, W)")
        normalised = F.batch_norm(x, self.running_mean, self.running_var, training=self.training, momentum=0.1, eps=self.epsilon)
        if self.training:
            self.num_batches_tracked.add_(1)
        if label_map.shape[2:] != x.shape[2:]:
            label_map = nn.Upsample(size=x.shape[2:], mode="nearest")(label_map)
        weight = torch.cat([self.gamma.weight, self.beta.weight])
        bias = torch.cat([self.gamma.bias, self.beta.bias])
        gamma, beta = F.conv2d(self.shared(label_map).relu(), weight, bias, padding=1).chunk(2, dim=1)
        return torch.addcmul(beta, gamma, normalised) + normalised
