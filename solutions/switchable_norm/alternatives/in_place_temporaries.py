"""The mixture is summed up in place in tensors of its own; a number that is no part of the state is a buffer with persistent=False.

zh: 混合的和在自己新建的张量中原地累加；不属于状态的数是 persistent=False 的缓冲区。
"""

import torch
from torch import Tensor, nn

KINDS = {"instance": (2, 3), "layer": (1, 2, 3), "batch": (0, 2, 3)}


class SwitchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.var_weight = nn.Parameter(torch.ones(len(KINDS)))
        self.mean_weight = nn.Parameter(torch.ones(len(KINDS)))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.weight = nn.Parameter(torch.ones(num_features))
        self.eps = float(eps)
        self.register_buffer("number_of_channels", torch.tensor(num_features), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim != 4:
            raise ValueError(f"4 dimensions are needed, {x.ndim} were given")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        like = {"dtype": wide.dtype, "device": wide.device}
        mean, var = (torch.zeros(*x.shape[:2], 1, 1, **like) for _ in range(2))
        shares = [torch.softmax(weights.to(wide.dtype), 0).unbind() for weights in (self.mean_weight, self.var_weight)]
        for (kind, dims), of_means, of_variances in zip(KINDS.items(), *shares, strict=True):
            if kind == "batch" and not self.training:
                new = [buffer.to(wide.dtype).view(-1, 1, 1) for buffer in (self.running_mean, self.running_var)]
            else:
                middle = wide.mean(dims, keepdim=True)
                new = [middle, (wide - middle).pow_(2).mean(dims, keepdim=True)]
                if kind == "batch":
                    self.follow(*(value.detach().flatten() for value in new))
            mean += of_means * new[0]
            var += of_variances * new[1]
        y = (wide - mean).div_(var.add_(self.eps).sqrt())
        y = (y * self.weight[:, None, None]).add_(self.bias[:, None, None])
        return y.to(x.dtype)

    @torch.no_grad()
    def follow(self, mean: Tensor, var: Tensor) -> None:
        for buffer, new in ((self.running_mean, mean), (self.running_var, var)):
            buffer.mul_(1 - self.momentum).add_(new, alpha=self.momentum)
