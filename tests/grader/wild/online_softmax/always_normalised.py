import torch


class Running:
    # out is divided after every block (FlashAttention 1), so finish has nothing to do
    def __init__(self, m, l, out, dtype):
        self.m = m
        self.l = l
        self.out = out
        self.dtype = dtype


def merge(state, block):
    scores, values = block
    f = torch.promote_types(values.dtype, torch.float32)
    x, v = scores.to(f), values.to(f)
    if state is None:
        m0 = torch.full_like(x[..., :1], -1e9)
        state = Running(m0, torch.zeros_like(m0), 0.0, values.dtype)
    m_new = torch.maximum(state.m, x.max(dim=-1, keepdim=True).values.detach())
    shift = m_new.masked_fill(torch.isinf(m_new), 0)
    corr = torch.exp(state.m - shift)
    p = torch.exp(x - shift)
    l_new = corr * state.l + p.sum(dim=-1, keepdim=True)
    # undo the old division, add the new keys, divide again
    out = (corr * state.out + p @ v) / l_new.masked_fill(l_new == 0, 1)
    return Running(m_new, l_new.to(values.dtype), out.to(values.dtype), values.dtype)


def finish(state):
    return state.out.to(state.dtype).nan_to_num(0.0)
