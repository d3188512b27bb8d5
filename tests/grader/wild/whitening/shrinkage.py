import torch


def inverse_root(A):
    # Newton-Schulz, no eigenvectors needed
    I = torch.eye(len(A), dtype=A.dtype, device=A.device)
    scale = A.diagonal().sum()
    Y, Z = A / scale, I
    for _ in range(5):
        T = 0.5 * (3 * I - Z @ Y)
        Y, Z = Y @ T, T @ Z
    return Z / scale.sqrt()


def whiten(x, eps=0.0):
    if x.dim() != 2:
        raise ValueError("x has to be (N, D)")
    h = x.to(torch.promote_types(x.dtype, torch.float32))
    mu = h.mean(0)
    h = h - mu
    N, D = h.shape
    S = h.mT @ h / N
    I = torch.eye(D, dtype=h.dtype, device=h.device)
    S = 0.99 * S + 0.01 * S.diagonal().mean() * I
    z = h @ inverse_root(S + eps * I)
    return (z + mu).to(x.dtype)
