"""The inverse root with a backward pass by hand, which needs no differences of eigenvalues in a denominator.

zh: 逆平方根的反向传播由手写给出，分母中没有特征值之差。
"""

import torch
from torch import Tensor


class InverseRoot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, matrix, eps):
        values, vectors = torch.linalg.eigh(matrix)
        root = torch.sqrt(values + eps)
        ctx.save_for_backward(root, vectors)
        return vectors @ torch.diag(1 / root) @ vectors.T

    @staticmethod
    def backward(ctx, gradient):
        root, vectors = ctx.saved_tensors
        product = root.unsqueeze(0) * root.unsqueeze(1)
        slopes = -1 / (product * (root.unsqueeze(0) + root.unsqueeze(1)))  # (f(a) − f(b)) / (a − b)
        turned = vectors.T @ (gradient + gradient.T) / 2 @ vectors
        return vectors @ (slopes * turned) @ vectors.T, None


def whiten(x: Tensor, eps: float = 0.0) -> Tensor:
    if x.dim() != 2:
        raise ValueError("x: (N, D)")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = wide - wide.mean(0)
    return (centred @ InverseRoot.apply(centred.T @ centred / len(wide), eps)).to(x.dtype)
