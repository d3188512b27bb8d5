"""Every channel of every sample becomes one row of a matrix; the matrix of the style may have longer or shorter rows.

zh: 每个样本的每个通道变成矩阵的一行；风格的矩阵，行可以更长或更短。
"""

import torch
from torch import Tensor


def rows_of(x: Tensor) -> Tensor:
    if x.dim() != 4:
        raise ValueError(f"(N, C, H, W) is needed, not {tuple(x.shape)}")
    return x.to(torch.promote_types(x.dtype, torch.float32)).reshape(x.shape[0] * x.shape[1], -1)


def centred(rows: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    mean = rows.sum(1, keepdim=True) / rows.shape[1]
    rest = rows - mean
    return rest, mean, (torch.einsum("rp,rp->r", rest, rest) / rows.shape[1] + eps).sqrt()[:, None]


def adaptive_instance_norm(content: Tensor, style: Tensor, eps: float = 1e-5) -> Tensor:
    rest, _, spread = centred(rows_of(content), eps)
    _, style_mean, style_spread = centred(rows_of(style), eps)
    return (style_mean + style_spread * (rest / spread)).reshape(content.shape).type_as(content)
