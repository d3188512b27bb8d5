import torch
from torch import nn, Tensor


class BatchRenorm(nn.Module):
    def __init__(self, num_features: int, r_max: float = 3.0, d_max: float = 5.0, eps: float = 1e-5, momentum: float = 0.01):
        super().__init__()
        self.r_max, self.d_max, self.eps, self.momentum = r_max, d_max, eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_std", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError("not enough dimensions")
        rows = x.movedim(1, 0).reshape(x.shape[1], -1).to(torch.promote_types(x.dtype, torch.float32))  # (C, n)
        if self.training:
            n = rows.shape[1]
            mu = rows.sum(1) / n
            c = rows - mu[:, None]
            sigma = (torch.einsum("cn,cn->c", c, c) / n + self.eps).sqrt()
            self.move(mu, sigma, n)
            r = (sigma.detach() / self.running_std).clamp(max=self.r_max)
            d = (mu - self.running_mean.clone()) / self.running_std.clone()
            d = d.clamp(-self.d_max, self.d_max)
            xhat = c / sigma[:, None] * r[:, None] + d[:, None]
        else:
            xhat = (rows - self.running_mean[:, None]) / self.running_std[:, None]
            xhat = xhat.clamp(-self.d_max, self.d_max)
        out = self.weight[:, None] * xhat + self.bias[:, None]
        return out.reshape(x.shape[1], x.shape[0], *x.shape[2:]).movedim(0, 1).to(x.dtype)

    @torch.no_grad()
    def move(self, mu: Tensor, sigma: Tensor, n: int) -> None:
        if n > 1:
            sigma = sigma * (n / (n - 1)) ** 0.5
        self.running_mean += self.momentum * (mu - self.running_mean)
        self.running_std += self.momentum * (sigma - self.running_std)
