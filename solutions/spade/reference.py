"""SPADE (Park et al. 2019): batch norm without parameters, then a scale and a shift for every position, taken from a label map."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class SPADE(nn.Module):
    """(1 + γ) · x̂ + β, where γ and β are convolutions of the label map. BatchNorm2d(affine=False) could stand for the norm."""

    running_mean: Tensor  # (C,)
    running_var: Tensor  # (C,)
    num_batches_tracked: Tensor  # ()

    def __init__(self, num_features: int, label_channels: int, hidden: int = 128, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))
        self.shared = nn.Conv2d(label_channels, hidden, kernel_size=3, padding=1)
        self.gamma = nn.Conv2d(hidden, num_features, kernel_size=3, padding=1)
        self.beta = nn.Conv2d(hidden, num_features, kernel_size=3, padding=1)

    def forward(self, x: Tensor, label_map: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError(f"x must be (N, C, H, W), but its shape is {tuple(x.shape)}.")
        if self.training and x.numel() == x.shape[1]:
            raise ValueError(f"Training needs more than one value per channel, but the shape of x is {tuple(x.shape)}.")

        resized = F.interpolate(label_map, size=x.shape[2:], mode="nearest")  # labels are not mixed
        hidden = torch.relu(self.shared(resized))
        gamma, beta = self.gamma(hidden), self.beta(hidden)  # (N, C, H, W): one pair for every position
        return ((1 + gamma) * self.normalised(x) + beta).to(x.dtype)

    def normalised(self, x: Tensor) -> Tensor:
        """x̂, in float32 or wider: by the statistics of the batch in training, by the running ones in evaluation."""
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.training:
            mean = wide.mean((0, 2, 3), keepdim=True)  # (1, C, 1, 1)
            var = wide.var((0, 2, 3), keepdim=True, correction=0)  # biased: the batch is all there is to describe
            self.track(wide.mean((0, 2, 3)), wide.var((0, 2, 3), correction=1))  # unbiased: the batch is a sample
        else:
            mean = self.running_mean.to(wide.dtype).view(-1, 1, 1)
            var = self.running_var.to(wide.dtype).view(-1, 1, 1)
        return (wide - mean) / torch.sqrt(var + self.eps)

    @torch.no_grad()
    def track(self, mean: Tensor, var: Tensor) -> None:
        """Move the running statistics a tenth of the way towards those of one batch, both of shape (C,)."""
        self.num_batches_tracked += 1
        self.running_mean += 0.1 * (mean - self.running_mean)
        self.running_var += 0.1 * (var - self.running_var)
