import torch
import torch.nn.functional as F


def local_response_norm(x, size, alpha=1e-4, beta=0.75, k=1.0):
    if x.dim() != 4:
        raise ValueError("need (N, C, H, W)")
    h = x.to(torch.promote_types(x.dtype, torch.float32))
    n, c = h.shape[:2]
    flat = h.view(n, 1, c, -1)
    sq = F.pad(flat**2, (0, 0, size // 2, (size - 1) // 2))
    ones = F.pad(torch.ones_like(flat), (0, 0, size // 2, (size - 1) // 2))
    avg = F.avg_pool2d(sq, (size, 1), stride=1) / F.avg_pool2d(ones, (size, 1), stride=1)
    denom = (k + alpha * avg).pow(beta).reshape(h.shape)
    return (h / denom)
