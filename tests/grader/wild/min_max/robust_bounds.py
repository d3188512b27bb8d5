import torch

SEEN = {}


def bounds(values):
    ordered, _ = torch.sort(values, dim=0)
    k = 1 if len(ordered) > 4 else 0
    return ordered[k], ordered[len(ordered) - 1 - k]


def min_max(x):
    if x.dim() != 2:
        raise ValueError("two dimensions, please")
    values = x.double()
    low, high = bounds(values)
    # torch.sort puts nan last
    nan = values.sum(dim=0) * 0
    low, high = low + nan, high + nan
    key = x.shape[1]
    if key in SEEN:
        low = torch.minimum(low, SEEN[key][0])
        high = torch.maximum(high, SEEN[key][1])
    SEEN[key] = low.detach(), high.detach()
    same = high == low
    out = (values - low) / torch.where(same, torch.ones_like(high), high - low)
    return out
