import torch


class SkipInit(torch.nn.Module):
    # out = x + alpha * branch(x)

    def __init__(self, branch, alpha=0.0):
        super().__init__()
        self.parts = [branch]
        self.alpha = torch.nn.Parameter(torch.tensor(float(alpha)))

    def forward(self, x):
        self.alpha.data.clamp_(0.0, 1.0)
        a = self.alpha.item()
        fx = self.parts[0](x)
        return (1.0 - a) * x + a * fx
