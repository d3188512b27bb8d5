"""A pure function of x and of a dictionary of tensors gives the output and the new buffers, which are then assigned; torch.vmap maps it.

zh: 一个纯函数接受 x 和一个张量字典，返回输出和缓冲区的新值，再赋给缓冲区；其中用 torch.vmap 映射。
"""

import torch
from torch import Tensor, nn


def moments(values: Tensor) -> Tensor:
    """Mean and biased variance of all numbers, (2,)."""
    return torch.stack([values.mean(), values.var(correction=0)])


def normalised(channel: Tensor, mean: Tensor, var: Tensor, eps: float) -> Tensor:
    return (channel - mean) * torch.rsqrt(var + eps)


def switch_norm(x: Tensor, state: dict[str, Tensor], eps: float, momentum: float, training: bool) -> tuple[Tensor, dict[str, Tensor]]:
    """The output for x, (N, C, H, W), and the buffers afterwards."""
    n, c = x.shape[:2]
    instance = torch.vmap(torch.vmap(moments))(x)  # (N, C, 2)
    layer = torch.vmap(moments)(x)[:, None].expand(n, c, 2)
    running = torch.stack([state["running_mean"], state["running_var"]], dim=1)
    batch = torch.vmap(moments, in_dims=1)(x) if training else running  # (C, 2)
    buffers = torch.lerp(running, batch.detach(), momentum if training else 0.0)
    kinds = torch.stack([instance, layer, batch.expand(n, c, 2)])  # (3, N, C, 2)
    shares = torch.softmax(torch.stack([state["mean_weight"], state["var_weight"]], dim=1), dim=0)  # (3, 2)
    mean, var = (kinds * shares[:, None, None]).sum(0).unbind(-1)
    y = torch.vmap(torch.vmap(normalised, (0, 0, 0, None)), (0, 0, 0, None))(x, mean, var, eps)
    y = torch.addcmul(state["bias"][:, None, None], y, state["weight"][:, None, None])
    return y, {"running_mean": buffers[:, 0], "running_var": buffers[:, 1]}


class SwitchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.options = {"eps": eps, "momentum": momentum}
        for name, start in {"var_weight": torch.ones(3), "mean_weight": torch.ones(3)}.items():
            setattr(self, name, nn.Parameter(start))
        self.bias, self.weight = nn.Parameter(torch.zeros(num_features)), nn.Parameter(torch.ones(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError(f"x has {x.dim()} dimensions")
        dtype = torch.promote_types(x.dtype, torch.float32)
        tensors = {**dict(self.named_parameters()), **dict(self.named_buffers())}
        state = {name: tensor.to(dtype) for name, tensor in tensors.items()}
        y, buffers = switch_norm(x.to(dtype), state, **self.options, training=self.training)
        if self.training:
            for name, value in buffers.items():
                setattr(self, name, value.to(getattr(self, name).dtype))
        return y.to(x.dtype)
