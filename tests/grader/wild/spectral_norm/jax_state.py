import torch
from torch import nn, Tensor


class SpectralNorm(nn.Module):
    # u: left, v: right singular vector

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError("n_power_iterations < 1")
        self.n_power_iterations = n_power_iterations
        self.eps = 1e-12
        matrix = weight.detach().flatten(1) if weight.dim() > 1 else weight.detach()[:, None]
        u, v = self.normalize(torch.randn(matrix.shape[0])), self.normalize(torch.randn(matrix.shape[1]))
        self.register_buffer("u", u[None])
        self.register_buffer("v", v[None])

    def normalize(self, x: Tensor) -> Tensor:
        return x / (torch.sqrt((x * x).sum()) + self.eps)

    def forward(self, weight: Tensor) -> Tensor:
        matrix = weight.flatten(1) if weight.dim() > 1 else weight[:, None]
        u, v = self.u[0], self.v[0]
        if self.training and torch.is_grad_enabled():
            fixed = matrix.detach()
            for _ in range(self.n_power_iterations):
                old = u @ fixed @ v
                v = self.normalize(torch.einsum("ij,i->j", fixed, u))
                u = self.normalize(torch.einsum("ij,j->i", fixed, v))
                if abs(u @ fixed @ v - old) < 1e-2 * abs(old):
                    break
            self.u, self.v = u[None], v[None]
        sigma = torch.einsum("i,ij,j->", u, matrix, v)
        sigma = 0.5 * sigma + 0.5 * sigma.detach()
        return weight / sigma
