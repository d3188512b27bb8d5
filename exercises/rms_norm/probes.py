"""How your layer is looked at, beyond calling it and going back through it."""


def learnable(impl, dim):
    """Build `RMSNorm(dim)` and count the numbers that an optimiser would be given."""
    return {"learnable numbers": sum(parameter.numel() for parameter in impl.RMSNorm(dim).parameters())}
