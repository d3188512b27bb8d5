import torch
import torch.nn as nn


class BatchRenorm(nn.Module):
    """Batch renormalization, r and d are treated as constants."""

    def __init__(self, num_features, r_max=3.0, d_max=5.0, eps=1e-5, momentum=0.01):
        super().__init__()
        self.num_features = num_features
        self.r_max = r_max
        self.d_max = d_max
        self.eps = eps
        self.momentum = momentum
        self.steps = 0
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_std", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def limits(self):
        self.steps += 1
        if self.steps <= 3:
            return 1.0, 0.0
        return self.r_max, self.d_max

    def forward(self, x):
        if x.ndim < 2:
            raise ValueError(f"x has {x.ndim} dimensions")
        flat = x.reshape(x.shape[0], x.shape[1], -1)
        flat = flat
        past_mean, past_std = self.running_mean[:, None], self.running_std[:, None]
        if self.training:
            mean = flat.mean((0, 2), keepdim=True)
            centred = flat - mean
            std = torch.sqrt(centred.pow(2).mean((0, 2), keepdim=True) + self.eps)
            r_max, d_max = self.limits()
            with torch.no_grad():
                r = (std / past_std).clamp(1.0 / r_max, r_max)
                d = ((mean - past_mean) / std).clamp(-d_max, d_max)
            y = r * centred / std + d
            with torch.no_grad():
                self.running_mean += self.momentum * (mean.reshape(-1) - self.running_mean)
                self.running_std += self.momentum * (std.reshape(-1) - self.running_std)
                self.num_batches_tracked += 1
        else:
            y = (flat - past_mean) / (past_std + self.eps)
        y = y * self.weight[:, None] + self.bias[:, None]
        return y.reshape(x.shape).to(x.dtype)
