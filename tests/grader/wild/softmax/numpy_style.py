import torch


def softmax(x, dim=0):
    if x.ndim < 2:
        raise ValueError("expected a batch of logits")
    z = x.double()
    with torch.no_grad():
        peak = z.max(dim=dim, keepdim=True).values
        shifted = z - peak
        e = torch.exp(shifted)
    return (e / torch.sum(e, dim=dim, keepdim=True))
