# a right answer, which tests make wrong in one way or another
import torch
from torch import nn

class Centring(nn.Module):
    def __init__(self, num_features, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("steps", torch.tensor(0))

    def forward(self, x):
        if x.dim() != 2:
            raise ValueError("two dimensions, please")
        mean = x.mean(0) if self.training else self.running_mean
        if self.training:
            self.steps += 1
            self.running_mean += self.momentum * (mean.detach() - self.running_mean)
        return (x - mean) * self.weight
