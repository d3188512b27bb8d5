import torch

# same interface idea as sklearn: fit() gets the numbers, transform() uses them


@torch.no_grad()
def fit(X):
    data_min = X.min(dim=0).values
    data_max = X.max(dim=0).values
    data_range = data_max - data_min
    # constant columns: scale 1 so we never divide by zero
    is_const = data_range < 10 * torch.finfo(X.dtype).eps
    data_range = torch.where(is_const, torch.ones_like(data_range), data_range)
    return data_min, data_range


def transform(X, data_min, data_range):
    scale = 1.0 / data_range
    offset = -data_min * scale
    return X * scale + offset


def min_max(x):
    assert x.ndim == 2, f"Expected 2D array, got {x.ndim}D"
    X = x
    data_min, data_range = fit(X)
    return transform(X, data_min, data_range).to(x.dtype)
