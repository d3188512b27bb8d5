"""How your layer is looked at, beyond calling it and going back through it."""

import torch


def built_for_size(impl, x, dims):
    """Build `LayerNorm(torch.Size(…))` for the last `dims` dimensions of x, and call it on x."""
    layer = impl.LayerNorm(torch.Size(x.shape[-dims:]))
    return {"output": layer(x)}
