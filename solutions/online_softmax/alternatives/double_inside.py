"""Everything is computed in float64, and the state stays a list.

zh: 全部在 float64 中计算；状态是一个列表。
"""

import torch


def merge(state, block):
    scores, values = block[0].double(), block[1].double()
    m_new = scores.detach().max(dim=-1).values.unsqueeze(-1)
    if state is None:
        m, s, o = torch.full_like(m_new, -1e300), torch.zeros_like(m_new), torch.zeros_like(scores[..., :1] * values[..., :1, :])
    else:
        m, s, o, _dtype = state
    m_new = torch.maximum(m_new, m)  # never below −1e300, so that a difference of two is 0 and not NaN
    alpha, p = torch.exp(m - m_new), torch.exp(scores - m_new)
    return [m_new, s * alpha + p.sum(dim=-1, keepdim=True), o * alpha + p.matmul(values), block[1].dtype]


def finish(state):
    _m, s, o, dtype = state
    return o.div(s + (s == 0)).to(dtype)
