import torch
from torch import nn, Tensor


class _Running(nn.Module):
    def __init__(self, num_features: int, eps: float, momentum: float) -> None:
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(1, num_features))
        self.bias = nn.Parameter(torch.zeros(1, num_features))
        self.register_buffer("running_statistic", torch.zeros(1, num_features))
        self.register_buffer("running_deviation", torch.ones(1, num_features))

    @torch.no_grad()
    def track(self, s: Tensor, d: Tensor) -> None:
        keep = self.momentum
        self.running_statistic.copy_(keep * self.running_statistic + (1 - keep) * s)
        self.running_deviation.copy_(keep * self.running_deviation + (1 - keep) * d)


class GeneralizedBatchNorm(_Running):
    def __init__(self, num_features, statistic, deviation, eps=1e-5, momentum=0.1):
        super().__init__(num_features, eps, momentum)
        self.statistic = statistic
        self.deviation = deviation

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim < 2:
            raise ValueError("too few dimensions")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        view = (1, -1) + (1,) * (x.ndim - 2)
        X = torch.stack([channel.reshape(-1) for channel in wide.unbind(1)])
        n = X.shape[1]
        if self.training:
            s, d = self.statistic(X), self.deviation(X)
            self.track(s, d * n / max(n - 1, 1))
        else:
            s, d = self.statistic(X), self.deviation(X)
        denominator = torch.sqrt(d.reshape(view) ** 2 + self.eps)
        out = (wide - s.reshape(view)) / denominator
        out = out * self.weight.reshape(view) + self.bias.reshape(view)
        return out.to(x.dtype)
