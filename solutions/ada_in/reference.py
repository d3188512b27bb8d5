"""Adaptive instance normalisation (Huang and Belongie 2017)."""

import torch
from torch import Tensor


def statistics(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of every channel of every sample: two tensors (N, C, 1, 1)."""
    var, mean = torch.var_mean(x, dim=(2, 3), keepdim=True, correction=0)
    return mean, torch.sqrt(var + eps)


def adaptive_instance_norm(content: Tensor, style: Tensor, eps: float = 1e-5) -> Tensor:
    """y = σ(s) · (c − μ(c)) / σ(c) + μ(s), where each channel of each sample has a μ and a σ of its own."""
    for x in (content, style):
        if x.dim() != 4:
            raise ValueError(f"content and style should be (N, C, H, W), but one has the shape {tuple(x.shape)}")
    dtype = torch.promote_types(content.dtype, torch.float32)
    wide = content.to(dtype)
    content_mean, content_std = statistics(wide, eps)
    style_mean, style_std = statistics(style.to(dtype), eps)  # (N, C, 1, 1) fits the content, whatever the size of the style
    y = style_std * (wide - content_mean) / content_std + style_mean
    return y.to(content.dtype)
