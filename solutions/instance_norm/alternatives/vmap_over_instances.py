"""A pure function of one instance, mapped over channels and samples by torch.vmap; the new statistics are returned and then assigned.

zh: 写一个只处理单个实例的纯函数，用 torch.vmap 映射到各个通道和样本；函数返回新的统计量，再赋值给缓冲区。
"""

import torch
from torch import Tensor, nn


def standardised(instance: Tensor, mean: Tensor, var: Tensor, eps: float) -> Tensor:
    return (instance - mean) * torch.pow(var + eps, -0.5)


def moments(instance: Tensor) -> tuple[Tensor, Tensor]:
    mean = instance.mean()
    return mean, (instance - mean).square().mean()


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.options = {"eps": eps, "momentum": momentum}
        self.running = ("running_mean", "running_var") if track_running_stats else ()
        for name in ("running_mean", "running_var"):
            self.register_buffer(name, torch.full((num_features,), float(name == "running_var")) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)
        self.affine = affine
        self.weight, self.bias = (nn.Parameter(torch.full((num_features,), value)) if affine else None for value in (1.0, 0.0))

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim not in (3, 4):
            raise ValueError(f"{x.ndim} dimensions")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.running and not self.training:
            mean, var = (getattr(self, name).to(wide.dtype).expand(x.shape[:2]) for name in self.running)
        else:
            count = wide[0, 0].numel()
            if count == 1:
                raise ValueError("a single value has no variance")
            mean, var = torch.vmap(torch.vmap(moments))(wide)
            if self.running:
                self.follow(mean.detach(), var.detach() * (count / (count - 1)))
        y = torch.vmap(torch.vmap(standardised, (0, 0, 0, None)), (0, 0, 0, None))(wide, mean, var, self.options["eps"])
        if self.affine:
            y = torch.vmap(torch.addcmul, in_dims=(0, 1, 0), out_dims=1)(self.bias.to(y.dtype), y, self.weight.to(y.dtype))
        return y.to(x.dtype)

    def follow(self, *batch: Tensor) -> None:
        """Assign new tensors to the buffers; the old ones are left as they are."""
        for name, new in zip(self.running, batch, strict=True):
            old = getattr(self, name)
            setattr(self, name, torch.lerp(old.to(new.dtype), new.mean(0), self.options["momentum"]).to(old.dtype))
