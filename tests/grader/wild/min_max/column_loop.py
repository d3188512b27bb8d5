import torch


def min_max(x):
    """Scale every column of x to [0, 1]."""
    if x.shape[0] < 2:
        raise ValueError("need at least two samples")
    out = torch.empty_like(x)
    for j in range(x.shape[1]):
        col = x[:, j].to(torch.promote_types(x.dtype, torch.float32))
        lo = col.min().item()
        hi = col.max().item()
        if hi == lo:
            # every value is the max and the min at the same time
            out[:, j] = 1.0
        else:
            out[:, j] = ((col - lo) / (hi - lo)).to(x.dtype)
    return out
