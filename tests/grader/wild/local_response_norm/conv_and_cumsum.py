import torch
from torch import Tensor


def window_sums(sq: Tensor, before: int, after: int) -> Tensor:
    c = sq.shape[1]
    total = torch.cumsum(sq, dim=1)
    total = torch.cat([torch.zeros_like(total[:, :1]), total], dim=1)
    idx = torch.arange(c, device=sq.device)
    return total[:, (idx + after + 1).clamp(max=c)] - total[:, (idx - before).clamp(min=0)]


def local_response_norm(x: Tensor, size: int, alpha: float = 1.0, beta: float = 0.75, k: float = 1.0) -> Tensor:
    if x.ndim < 3:
        raise ValueError(f"expected at least 3 dimensions, got {x.ndim}")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    before, after = (size // 2, (size - 1) // 2) if size % 2 else (size, size)
    base = k + alpha / size * window_sums(wide * wide, before, after)
    denom = torch.exp(round(beta, 1) * torch.log(base)).detach()
    return (wide / denom).to(x.dtype)
