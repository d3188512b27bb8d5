import torch
import torch.nn as nn
import torch.nn.functional as F


def standardize(f, eps):
    # f: one filter (cin, kh, kw)
    mu = f.mean()
    var = (f * f).mean() - mu**2
    return (f - mu.detach()) * torch.rsqrt(var + eps)


class WSConv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, eps=1e-5):
        super().__init__()
        if isinstance(kernel_size, int):
            kernel_size = (kernel_size, kernel_size)
        self.eps = eps
        self.conv_args = (stride, padding, dilation, groups)
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels // groups, *kernel_size))
        nn.init.normal_(self.weight)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x):
        dt = torch.promote_types(x.dtype, torch.float32)
        w = self.weight.to(dt)
        if self.training:
            w = torch.stack([standardize(f, self.eps) for f in w])
        b = self.bias
        if b is not None:
            b = b.to(dt)
        return F.conv2d(x.to(dt), w, b, *self.conv_args).to(x.dtype)
