"""How your SPADE is looked at: the buffers of its norm are found wherever they are kept, and its new convolutions are measured.

Convolutions start with random numbers. So that two layers can be compared, `spade` puts fixed ones in their place; `new_convolutions`
looks at those that they really start with.
"""

import torch
from shared_probes import fingerprint, spread_of_lengths

from normgrade.probes import Estimate, Place, find

BUFFERS = ("running_mean", "running_var", "num_batches_tracked")
CONVOLUTIONS = ("shared", "gamma", "beta")


class Found(torch.nn.Module):
    """A SPADE, whose buffers are called `running_mean` and so on, whether it has them itself or keeps them in another layer."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            thing = self.__dict__["_modules"]["layer"]
            for part in self.path(name).split("."):
                thing = getattr(thing, part)
            return thing

    def path(self, name):
        """Where the layer keeps the buffer of that plain name; the name itself where it has none, or where this is no buffer."""
        if name not in BUFFERS:
            return name
        layer = self.__dict__["_modules"]["layer"]
        return next((path for path, _buffer in layer.named_buffers() if path.rpartition(".")[2] == name), name)

    def named_parameters(self, *args, **kwargs):
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.removeprefix("layer."), parameter

    def state_dict(self, *args, prefix="", **kwargs):
        """The state without `layer.` in its keys, and with the buffers by the last part of theirs."""
        state, plain = super().state_dict(*args, prefix=prefix, **kwargs), {self.path(name): name for name in BUFFERS}
        for key in [key for key in state if key.startswith(f"{prefix}layer.")]:
            own = key.removeprefix(f"{prefix}layer.")
            state[prefix + plain.get(own, own)] = state.pop(key)
        return state

    def _load_from_state_dict(self, state_dict, prefix, *others):
        """The same back again, before the layer loads it. PyTorch 2.4 has no public hook for either."""
        for key in [key for key in state_dict if key.startswith(prefix)]:
            state_dict[f"{prefix}layer.{self.path(key.removeprefix(prefix))}"] = state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, *others)

    def forward(self, x, label_map):
        return self.layer(x, label_map)


def spade(impl, *args, **kwargs):
    """A SPADE whose convolutions start with numbers that are always the same. Random numbers are as they were before."""
    torch.backends.mkldnn.enabled = False  # it compiles code for each new shape, which takes longer than these small convolutions
    torch.backends.nnpack.set_flags(False)  # in large batches it is fast, and right to three digits
    before = torch.get_rng_state()
    layer = impl.SPADE(*args, **kwargs)
    torch.set_rng_state(before)
    for number, name in enumerate(f"{convolution}.{kind}" for convolution in CONVOLUTIONS for kind in ("weight", "bias")):
        tensor = find(layer, name)
        if tensor is not None:
            order = torch.arange(tensor.numel()) * 37 + 17 * number
            tensor.data.copy_(((order % 101 - 50) / 64 + 1 / 128).reshape(tensor.shape))
    return Found(layer)


BUILDERS = {"spade": spade}


def new_convolutions(impl, num_features, label_channels, hidden):
    """What is what in a new SPADE, and how its weights and biases are drawn. Each is measured in units of 1 / √(input channels · 9)."""
    layers = [impl.SPADE(num_features, label_channels, hidden) for _time in range(2)]
    torch.manual_seed(3)
    layers += [impl.SPADE(num_features, label_channels, hidden)]
    seen, drawn = {}, []
    for name, inputs in zip(CONVOLUTIONS, (label_channels, hidden, hidden), strict=True):
        seen[Place("{name} is a torch.nn.Conv2d", name=name)] = isinstance(getattr(layers[0], name, None), torch.nn.Conv2d)
        for kind in ("weight", "bias"):
            tensors = [find(layer, f"{name}.{kind}") for layer in layers]
            if None in tensors:
                continue
            numbers = tensors[0].detach().double().flatten() * (inputs * 9) ** 0.5
            drawn += [fingerprint(tensor) for tensor in tensors]
            of, size = f"{name}.{kind}", len(numbers)
            seen[Place("{name} · largest", name=of)] = Estimate(numbers.abs().max(), 1 / size)
            seen[Place("{name} · deviation", name=of)] = Estimate(numbers.std(), 0.26 / size**0.5)
            seen[Place("{name} · mean", name=of)] = Estimate(numbers.mean(), 0.58 / size**0.5)
            if kind == "weight":
                seen[Place("{name} · spread of the lengths of its rows", name=of)] = spread_of_lengths(numbers.reshape(len(tensors[0]), -1))
    seen["tensors that share their numbers"] = len(drawn) - len({*drawn})
    return seen
