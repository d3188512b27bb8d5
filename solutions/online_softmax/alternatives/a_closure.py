"""The state is a function that gives its numbers; the backward pass of a block is written by hand.

zh: 状态是一个返回这些数的函数；一个块的反向传播是手写的。
"""

import torch


class Block(torch.autograd.Function):
    """exp(scores − shift) summed, and multiplied by the values."""

    @staticmethod
    def forward(ctx, scores, values, shift):
        weights = (scores - shift).exp_()
        ctx.save_for_backward(weights, values)
        return weights.sum(-1, keepdim=True), weights @ values

    @staticmethod
    def backward(ctx, dtotal, doutput):
        weights, values = ctx.saved_tensors
        return weights * (dtotal + doutput @ values.mT), weights.mT @ doutput, None


def merge(state, block):
    dtype = block[1].dtype
    wide = torch.promote_types(dtype, torch.float32)
    scores, values = block[0].to(wide), block[1].to(wide)
    newest = scores.detach().amax(-1, keepdim=True)
    m, s, o, _ = state() if state else (newest, 0, 0, dtype)
    largest = torch.maximum(m, newest)
    shift = torch.where(largest == -torch.inf, 0, largest)
    total, output = Block.apply(scores, values, shift)
    old = torch.exp(m - shift)
    kept = largest, s * old + total, o * old + output, dtype
    return lambda: kept


def finish(state):
    _m, s, o, dtype = state()
    return (o / (s + (s == 0))).to(dtype)
