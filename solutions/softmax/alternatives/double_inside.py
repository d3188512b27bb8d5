"""Everything is computed in float64; the gradient passes the maximum too.

zh: 全部在 float64 中计算；梯度也流经最大值。
"""

from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    wide = x.double()
    e = (wide - wide.amax(dim=dim, keepdim=True)).exp()
    return (e / e.sum(dim=dim, keepdim=True)).to(dtype=x.dtype)
