import torch

NEG_INF = float("-inf")


def merge(state, block):
    S, V = block
    dt = V.dtype
    acc_t = torch.promote_types(dt, torch.float32)
    S, V = S.to(acc_t), V.to(acc_t)
    m_blk = S.detach().amax(-1)
    if state is None:
        m_old = torch.full_like(m_blk, NEG_INF)
        l_old = torch.zeros_like(m_blk)
        acc_old = V.new_zeros(*m_blk.shape, V.shape[-1])
    else:
        m_old, l_old, acc_old = state["m"], state["l"], state["acc"]
    m = torch.maximum(m_old, m_blk)
    ref = m
    alpha = torch.exp(m_old - ref)
    P = torch.exp(S - ref[..., None])
    l = alpha * l_old + P.sum(-1)
    acc = acc_old + torch.einsum("...qk,...kd->...qd", P, V)
    return {"m": m, "l": l, "acc": acc, "dtype": dt}


def finish(state):
    l = state["l"][..., None]
    out = state["acc"] / (l + 1e-6)
    return out
