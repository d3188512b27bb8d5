"""How your layer is looked at, beyond calling it and going back through it."""

from normgrade.probes import Place, called

NAMES = ("c", "weight", "bias")


def new(impl, args, kwargs):
    """Build `DyISRU(*args, **kwargs)` and read its state dict. A `c` of shape (1,) counts as one of shape ().

    Common other names are understood, `gamma` for `weight`, say, but the key of each is looked at too.
    """
    layer = impl.DyISRU(*args, **kwargs)
    state, parameters = layer.state_dict(), dict(layer.named_parameters())
    seen, known = {}, set()
    for name in NAMES:
        key = next((key for key in called(name) if key in state), None)
        known.add(key)
        value = None if key is None else state[key]
        seen[Place("key of {name}", name=name)] = key
        seen[Place("{name} is a parameter", name=name)] = None if key is None else key in parameters
        seen[Place("state_dict · {name}", name=name)] = value.reshape(()) if name == "c" and key and value.shape == (1,) else value
    for place, found in (("further keys of the state dict", state), ("further parameters", parameters)):
        seen[Place(place)] = ", ".join(name for name in found if name not in known)
    return seen
