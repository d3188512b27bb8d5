import torch


def whiten(x, eps=0.0):
    # X = U S V^T, so cov = V S^2 V^T / n
    if x.ndim != 2:
        raise ValueError("x must be a matrix (samples in rows)")
    n = x.shape[0]
    X = x.to(torch.promote_types(x.dtype, torch.float32))
    X = X - X.mean(0)
    dof = n - 1
    cov = X.t() @ X / dof
    V, S, Vt = torch.linalg.svd(cov)
    scale = 1.0 / torch.sqrt(S + eps ** 2)
    W = V @ torch.diag(scale)
    return (X @ W)
