"""An autograd function with the backward pass by hand, for both inputs.

zh: autograd 函数，两个输入的反向都由手工推导。
"""

from typing import Any

import torch
from torch import Tensor

POSITIONS = (2, 3)


def whitened(x: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    mean = x.mean(POSITIONS, keepdim=True)
    std = ((x - mean).pow(2).mean(POSITIONS, keepdim=True) + eps).sqrt()
    return (x - mean) / std, mean, std


class AdaIN(torch.autograd.Function):
    """With ĉ and ŝ normalised: dc = σ(s)/σ(c) · (dy − mean(dy) − ĉ · mean(dy · ĉ)); ds = (Σ dy + ŝ · Σ dy · ĉ) / n, n positions of s."""

    @staticmethod
    def forward(ctx: Any, content: Tensor, style: Tensor, eps: float) -> Tensor:
        c, _, content_std = whitened(content, eps)
        s, style_mean, style_std = whitened(style, eps)
        ctx.save_for_backward(c, s, content_std, style_std)
        return c * style_std + style_mean

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None]:
        c, s, content_std, style_std = ctx.saved_tensors
        dy = grads[0]
        along = dy * c
        centred = dy - dy.mean(POSITIONS, keepdim=True) - c * along.mean(POSITIONS, keepdim=True)
        n = s.shape[2] * s.shape[3]
        to_style = (dy.sum(POSITIONS, keepdim=True) + s * along.sum(POSITIONS, keepdim=True)) / n
        return centred * style_std / content_std, to_style, None


def adaptive_instance_norm(content: Tensor, style: Tensor, eps: float = 1e-5) -> Tensor:
    if content.dim() != 4 or style.dim() != 4:
        raise ValueError("both inputs are (N, C, H, W)")
    wide = torch.promote_types(content.dtype, torch.float32)
    y: Tensor = AdaIN.apply(content.to(wide), style.to(wide), eps)  # type: ignore[no-untyped-call]
    return y.to(content.dtype)
