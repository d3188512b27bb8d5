"""Channels go last, so that the parameters broadcast by themselves; clamp takes the threshold as its lower bound.

zh: 把通道移到最后，参数便能直接广播；clamp 以阈值为下界。
"""

import torch
from torch import Tensor, nn


class FilterResponseNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.options = {"eps": eps}
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.threshold = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("images_seen", torch.tensor(0), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() - 4:
            raise ValueError("the positions need two dimensions")
        self.images_seen += len(x)
        last = x.movedim(1, -1).to(torch.promote_types(x.dtype, torch.float32))
        squares = torch.einsum("nhwc,nhwc->nc", last, last)
        scale = self.weight / (squares / (last.shape[1] * last.shape[2]) + self.options["eps"]).sqrt()
        y = last * scale[:, None, None] + self.bias
        return y.clamp(min=self.threshold.to(y.dtype)).movedim(-1, 1).to(x.dtype)
