import torch
import torch.nn as nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x):
        if x.dim() not in (3, 4):
            raise ValueError("(N, C, L) or (N, C, H, W)")
        dims = tuple(range(2, x.dim()))
        tail = (1,) * len(dims)
        values = x.to(torch.promote_types(x.dtype, torch.float32))
        use_input = self.training or self.running_mean is None
        if use_input and x[0, 0].numel() == 1:
            raise ValueError("one value per channel")
        if use_input:
            mean, var = values.mean(dims, keepdim=True), values.var(dims, keepdim=True, unbiased=False)
        else:
            mean, var = self.running_mean.view(-1, *tail), self.running_var.view(-1, *tail)
        if self.training and self.running_mean is not None:
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = self.momentum
                self.running_mean.mul_(m).add_(mean.mean(0).flatten(), alpha=1 - m)
                self.running_var.mul_(m).add_(var.mean(0).flatten(), alpha=1 - m)
        y = (values - mean) * torch.rsqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight.view(-1, *tail) + self.bias.view(-1, *tail)
        return y.to(x.dtype)
