"""Filter response normalisation with its thresholded linear unit (Singh and Krishnan 2019)."""

import torch
from torch import Tensor, nn


class FilterResponseNorm(nn.Module):
    """max(γ · x / √(mean(x²) + ε) + β, τ), where every feature map has its own mean square, and every channel its own γ, β and τ."""

    def __init__(self, num_features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.threshold = nn.Parameter(torch.zeros(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError(f"x must be (N, C, H, W), but its shape is {tuple(x.shape)}.")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))  # the square of a float16 overflows from 256 on
        mean_square = wide.square().mean((2, 3), keepdim=True)  # (N, C, H, W) → (N, C, 1, 1); nothing is subtracted
        y = wide / torch.sqrt(mean_square + self.eps)
        y = y * self.weight.view(-1, 1, 1) + self.bias.view(-1, 1, 1)
        y = torch.maximum(y, self.threshold.view(-1, 1, 1))
        return y.to(x.dtype)
