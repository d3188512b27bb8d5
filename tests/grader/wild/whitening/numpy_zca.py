import torch


def zca_matrix(X, eps):
    """Sigma = U L U'   ->   U (L + eps)^-1/2 U'"""
    sigma = torch.mm(X.t(), X) / X.shape[0]
    sigma = sigma + eps * torch.eye(X.shape[1], dtype=X.dtype, device=X.device)
    lam, U = torch.linalg.eigh(sigma)
    return U @ torch.diag((lam + eps) ** -0.5) @ U.t()


def whiten(x, eps=0.1):
    x2 = x if x.dim() == 2 else x.reshape(x.shape[0], -1)
    X = x2.to(torch.promote_types(x.dtype, torch.float32))
    X = X - X.mean(dim=0, keepdim=True)
    Z = X @ zca_matrix(X.detach(), eps)
    return Z.to(x.dtype).reshape(x.shape)
