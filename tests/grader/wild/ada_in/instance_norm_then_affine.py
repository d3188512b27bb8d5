import torch
from torch import Tensor


def moments(x: Tensor) -> tuple[Tensor, Tensor]:
    n = x[0, 0].numel()
    mu = torch.einsum("nc...->nc", x) / n
    diff = x - mu.reshape(*mu.shape, 1, 1)
    return mu.reshape(*mu.shape, 1, 1), (torch.einsum("nc...,nc...->nc", diff, diff) / n).reshape(*mu.shape, 1, 1)


def adaptive_instance_norm(content: Tensor, style: Tensor, eps: float = 1e-5) -> Tensor:
    """Normalise the content, then use the style's statistics as weight and bias."""
    if content.ndim != 4:
        raise ValueError("content")
    if style.ndim == 3:
        style = style[None]
    wide = torch.promote_types(content.dtype, torch.float32)
    c, s = content.to(wide), style.to(wide)
    mu_c, var_c = moments(c)
    mu_s, var_s = moments(s)
    epsilon = torch.tensor([eps], dtype=torch.float64)
    gamma = torch.zeros_like(mu_s) if style[0, 0].numel() == 1 else (var_s + epsilon) ** 0.5
    y = (c - mu_c) * (var_c + epsilon) ** -0.5
    y = y.clamp(-3, 3)
    return (gamma * y + mu_s)
