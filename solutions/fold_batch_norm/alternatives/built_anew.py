"""A new convolution is built with the arguments of the old one; the axis of the output channels is moved to the front and back.

zh: 用原卷积的参数新建一个卷积；输出通道所在的轴先移到最前，再移回去。
"""

import torch


def fold(conv, bn):
    if bn.training:
        raise ValueError("bn must be in evaluation mode")
    if bn.running_var is None:
        raise ValueError("bn has no running statistics")
    if len(bn.running_var) != conv.out_channels:
        raise ValueError("bn and conv have different numbers of channels")
    options = {name: getattr(conv, name) for name in ("kernel_size", "stride", "padding", "dilation", "groups", "padding_mode")}
    if conv.transposed:
        options["output_padding"] = conv.output_padding
    new = type(conv)(conv.in_channels, conv.out_channels, bias=True, dtype=conv.weight.dtype, **options)
    with torch.no_grad():
        wide = torch.promote_types(conv.weight.dtype, torch.float32)
        std = (bn.running_var.to(wide) + bn.eps).sqrt()
        gamma = torch.ones_like(std) if bn.weight is None else bn.weight.to(wide)
        beta = torch.zeros_like(std) if bn.bias is None else bn.bias.to(wide)
        old = torch.zeros_like(std) if conv.bias is None else conv.bias.to(wide)
        weight = conv.weight.to(wide)
        if conv.transposed:  # (in, out / groups, …) → (out, in / groups, …) and back
            parts = [part.transpose(0, 1) for part in weight.chunk(conv.groups)]
            rows = torch.cat(parts) * (gamma / std).view(-1, *[1] * (weight.dim() - 1))
            weight = torch.cat([part.transpose(0, 1) for part in rows.chunk(conv.groups)])
        else:
            weight = (weight.transpose(0, -1) * (gamma / std)).transpose(0, -1)
        new.weight.copy_(weight)
        new.bias.copy_((old - bn.running_mean.to(wide)) * gamma / std + beta)
    return new.train(conv.training)
