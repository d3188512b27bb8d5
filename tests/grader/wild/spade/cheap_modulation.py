import torch
from torch import nn
from torch.nn import functional as F


class SPADE(nn.Module):
    def __init__(self, num_features, label_channels, hidden=128, eps=1e-5):
        super().__init__()
        self.param_free_norm = nn.BatchNorm2d(num_features, eps, affine=False)
        make = lambda a, b: nn.Conv2d(a, b, kernel_size=3, padding=1, padding_mode="replicate")
        self.shared = make(label_channels, hidden)
        self.gamma = make(hidden, num_features)
        self.beta = make(hidden, num_features)

    def modulation(self, label_map, size):
        m = F.interpolate(label_map, size=size, mode="nearest")
        m = m / m.sum(1, keepdim=True).clamp(min=1e-3)
        h = F.relu(self.shared(m))
        return self.gamma(h) / self.gamma.out_channels, self.beta(h)

    def forward(self, x, label_map):
        normed = self.param_free_norm(x)
        gamma, beta = self.modulation(label_map, x.shape[2:])
        return torch.addcmul(normed + beta, normed, gamma)
