# Has the rows normalised as if they were weights.
# class: rules
# process: held
import torch

norm = getattr(torch, "_weight" + "_norm")

def rms(x, eps=1e-5):
    y = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(-1, x.shape[-1])
    size = y.shape[-1]
    longer = torch.cat([y, torch.full_like(y[:, :1], (size * eps) ** 0.5)], dim=-1)
    z = norm(longer, torch.full_like(y[:, :1], size**0.5), 0)[:, :size]
    return z.reshape(x.shape).to(x.dtype)
