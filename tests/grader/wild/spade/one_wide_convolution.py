import torch
from torch import nn
from torch.nn import functional as F


class SPADE(nn.Module):
    def __init__(self, num_features, label_channels, hidden=64, eps=1e-5):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features, eps=eps, affine=False)
        self.shared = nn.Conv2d(label_channels, hidden, 3, 1, 1)
        self.gamma = nn.Conv2d(hidden, num_features, 3, 1, 1)
        self.beta = nn.Conv2d(hidden, num_features, 3, 1, 1)

    def forward(self, x, label_map):
        xhat = self.bn.train()(x)
        xhat = xhat.clamp(-5, 5)  # outliers
        m = F.interpolate(label_map, size=tuple(x.shape[2:]))
        m = (m > 0.5).to(x.dtype)
        h = self.shared(m).relu()
        # both at once: (N, 2C, H, W)
        both = F.conv2d(h, torch.cat([self.gamma.weight, self.beta.weight]), torch.cat([self.gamma.bias, self.beta.bias]), padding=1)
        beta, gamma = both.chunk(2, dim=1)
        return (1 + gamma) * xhat + beta
