import torch
from torch import nn
import torch.nn.functional as F


class SPADE(nn.Module):
    def __init__(self, num_features, label_channels, hidden=128, eps=1e-5):
        super().__init__()
        self.norm = nn.BatchNorm2d(num_features, eps=eps, affine=False, momentum=None)
        self.shared = nn.Conv2d(label_channels, hidden, 3, padding=1)
        self.gamma = nn.Conv2d(hidden, num_features, 3, padding=1)
        self.beta = nn.Conv2d(hidden, num_features, 3, padding=1)
        for conv in (self.gamma, self.beta):
            nn.init.zeros_(conv.weight)
            nn.init.zeros_(conv.bias)

    def forward(self, x, segmap):
        normalized = self.norm(x)
        segmap = F.interpolate(segmap, size=x.shape[-2:], mode="nearest-exact")
        actv = F.leaky_relu(self.shared(segmap), 0.2)
        return normalized * self.gamma(actv) + self.beta(actv)
