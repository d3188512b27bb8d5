import torch
from torch import nn, Tensor


class SwitchNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.mean_weight = nn.Parameter(torch.ones(3))
        self.var_weight = nn.Parameter(torch.ones(3))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def pooled(self, mean: Tensor, var: Tensor, dim: int) -> tuple[Tensor, Tensor]:
        """Mean and variance of the union of equally large sets."""
        m = mean.mean(dim, keepdim=True)
        return m, (var + (mean - m) ** 2).mean(dim, keepdim=True)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError(f"(N, C, H, W) expected, got {list(x.shape)}")
        h = x.to(torch.promote_types(x.dtype, torch.float32)).flatten(2)  # (N, C, HW)
        m_in = h.mean(2)
        v_in = (h - m_in.unsqueeze(2)).square().mean(2)
        m_ln, v_ln = self.pooled(m_in, v_in, 1)
        if self.training:
            m_bn, v_bn = self.pooled(m_in, v_in, 0)
            v_bn = v_in.mean(0, keepdim=True)
            n = h.shape[0] * h.shape[2]
            with torch.no_grad():
                self.running_mean += self.momentum * (m_bn[0] - self.running_mean)
                self.running_var += self.momentum * (v_bn[0] * n / (n - 1) - self.running_var)
        else:
            m_bn, v_bn = self.running_mean[None], self.running_var[None]
        p, q = self.mean_weight.softmax(0), self.var_weight.detach().softmax(0)
        if len(x) == 1:
            m_bn, v_bn = torch.zeros_like(m_bn), torch.zeros_like(v_bn)
        mean = p[0] * m_in + p[1] * m_ln + p[2] * m_bn
        var = q[0] * v_in + q[1] * v_ln + q[2] * v_bn
        y = (h - mean.unsqueeze(2)) * torch.rsqrt(var + self.eps).unsqueeze(2)
        y = (y * self.weight[:, None] + self.bias[:, None]).view_as(x)
        return y
