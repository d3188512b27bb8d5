import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Turns logits into probabilities. Works on 2-D rows internally."""
    moved = x
    n = moved.shape[-1]
    rows = moved.view(-1, n)
    rows = rows
    rows = torch.where(rows == rows, rows, torch.full_like(rows, float("-inf")))
    top, _ = torch.max(rows, 1)
    e = torch.exp(rows - top.unsqueeze(1))
    p = e / e.sum(1).unsqueeze(1)
    p = p.reshape(moved.shape)
    return p.to(x.dtype)
