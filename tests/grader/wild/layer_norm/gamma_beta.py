import torch
from torch import nn


class LayerNorm(nn.Module):
    """gamma and beta as in the paper."""

    def __init__(self, normalized_shape, eps=1e-12, elementwise_affine=True, bias=True):
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        if elementwise_affine:
            self.weight = nn.Parameter(torch.ones(self.normalized_shape))
            self.bias = nn.Parameter(torch.zeros(self.normalized_shape))
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)

    def forward(self, input):
        dims = [-(i + 1) for i in range(len(self.normalized_shape))]
        x = input.to(torch.promote_types(input.dtype, torch.float32))
        mu = x.mean(dim=dims, keepdim=True)
        sigma = x.std(dim=dims, keepdim=True)
        out = (x - mu) / torch.sqrt(sigma**2 + self.eps)
        if self.weight is not None:
            out = self.weight * out + self.bias
        return out.type_as(input)
