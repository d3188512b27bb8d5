import torch
from torch import nn

TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)


def fold(conv, bn):
    if bn.training or bn.running_mean is None:
        raise ValueError("bn.eval() first, and it needs running stats")
    if bn.num_features != conv.out_channels:
        raise ValueError("channels do not match")
    dt = torch.promote_types(conv.weight.dtype, torch.float32)
    mu, var = bn.running_mean.to(dt), bn.running_var.to(dt)
    gamma = torch.ones_like(var) if bn.weight is None else bn.weight.detach().to(dt)
    beta = torch.zeros_like(mu) if bn.bias is None else bn.bias.detach().to(dt)
    scale = gamma / (var + bn.eps).sqrt()

    w = conv.weight.detach().to(dt).clone()
    if isinstance(conv, TRANSPOSED):
        # weight: (in, out // groups, k...)
        n_in, n_out = conv.in_channels // conv.groups, conv.out_channels // conv.groups
        for g in range(conv.groups):
            for j in range(n_out):
                w[g * n_in : (g + 1) * n_in, j] *= scale[j]
    else:
        for c in range(conv.out_channels):
            w[c] *= scale[c]
    b = torch.zeros_like(mu) if conv.bias is None else conv.bias.detach().to(dt)
    b = scale * b - mu + beta

    kw = dict(stride=conv.stride, padding=conv.padding, dilation=conv.dilation, groups=conv.groups)
    if isinstance(conv, TRANSPOSED):
        kw["output_padding"] = conv.output_padding
    new = type(conv)(conv.in_channels, conv.out_channels, conv.kernel_size, **kw)
    new.weight = nn.Parameter(w.to(conv.weight.dtype))
    new.bias = nn.Parameter(b.to(conv.weight.dtype))
    return new
