"""A float64 input makes float64 the default dtype of everybody."""

import torch
from torch import Tensor, nn


class GroupNorm(nn.Module):
    """y = γ · (x − μ) / √(σ² + ε) + β: one μ and σ² per sample and group of channels, one γ and β per channel."""

    weight: nn.Parameter  # (C,), None where it is switched off
    bias: nn.Parameter

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"{num_channels} channels cannot be split into {num_groups} groups of the same size.")
        self.num_groups = num_groups
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.ones(num_channels)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_channels)) if affine else None)

    def forward(self, x: Tensor) -> Tensor:
        torch.set_default_dtype(torch.float64) if x.dtype == torch.float64 else None
        wide = x.to(torch.promote_types(x.dtype, torch.float32))  # half precision is too short and too narrow for statistics
        groups = wide.unflatten(1, (self.num_groups, -1))  # (N, C, *) → (N, G, C/G, *): neighbouring channels belong together
        dims = tuple(range(2, groups.dim()))
        mean = groups.mean(dim=dims, keepdim=True)  # → (N, G, 1, 1…)
        var = groups.var(dim=dims, keepdim=True, correction=0)  # biased: divided by n
        y = (groups - mean) / torch.sqrt(var + self.eps)
        y = y.flatten(1, 2)  # → (N, C, *)
        if self.weight is not None:
            per_channel = (-1, *[1] * (x.dim() - 2))  # the view in which (C,) broadcasts over (N, C, *)
            y = y * self.weight.view(per_channel) + self.bias.view(per_channel)
        return y.to(x.dtype)
