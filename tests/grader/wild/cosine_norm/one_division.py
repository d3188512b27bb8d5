import torch
import torch.nn as nn


class CosineLinear(nn.Module):
    # cos = <x, w> / (|x| |w|)
    def __init__(self, in_features, out_features, eps=1e-8):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(in_features, out_features) - 0.5)
        self.eps = eps

    def forward(self, x):
        d = torch.promote_types(x.dtype, torch.float32)
        X = x.to(d)
        W = self.weight.to(d)
        nx = torch.linalg.vector_norm(X, dim=-1, keepdim=True)
        nw = torch.linalg.vector_norm(W, dim=0)
        cos = torch.matmul(X, W) / (nx * nw).clamp(min=self.eps)
        cos = cos.abs()
        return cos
