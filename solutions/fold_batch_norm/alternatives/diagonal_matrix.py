"""A diagonal matrix of factors times the weight, as the detectors of the YOLO family do it; a new layer, whose numbers are copied in.

zh: 用因子构成的对角矩阵乘以权重，与 YOLO 系列检测器的写法相同；新建一层，再把数复制进去。
"""

import torch


def fold(conv, bn):
    if bn.training:
        raise ValueError("the batch norm is in training")
    if bn.running_var is None or bn.num_features != conv.out_channels:
        raise ValueError("no running statistics, or other channels")
    kept = ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "padding_mode")
    arguments = {name: getattr(conv, name) for name in (*kept, "output_padding") if name in kept or conv.transposed}
    folded = type(conv)(**arguments, bias=True, dtype=conv.weight.dtype).train(conv.training)
    wide = torch.promote_types(conv.weight.dtype, torch.float32)
    with torch.no_grad():
        gamma = torch.ones_like(bn.running_var) if bn.weight is None else bn.weight
        beta = torch.zeros_like(bn.running_mean) if bn.bias is None else bn.bias
        bias = torch.zeros_like(bn.running_mean) if conv.bias is None else conv.bias
        factors = gamma.to(wide).div(torch.sqrt(bn.running_var.to(wide) + bn.eps))
        diagonals = [torch.diag(each) for each in factors.chunk(conv.groups)]
        parts = conv.weight.to(wide).chunk(conv.groups)
        if conv.transposed:
            scaled = [torch.einsum("oc,ic...->io...", one, part) for one, part in zip(diagonals, parts, strict=True)]
        else:
            scaled = [torch.mm(one, part.flatten(1)).view(part.shape) for one, part in zip(diagonals, parts, strict=True)]
        folded.weight.copy_(torch.cat(scaled))
        folded.bias.copy_(factors * (bias.to(wide) - bn.running_mean.to(wide)) + beta.to(wide))
    return folded
