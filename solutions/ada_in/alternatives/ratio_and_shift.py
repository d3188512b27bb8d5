"""One factor and one shift per channel: σ(s)/σ(c) is a single root, and the content's mean is subtracted before it is scaled.

zh: 每个通道一个系数和一个平移量：σ(s)/σ(c) 只开一次根号；先减去内容的均值，再缩放。
"""

import torch
from torch import Tensor


def adaptive_instance_norm(content: Tensor, style: Tensor, eps: float = 1e-5) -> Tensor:
    if (content.ndim, style.ndim) != (4, 4):
        raise ValueError("content and style must have four dimensions")
    dtype = torch.float64 if content.dtype == torch.float64 else torch.float32
    content_var, content_mean = torch.var_mean(content.to(dtype), (2, 3), unbiased=False, keepdim=True)
    style_var, style_mean = torch.var_mean(style.to(dtype), (2, 3), unbiased=False, keepdim=True)
    factor = ((style_var + eps) / (content_var + eps)).sqrt()
    return torch.addcmul(style_mean, content.to(dtype) - content_mean, factor).to(content.dtype)
