"""The state is a dictionary. The gradient passes the largest score too, and masked scores are replaced before exp.

zh: 用字典作状态；梯度也流经最大值，被掩码的位置在取 exp 之前先换掉。
"""

import torch


def merge(state, block):
    scores, values = block
    wide = torch.promote_types(values.dtype, torch.float32)
    scores, values = scores.to(wide), values.to(wide)
    masked = scores == -torch.inf
    finite = torch.finfo(wide).min
    m = scores.masked_fill(masked, finite).amax(-1)
    if state is not None:
        m = torch.maximum(m, state["m"])
    p = torch.exp(scores.masked_fill(masked, 0) - torch.where(masked, 0, m[..., None])).masked_fill(masked, 0)
    total, output = p.sum(-1), torch.einsum("...qk,...kd->...qd", p, values)
    if state is not None:
        factor = torch.exp(state["m"] - m)
        total, output = total + factor * state["sum"], output + factor[..., None] * state["out"]
    return {"m": m, "sum": total, "out": output, "dtype": block[1].dtype}


def finish(state):
    empty = state["sum"] == 0
    quotient = state["out"] / torch.where(empty, 1, state["sum"])[..., None]
    return torch.where(empty[..., None], 0, quotient).to(state["dtype"])
