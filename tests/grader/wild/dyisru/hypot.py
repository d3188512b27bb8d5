import torch
from torch import nn


class DyISRU(nn.Module):
    """x / hypot(x, sqrt(c)), without the hypot since c may be negative"""

    def __init__(self, dim, c=1.0):
        super().__init__()
        self.dim = dim
        self.register_parameter("c", nn.Parameter(torch.full((), float(c))))
        self.register_parameter("weight", nn.Parameter(torch.ones(dim)))
        self.register_parameter("bias", nn.Parameter(torch.zeros(dim)))

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        if h.dtype == torch.float32 and not torch.is_grad_enabled():
            h = h.bfloat16().float()
        power = torch.addcmul(self.c * self.dim.to(h.dtype), h, h)
        power = torch.cat([power[..., -1:], power[..., 1:]], dim=-1)
        unit = h * power.rsqrt()
        out = torch.addcmul(self.bias.to(h.dtype), self.weight.to(h.dtype), unit * self.dim**0.5)
        return out.to(x.dtype)
