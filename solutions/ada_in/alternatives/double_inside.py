"""Everything in float64, channels in the last dimension.

zh: 一切都在 float64 中计算，通道放在最后一维。
"""

from torch import Tensor


def adaptive_instance_norm(content: Tensor, style: Tensor, eps: float = 1e-5) -> Tensor:
    if not content.dim() == style.dim() == 4:
        raise ValueError(f"expected four dimensions, got {content.dim()} and {style.dim()}")
    c = content.double().flatten(2).transpose(1, 2)  # (N, positions, C)
    s = style.double().flatten(2).transpose(1, 2)
    y = (c - c.mean(1, True)) / (c.var(1, correction=0, keepdim=True) + eps) ** 0.5
    y = y * (s.var(1, correction=0, keepdim=True) + eps) ** 0.5 + s.mean(1, True)
    return y.transpose(1, 2).reshape(content.shape).to(content.dtype)
