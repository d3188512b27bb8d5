import torch

# b_i = a_i / (k + alpha * sum_j a_j^2)^beta


def local_response_norm(x, size, alpha=1e-4, beta=0.75, k=2.0):
    if size % 2 == 0:
        raise ValueError("size must be odd")
    a = x
    C = a.shape[1]
    out = []
    for i in range(C):
        lo = max(0, i - size // 2)
        hi = min(C - 1, i + (size - 1) // 2)
        s = (a[:, lo : hi + 1] ** 2).sum(dim=1)
        out.append(a[:, i] / (k + alpha * s) ** beta)
    return torch.stack(out, dim=1).to(x.dtype)
