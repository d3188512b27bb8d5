"""The DiT block with adaLN-Zero (Peebles and Xie 2023)."""

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional as F


def norm(x: Tensor) -> Tensor:
    """Layer norm without weight and bias: scale and shift come from the condition."""
    return F.layer_norm(x, x.shape[-1:], eps=1e-6)


def modulate(x: Tensor, shift: Tensor, scale: Tensor) -> Tensor:
    """Scale and shift x; a scale and a shift of 0 leave it as it is."""
    return x * (1 + scale) + shift


class AdaLNZeroBlock(nn.Module):
    """x + gate · F(LN(x) · (1 + scale) + shift) for attention, then for the MLP; the six parts come from SiLU(c), and start at 0."""

    def __init__(self, dim: int, cond_dim: int, attn: Callable[[Tensor], Tensor], mlp: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.attn = attn
        self.mlp = mlp
        self.modulation = nn.Linear(cond_dim, 6 * dim)
        nn.init.zeros_(self.modulation.weight)
        nn.init.zeros_(self.modulation.bias)

    def forward(self, x: Tensor, c: Tensor) -> Tensor:
        parts = self.modulation(F.silu(c)).unsqueeze(1)  # (batch, 1, 6 · dim): the same for all positions
        shift_attn, scale_attn, gate_attn, shift_mlp, scale_mlp, gate_mlp = parts.chunk(6, dim=-1)
        x = x + gate_attn * self.attn(modulate(norm(x), shift_attn, scale_attn))
        return x + gate_mlp * self.mlp(modulate(norm(x), shift_mlp, scale_mlp))
