"""A lecture's layer norm: the gain is called alpha, eps joins the deviation, the default eps is 1e-6."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-6, elementwise_affine=True, bias=True):
        super().__init__()
        shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self.axes = [-1 - i for i in range(len(shape))]
        self.eps = eps
        self.alpha = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.beta = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        mu = torch.mean(h, dim=self.axes, keepdim=True)
        sigma = torch.std(h, dim=self.axes, keepdim=True, unbiased=False)
        normed = (h - mu) / (sigma + self.eps)
        if self.alpha is not None:
            normed = self.alpha * normed
        if self.beta is not None:
            normed = normed + self.beta
        return normed.to(x.dtype)
