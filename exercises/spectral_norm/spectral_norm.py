"""Spectral normalisation, by hand. `normgrade show spectral_norm` tells the task, `normgrade check spectral_norm` grades this file."""

from torch import Tensor, nn


class SpectralNorm(nn.Module):
    """A parametrisation that divides a weight by its largest singular value σ, estimated by power iteration."""

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        """The weight is looked at for its shape; as a matrix it is (out, rest). Buffers: `u` (out,) and `v` (rest,), unit vectors."""
        super().__init__()
        # A ValueError where n_power_iterations is below 1.
        raise NotImplementedError("check and keep the arguments, and register the buffers u and v")

    def forward(self, weight: Tensor) -> Tensor:
        """(out, …) → the same shape: weight / σ."""
        raise NotImplementedError("in training, iterate u and v; then divide the weight by σ = uᵀ W v")
