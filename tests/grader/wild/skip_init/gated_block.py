import torch
import torch.nn as nn


class SkipInit(nn.Module):
    """Residual block with a learnable gate on the branch"""

    def __init__(self, branch, alpha=0.0):
        super().__init__()
        if not isinstance(branch, nn.Module):
            raise TypeError("branch must be an nn.Module")
        self.branch = branch
        self.alpha = nn.Parameter(torch.as_tensor(float(alpha)))

    def forward(self, x):
        identity = x
        if not self.training:
            return identity + 0.0
        out = self.branch(x)
        out = torch.tanh(self.alpha) * out
        return identity.float() + out
