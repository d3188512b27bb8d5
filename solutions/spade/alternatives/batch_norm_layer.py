"""The norm is torch.nn.BatchNorm2d, as in the authors' code; it keeps the buffers.

zh: 归一化用 torch.nn.BatchNorm2d，与论文作者的代码一样；缓冲区由它保存。
"""

import torch.nn.functional as F
from torch import nn


class SPADE(nn.Module):
    def __init__(self, num_features, label_channels, hidden=128, eps=1e-5):
        super().__init__()
        self.param_free_norm = nn.BatchNorm2d(num_features, eps=eps, affine=False)
        self.mlp_shared = None
        self.shared = nn.Conv2d(label_channels, hidden, 3, padding=1)
        self.gamma = nn.Conv2d(hidden, num_features, 3, padding=1)
        self.beta = nn.Conv2d(hidden, num_features, 3, padding=1)

    def forward(self, x, label_map):
        normalized = self.param_free_norm(x)
        label_map = F.interpolate(label_map, size=x.size()[2:], mode="nearest")
        actv = F.relu(self.shared(label_map))
        return normalized * (1 + self.gamma(actv)) + self.beta(actv)
