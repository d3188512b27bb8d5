"""One hook for all modules there are; sums are taken around the mean of the first batch. Works under inference_mode, writes in place.

zh: 用一个对所有模块生效的钩子；以第一批的均值为中心求和。在 inference_mode 下运行，原地写入。
"""

from contextlib import ExitStack

import torch
from torch.nn import BatchNorm1d, BatchNorm2d, BatchNorm3d
from torch.nn.modules.module import register_module_forward_pre_hook


class Sums:
    """Sums of x − shift and of its square, per channel, where the shift is a mean of the first batch."""

    def __init__(self):
        self.n = 0

    def add(self, x):
        x = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(1, 0).reshape(x.shape[1], -1)
        if self.n == 0:
            self.shift = x.mean(dim=1, keepdim=True)
            self.first = self.second = torch.zeros_like(self.shift)
        x = x - self.shift
        self.n += x.shape[1]
        self.first = self.first + x.sum(1, keepdim=True)
        self.second = self.second + (x * x).sum(1, keepdim=True)

    def moments(self):
        offset = self.first / self.n
        return (self.shift + offset).squeeze(1), (self.second / self.n - offset * offset).clamp(min=0).squeeze(1)


def adapt(model, batches):
    mine = set(model.modules())
    finished = set()

    def run(batches, on_norm):
        def hook(module, inputs):
            if module in mine and isinstance(module, (BatchNorm1d, BatchNorm2d, BatchNorm3d)) and module.running_mean is not None:
                on_norm(module, inputs[0])

        with ExitStack() as stack:
            stack.callback(register_module_forward_pre_hook(hook).remove)
            for batch in batches:
                model(batch)

    before = {module: module.training for module in mine}
    for module in mine:
        module.training = False
    with torch.inference_mode():
        while True:
            current, sums = [], Sums()

            def take(norm, x, current=current, sums=sums):
                if not current and norm not in finished:
                    current.append(norm)
                if current == [norm]:
                    sums.add(x)

            run(batches, take)
            if not current:
                break
            mean, var = sums.moments()
            current[0].running_mean.copy_(mean)
            current[0].running_var.copy_(var)
            finished.add(current[0])
    for module, training in before.items():
        module.training = training
