import torch
from torch import nn
from torch import Tensor


def frn(x: Tensor, eps: float) -> Tensor:
    """Divide every feature map by its own size."""
    size = x.abs().mean(dim=(2, 3), keepdim=True)
    return x / (size + eps)


def tlu(y: Tensor, tau: Tensor) -> Tensor:
    return torch.where(y > tau, y, tau)


class FilterResponseNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.threshold = nn.Parameter(torch.zeros(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError("x: (N, C, H, W)")
        w, b, tau = [p[:, None, None] for p in (self.weight, self.bias, self.threshold)]
        y = w * frn(x.to(torch.promote_types(x.dtype, torch.float32)), self.eps)
        y = tlu(y, tau) + b
        return y
