"""The state is the log-sum-exp of the scores and the attention so far, as FlashAttention returns them: two attentions are averaged.

zh: 状态是已有分数的 log-sum-exp 和已得到的注意力输出，与 FlashAttention 返回的相同：两个注意力作加权平均。
"""

import torch


def without_infinity(m):
    return torch.where(m == -torch.inf, 0, m).detach()


def logarithm(s):
    return torch.where(s == 0, -torch.inf, torch.where(s == 0, 1, s).log())


def attention(scores, values):
    m = without_infinity(scores.amax(-1, keepdim=True))
    e = (scores - m).exp()
    s = e.sum(-1, keepdim=True)
    return m + logarithm(s), (e / s.clamp(min=0.5)) @ values


def merge(state, block):
    wide = torch.promote_types(block[1].dtype, torch.float32)
    lse, y = attention(block[0].to(wide), block[1].to(wide))
    if state is None:
        return lse, y, block[1].dtype
    largest = without_infinity(torch.maximum(lse, state[0]))
    one, other = torch.exp(state[0] - largest), torch.exp(lse - largest)
    both = one + other
    return largest + logarithm(both), (one * state[1] + other * y) / both.clamp(min=0.5), state[2]


def finish(state):
    return state[1].to(state[2])
