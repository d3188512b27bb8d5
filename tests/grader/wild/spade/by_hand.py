import torch
from torch import nn, Tensor
import torch.nn.functional as F


class SPADE(nn.Module):
    def __init__(self, num_features: int, label_channels: int, hidden: int = 128, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.shared = nn.Conv2d(label_channels, hidden, kernel_size=(3, 3), padding=(1, 1))
        self.gamma = nn.Conv2d(hidden, num_features, kernel_size=(3, 3), padding=(1, 1))
        self.beta = nn.Conv2d(hidden, num_features, kernel_size=(3, 3), padding=(1, 1))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.long))

    def batch_norm(self, x: Tensor) -> Tensor:
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        n = h.numel() // h.shape[1]
        mean, var = h.mean(dim=(0, 2, 3)), h.var(dim=(0, 2, 3), unbiased=False)
        if self.training:
            with torch.no_grad():
                self.running_mean.mul_(0.9).add_(0.1 * mean)
                self.running_var.mul_(0.9).add_(0.1 * var)
        else:
            mean = self.running_mean.to(h.dtype)
        return (h - mean[:, None, None]) / (var[:, None, None] + self.eps).sqrt()

    def forward(self, x: Tensor, label_map: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError("x should have 4 dimensions")
        if self.training and x.shape[0] * x.shape[2] * x.shape[3] == 1:
            raise ValueError("one value per channel is too few in training")
        label_map = F.interpolate(label_map, x.shape[2:], mode="bilinear", align_corners=False)
        h = self.shared(label_map).clamp(min=0)
        out = self.batch_norm(x)
        return (out + out * self.gamma(h) + self.beta(h)).to(x.dtype)
