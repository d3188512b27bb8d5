import torch
from torch import nn

# FRN + TLU


class FilterResponseNorm(nn.Module):
    def __init__(self, num_features, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.threshold = nn.Parameter(torch.full((num_features,), -1.0))

    def forward(self, x):
        if x.dim() != 4:
            raise ValueError("4D input expected")
        h = x
        nu2 = torch.mean(h**2, dim=(1, 2), keepdim=True)
        h = h * torch.rsqrt(nu2 + self.eps)
        shape = (1, 1, 1, -1)
        y = self.weight.view(shape) * h + self.bias.view(shape)
        tau = self.threshold.abs().view(shape)
        return torch.max(y, tau).to(x.dtype)
