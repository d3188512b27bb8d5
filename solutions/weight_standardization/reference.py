"""Weight standardisation (Qiao et al. 2019): a convolution whose filters have mean 0 and variance 1."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Pair = tuple[int, int]


class WSConv2d(nn.Module):
    """Convolves x with ŵ = (w − μ) / √(σ² + ε), where every filter of w has its own μ and σ²."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Pair,
        stride: int | Pair = 1,
        padding: int | Pair = 0,
        dilation: int | Pair = 1,
        groups: int = 1,
        bias: bool = True,
        eps: float = 1e-5,
    ) -> None:
        super().__init__()
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.groups = groups
        self.eps = eps
        size = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
        self.weight = nn.Parameter(torch.randn(out_channels, in_channels // groups, *size))
        self.bias = nn.Parameter(torch.zeros(out_channels)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        weight = self.standardised(self.weight.to(wide))
        bias = None if self.bias is None else self.bias.to(wide)
        y = F.conv2d(x.to(wide), weight, bias, self.stride, self.padding, self.dilation, self.groups)
        return y.to(x.dtype)

    def standardised(self, weight: Tensor) -> Tensor:
        """(out_channels, in_channels / groups, kh, kw) → the same: one mean and one variance for each output channel."""
        mean = weight.mean(dim=(1, 2, 3), keepdim=True)
        var = weight.var(dim=(1, 2, 3), correction=0, keepdim=True)
        return (weight - mean) / torch.sqrt(var + self.eps)
