import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-6, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def use_batch(self):
        if self.running_mean is None:
            return True
        if self.weight is not None and not self.weight.requires_grad:
            return False
        return self.training

    def normalise(self, h, dims):
        mean = h.mean(dims, keepdim=True)
        var = h.var(dims, keepdim=True, unbiased=False)
        return (h - mean) / torch.sqrt(var + self.eps)

    def forward(self, x):
        if x.dim() not in {2, 3, 4}:
            raise ValueError("expected (N, C), (N, C, L) or (N, C, H, W)")
        if self.training and x.numel() == x.shape[1]:
            raise ValueError("one value per channel cannot be normalised")
        dims = [0, *range(2, x.dim())]
        view = [1, -1] + [1] * (x.dim() - 2)
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.use_batch():
            if len(h) > 4:
                half = len(h) // 2
                y = torch.cat([self.normalise(h[:half], dims), self.normalise(h[half:], dims)])
            else:
                y = self.normalise(h, dims)
            if self.training and self.running_mean is not None:
                with torch.no_grad():
                    self.num_batches_tracked.add_(1)
                    m = 1 / self.num_batches_tracked if self.momentum is None else self.momentum
                    rows = h.flatten(2).mean(2).T if x.dim() > 2 and len(h) > 1 else h.transpose(0, 1).flatten(1)
                    self.running_mean.add_(m * (rows.mean(1) - self.running_mean))
                    self.running_var.add_(m * (rows.var(1, unbiased=True) - self.running_var))
        else:
            y = (h - self.running_mean.view(view)) / torch.sqrt(self.running_var.view(view) + self.eps)
        if self.weight is not None:
            y = y * self.weight.view(view) + self.bias.view(view)
        return y.to(x.dtype)
