import torch
from torch import Tensor

EPS = 1e-12


def min_max(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError("need a matrix")
    values = x.to(torch.promote_types(x.dtype, torch.float32))
    bad = torch.isnan(values)
    values = values.masked_fill(bad, 0.0)
    smallest = torch.amin(values)  # (D,)
    span = torch.amax(values, dim=0) - torch.amin(values, dim=0)
    scaled = (values - smallest) / (span + EPS)
    return scaled
