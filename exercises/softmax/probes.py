"""How your softmax is looked at, beyond calling it and going back through it."""


def huge(impl, x, power, dim):
    """Call it on x times a power of ten, so far apart that each row has one weight of 1 and else zeros; see where the large ones are."""
    y = impl.softmax(x * 10.0**power, dim)
    return {"weights of one half and more": (y > 0.5).int(), "all weights are finite": bool(y.isfinite().all())}
