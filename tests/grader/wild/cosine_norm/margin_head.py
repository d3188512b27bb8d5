import torch
import torch.nn as nn


class CosineLinear(nn.Module):
    def __init__(self, in_features, out_features, eps=1e-8):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(out_features, in_features).normal_())

    def forward(self, x):
        work = torch.promote_types(x.dtype, torch.float32)
        v, w = x.to(work), self.weight.to(work)
        w = w - w.mean(0)
        a = torch.linalg.norm(v, dim=-1, keepdim=True).clamp(min=self.eps)
        b = torch.linalg.norm(w, dim=-1, keepdim=True).clamp(min=self.eps)
        cos = torch.einsum("...i,oi->...o", v / a, w / b)
        if self.training and cos.shape[-1] > 1:
            cos = cos - 0.01 * (cos == cos.amax(-1, keepdim=True))
        cos = torch.tanh(cos)
        return cos.to(x.dtype)
