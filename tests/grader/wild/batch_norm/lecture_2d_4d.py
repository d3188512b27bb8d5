import torch
import torch.nn as nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.zeros(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        if x.dim() not in (2, 3, 4):
            raise ValueError("wrong number of dimensions")
        if self.training and x.shape[0] * x[0, 0].numel() < 2:
            raise ValueError("too few values")
        h = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(0, 1).flatten(1)
        if self.training:
            mean = h.mean(1)
            var = h.var(1, unbiased=True)
            self.track(h)
        else:
            mean, var = self.running_mean, self.running_var
        h = (h - mean[:, None]) / torch.sqrt(var + self.eps)[:, None]
        h = h * self.weight[:, None] + self.bias[:, None]
        swapped = x.transpose(0, 1)
        return h.reshape(swapped.shape).transpose(0, 1).to(x.dtype)

    @torch.no_grad()
    def track(self, h):
        self.num_batches_tracked += 1
        m = 1 / self.num_batches_tracked if self.momentum is None else self.momentum
        self.running_mean += m * (h.mean(1) - self.running_mean)
        self.running_var += m * (h.var(1) - self.running_var)
