"""SPADE, by hand. `normgrade show spade` tells the task, `normgrade check spade` grades this file."""

from torch import Tensor, nn


class SPADE(nn.Module):
    """Normalises every channel of x as batch norm does; scale and shift come from a label map, through convolutions."""

    def __init__(self, num_features: int, label_channels: int, hidden: int = 128, eps: float = 1e-5) -> None:
        """`shared`, `gamma`, `beta`: 3 × 3 torch.nn.Conv2d; the norm has the buffers of BatchNorm2d(num_features, affine=False)."""
        super().__init__()
        raise NotImplementedError("keep eps, and make the norm and the three convolutions")

    def forward(self, x: Tensor, label_map: Tensor) -> Tensor:
        """(N, C, H, W) and (N, L, H', W') → the shape and dtype of x."""
        # A ValueError where x does not have 4 dimensions, and in training where every channel has a single value.
        raise NotImplementedError("normalise x; resize the label map, take gamma and beta from it, and scale and shift with them")
