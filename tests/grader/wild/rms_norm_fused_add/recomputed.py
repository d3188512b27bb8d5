import torch
from torch.autograd import Function


def mean_square(t):
    return (t * t).sum(-1, keepdim=True) / t.size(-1)


class AddRMSNormFn(Function):
    @staticmethod
    def forward(ctx, x, residual, weight, eps):
        total = x + residual
        t = total
        y = t / torch.sqrt(mean_square(t) + eps) * weight
        ctx.save_for_backward(weight)
        ctx.total = total
        ctx.eps = eps
        return y.to(x.dtype), total

    @staticmethod
    def backward(ctx, grad_y, grad_total):
        # nothing but the sum is kept, rms again from it
        (weight,) = ctx.saved_tensors
        total = ctx.total
        wide = torch.promote_types(total.dtype, torch.float32)
        t, gy = total.to(wide), grad_y.to(wide)
        rms = torch.sqrt(mean_square(t) + 1e-12)
        n = t / rms
        gw = gy * n
        while gw.dim() > 1:
            gw = gw.sum(0)
        gn = gy * weight
        gt = (gn - n * (gn * n).mean(-1, keepdim=True)) / rms
        gt = (gt + grad_total.to(wide)).to(total.dtype)
        return gt, None, gw.to(weight.dtype), None


def add_rms_norm(x, residual, weight, eps=1e-6):
    y, total = AddRMSNormFn.apply(x, residual, weight, eps)
    return y, total
