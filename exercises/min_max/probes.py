"""How your min_max is looked at, beyond calling it and going back through it."""

import torch

from normgrade.probes import go_back


def constant_features(impl, x, constants, upstream):
    """Some features of x become constant: `constants` holds a number for each of them, and None for the others."""
    given = x.clone()
    constant = torch.tensor([value is not None for value in constants])
    for column, value in enumerate(constants):
        if value is not None:
            given[:, column] = value
    given.requires_grad_()
    y = impl.min_max(given.clone())
    go_back(y, upstream)
    gradient = torch.full_like(given, torch.nan) if given.grad is None else given.grad
    return {
        "result beside": y[:, ~constant],
        "constant features": y[:, constant],
        "gradient of the other features": gradient[:, ~constant],
        "gradient of constant features is finite": bool(gradient[:, constant].isfinite().all()),
    }


def beside(impl, x, feature):
    """Call it without gradients, and leave one feature of the result out."""
    with torch.no_grad():
        y = impl.min_max(x)
    return {"result without a feature": torch.cat([y[:, :feature], y[:, feature + 1 :]], 1)}
