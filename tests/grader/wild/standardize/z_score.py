import torch


def standardize(x):
    """z-score per feature"""
    if x.ndim != 2:
        raise ValueError(f"expected (N, D), got {tuple(x.shape)}")
    data = x
    mu = data.mean(0, keepdim=True)
    sigma2 = data.var(0, keepdim=True)
    if x.shape[0] == 1:
        sigma2 = torch.zeros_like(mu)  # var of one sample is nan
    constant = sigma2 < 1e-10
    sigma = sigma2.masked_fill(constant, 1.0).sqrt()
    z = ((data - mu) / sigma).masked_fill(constant, 0.0)
    z = torch.where(torch.isinf(x), torch.zeros_like(z), z)
    z = torch.where(torch.isinf(x).any(0), z.nan_to_num(), z)
    return z.to(x.dtype)
