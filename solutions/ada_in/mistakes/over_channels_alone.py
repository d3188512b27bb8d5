"""A mean and a deviation per position, over the channels; those of the style are averaged over its positions, as sizes may differ."""

import torch
from torch import Tensor


def adaptive_instance_norm(content: Tensor, style: Tensor, eps: float = 1e-5) -> Tensor:
    for x in (content, style):
        if x.dim() != 4:
            raise ValueError(f"content and style should be (N, C, H, W), but one has the shape {tuple(x.shape)}")
    wide = torch.promote_types(content.dtype, torch.float32)
    var, mean = torch.var_mean(content.to(wide), dim=1, keepdim=True, correction=0)
    style_var, style_mean = torch.var_mean(style.to(wide), dim=1, keepdim=True, correction=0)
    scale = torch.sqrt(style_var + eps).mean(dim=(2, 3), keepdim=True)
    y = (content.to(wide) - mean) / torch.sqrt(var + eps) * scale + style_mean.mean(dim=(2, 3), keepdim=True)
    return y.to(content.dtype)
