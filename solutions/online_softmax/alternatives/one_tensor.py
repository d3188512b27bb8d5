"""The sum is one more column of the output: values get a column of ones. One tensor and the largest scores are the state of a class.

zh: 给 values 添一列 1，和就成了输出的又一列。状态是一个类的实例。
"""

import torch


class Running:
    def __init__(self, m, table, dtype):
        self.m, self.table, self.dtype = m, table, dtype


def merge(state, block):
    scores, values = block
    wide = torch.float64 if values.dtype == torch.float64 else torch.float32
    table = torch.cat([values, torch.ones_like(values[..., :1])], -1).to(wide)
    scores = scores.to(wide)
    old = scores.new_full((*scores.shape[:-1], 1), -torch.inf) if state is None else state.m
    with torch.no_grad():
        m = torch.cat([old, scores], -1).max(-1, keepdim=True).values
        base = m.clone()
        base[m == -torch.inf] = 0
    summed = (scores - base).exp() @ table
    if state is not None:
        summed = torch.addcmul(summed, (old - base).exp(), state.table)
    return Running(m, summed, values.dtype)


def finish(state):
    total = state.table[..., -1:]
    return (state.table[..., :-1] / total.clamp(min=0.5)).to(state.dtype)
