import torch
from torch import nn


class DyT(nn.Module):
    # y = gamma * tanh(alpha * x) + beta

    def __init__(self, num_features, alpha=0.5):
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(float(alpha)))
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))

    def call(self, inputs):
        z = inputs.mul_(nn.functional.softplus(self.alpha))
        return torch.addcmul(self.bias, self.weight, torch.tanh(z.to(self.weight.dtype))).float()

    def forward(self, x):
        return self.call(x)
