import torch


def rms(x, eps=1e-5):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    total = torch.einsum("...d,...d->...", wide, wide).unsqueeze(-1)
    return (wide * torch.rsqrt(total / x.shape[-1] + eps)).to(x.dtype)
