"""How your layer is looked at, beyond calling it and going back through it."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from normgrade.probes import SUMS

HALF = (torch.float16, torch.bfloat16)


def learnable(impl, dim):
    """Build `RMSNorm(dim)` and count the numbers that an optimiser would be given."""
    return {"learnable numbers": sum(parameter.numel() for parameter in impl.RMSNorm(dim).parameters())}


class Watch(TorchDispatchMode):
    """Looks at the dtype of everything that is summed up meanwhile."""

    def __init__(self):
        super().__init__()
        self.summed_in_half = False

    @classmethod
    def _should_skip_dynamo(cls):
        """True would make PyTorch import its compiler, which takes 2 s."""
        return False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func.overloadpacket.__name__ in SUMS:
            self.summed_in_half |= any(each.dtype in HALF for each in (result if isinstance(result, tuple) else [result]))
        return result


def wide_statistics(impl, x, dtype):
    """Call the layer on x in half precision. A sum or a mean of the squares in that dtype would have too few digits."""
    half = getattr(torch, dtype)
    layer = impl.RMSNorm(x.shape[-1]).to(half)
    with torch.no_grad(), Watch() as watch:
        layer(x.to(half))
    return {"statistics in float32 or wider": not watch.summed_in_half}
