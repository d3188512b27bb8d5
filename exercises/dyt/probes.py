"""How your layer is looked at, beyond calling it and going back through it."""

from normgrade.probes import Place, called

NAMES = ("alpha", "weight", "bias")


def new(impl, args, kwargs):
    """Build `DyT(*args, **kwargs)` and read its state dict. An alpha of shape (1,) counts as one of shape ().

    Common other names are understood, `gamma` for `weight`, say, but the key of each is looked at too.
    """
    layer = impl.DyT(*args, **kwargs)
    state, parameters = layer.state_dict(), dict(layer.named_parameters())
    seen, known = {}, set()
    for name in NAMES:
        others = [other for other in called(name) if other not in NAMES]  # `alpha` is no other name of `weight` here
        key = next((key for key in (name, *others) if key in state), None)
        known.add(key)
        value = None if key is None else state[key]
        seen[Place("key of {name}", name=name)] = key
        seen[Place("{name} is a parameter", name=name)] = None if key is None else key in parameters
        seen[Place("state_dict · {name}", name=name)] = value.reshape(()) if name == "alpha" and key and value.shape == (1,) else value
    for place, found in (("further keys of the state dict", state), ("further parameters", parameters)):
        seen[Place(place)] = ", ".join(name for name in found if name not in known)
    return seen
