"""Weight standardisation, by hand.

`normgrade show weight_standardization` tells the task, `normgrade check weight_standardization` grades this file.
"""

from torch import Tensor, nn

Pair = tuple[int, int]


class WSConv2d(nn.Module):
    """A convolution whose filters are standardised before every use: each has mean 0 and standard deviation 1."""

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
        """`weight` and `bias` have the shapes that they have in torch.nn.Conv2d, which you may also derive this class from."""
        super().__init__()
        raise NotImplementedError("keep the arguments, and register weight and bias")

    def forward(self, x: Tensor) -> Tensor:
        """(N, in_channels, H, W) → (N, out_channels, H', W'), in the dtype of x."""
        raise NotImplementedError("standardise every filter of the weight, then convolve x with the result")
