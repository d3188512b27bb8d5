import torch
import torch.nn as nn


class CosineLinear(nn.Module):
    """the last layer of a metric learning head"""

    def __init__(self, in_features, out_features, eps=1e-12):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        nn.init.xavier_uniform_(self.weight)
        self.sigma = nn.Parameter(torch.tensor(16.0))

    def l2(self, t):
        return t / t.norm(p=2, dim=-1, keepdim=True).clamp_min(self.eps)

    def forward(self, x):
        wide = x.dtype
        w = self.weight.to(wide)
        with torch.no_grad():
            self.weight.copy_(self.l2(self.weight))
        cos = self.l2(x.to(wide)) @ self.l2(w).t()
        return (self.sigma * cos).to(x.dtype)
