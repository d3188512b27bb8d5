"""How your min_max is looked at, beyond calling it and going back through it."""

import torch
from shared_probes import with_constant_features


def constant_features(impl, x, constants, upstream):
    """Some features of x become constant: `constants` holds a number for each of them, and None for the others."""
    return with_constant_features(impl.min_max, x, constants, upstream)


def beside(impl, x, feature):
    """Call it without gradients, and leave one feature of the result out."""
    with torch.no_grad():
        y = impl.min_max(x)
    return {"result without a feature": torch.cat([y[:, :feature], y[:, feature + 1 :]], 1)}


def upper_half(impl, x):
    """Call it without gradients, and see which numbers lie above the middle of the range from 0 to 1."""
    with torch.no_grad():
        return {"numbers above one half": (impl.min_max(x) > 0.5).int()}
