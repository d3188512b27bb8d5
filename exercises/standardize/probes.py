"""How your standardize is looked at, beyond calling it and going back through it."""

import torch
from shared_probes import with_constant_features


def constant_features(impl, x, constants, upstream):
    """Some features of x become constant: `constants` holds a number for each of them, and None for the others."""
    return with_constant_features(impl.standardize, x, constants, upstream)


def above_mean(impl, x):
    """Call it without gradients, and see which numbers lie above the mean of their feature."""
    with torch.no_grad():
        return {"numbers above the mean": (impl.standardize(x) > 0).int()}
