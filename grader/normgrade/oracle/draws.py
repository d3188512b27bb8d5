"""What a request leaves open, because only the reference knows the shapes: the state of a layer, and the upstream gradients."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from operator import attrgetter
from types import ModuleType
from typing import Any

import numpy as np

from normgrade.language import _
from normgrade.worker.observation import Array, Value
from normgrade.worker.requests import DRAWN, Differentiable, LayerStory, NewLayer, TypedRequest


def generator(*key: object) -> np.random.Generator:
    """NumPy's PCG64, seeded by the key alone: the same numbers whatever was drawn before."""
    digest = hashlib.sha256(repr(key).encode()).digest()
    return np.random.Generator(np.random.PCG64(np.frombuffer(digest[:16], "<u4")))  # as the same bytes in one number, and faster


def complete(reference: ModuleType, request: TypedRequest, probes: ModuleType | None, written_with: str = "torch") -> TypedRequest:
    """The request with everything drawn, from the key that it holds. One that leaves nothing open comes back as it is."""
    key = request.draw
    if key is None:
        return request
    match request:
        case NewLayer():
            return replace(request, names=list(layout(reference, request, probes)), draw=None)
        case LayerStory() if written_with == "torch":
            return with_upstream(reference, with_state(reference, request, probes, key), probes, key, written_with)
        case _:  # functions have no state
            return with_upstream(reference, replace(request, draw=None), probes, key, written_with)


def layout(reference: ModuleType, request: LayerStory | NewLayer, probes: ModuleType | None) -> dict[str, Any]:
    """Name → tensor of every parameter and buffer of the layer, None where it is switched off; nothing where it refuses to be built."""
    from normgrade.probes.layers import build, given_names, own_names
    from normgrade.worker.play import given, with_builders
    from normgrade.worker.written_with import library

    args, kwargs = (given(each, library("torch")) for each in (request.args, request.kwargs))
    try:
        module = build(with_builders(reference, probes), request.layer, args, kwargs)
    except Exception:  # a refusal can be what a suite asks for: the probe meets it again, and says so
        return {}
    names = own_names(module) if isinstance(request, NewLayer) else [*given_names(module), *own_names(module)]
    return {name: attrgetter(name)(module) for name in names}


def with_state(reference: ModuleType, story: LayerStory, probes: ModuleType | None, key: object) -> LayerStory:
    """Fill in the state: what the suite gave, and random values for the rest. Floating-point tensors are watched, counters on demand."""
    given = story.state
    tensors = {name: tensor for name, tensor in layout(reference, story, probes).items() if tensor is not None}
    if strange := sorted({*given, *story.watch, *story.ignored} - tensors.keys()):
        has = ", ".join(tensors) or _("no state")
        raise ValueError(_('the reference has no "{name}" to fill or watch; it has {has}', name=strange[0], has=has))
    state = {name: initial(tensor) if story.as_built else drawn(story, name, tensor, key) for name, tensor in tensors.items()}
    steps = [
        replace(step, state={name: drawn(story, name, tensor, key, "changed", number) for name, tensor in tensors.items()})
        if step.state is DRAWN
        else step
        for number, step in enumerate(story.steps, 1)
    ]
    wanted = {name for name, tensor in tensors.items() if tensor.is_floating_point()} | {*story.watch}
    watch = [name for name in tensors if name in wanted and name not in story.ignored]
    return replace(story, state=state, watch=watch, steps=steps, ignored=[], draw=None)


def initial(tensor: Any) -> Array:
    """A parameter or buffer of a new layer, as it was built."""
    kind = str(tensor.dtype)[6:]
    return Array(tensor.detach().double().numpy().astype(kind) if tensor.is_floating_point() else tensor.numpy().copy(), kind)


def drawn(story: LayerStory, name: str, tensor: Any, key: object, *more: object) -> Array:
    """The numbers for a parameter or buffer: those that the suite gave, or else random ones."""
    shape, floating = tuple(tensor.shape), tensor.is_floating_point()
    kind = story.dtype if floating else str(tensor.dtype)[6:]
    given = story.state.get(name) if not more else None
    values = draw_state(generator(key, *more, name), name, shape, floating) if given is None else given.values
    return rounded_to(np.broadcast_to(values, shape), kind)


def draw_state(random: np.random.Generator, name: str, shape: tuple[int, ...], floating: bool) -> np.ndarray:
    """Values that hide nothing: distinct, no weight 1, no bias 0, variances and deviations positive, counts small."""
    if not floating:
        return np.asarray(random.integers(3, 9, shape))
    sizes = np.asarray(random.uniform(0.5, 1.8, shape))
    if any(word in name for word in ("var", "std", "dev")):
        return sizes
    return np.asarray(sizes * random.choice([-1.0, 1.0], shape))


def with_upstream(
    reference: ModuleType, request: Differentiable, probes: ModuleType | None, key: object, written_with: str
) -> Differentiable:
    """Fill in the upstream gradients: of the shape of the reference's own results."""
    from normgrade.worker.play import play

    if not request.undrawn:
        return request
    forward = request.with_upstream(dict.fromkeys(request.undrawn))
    seen = play(reference, forward, probes, trusted=True, written_with=written_with).values
    dtype = None if written_with == "numpy" else "float32"
    return request.with_upstream({number: draw_upstream(key, number, seen.get(place), dtype) for number, place in request.undrawn.items()})


def draw_upstream(key: object, number: int, result: Value, dtype: str | None) -> Array | None:
    """The upstream gradient of a result, in a `dtype` or in that of the result; none where it is no array."""
    if not isinstance(result, Array):
        return None
    return rounded_to(generator(key, "upstream", number).standard_normal(result.values.shape), dtype or result.dtype)


def rounded_to(values: np.ndarray, dtype: str) -> Array:
    """The values as an Array of that dtype, rounded to nearest even; bfloat16 is kept as float32."""
    if dtype != "bfloat16":
        return Array(np.asarray(values).astype(dtype), dtype)
    bits = np.asarray(values).astype(np.float32).view(np.uint32).astype(np.uint64)
    nearest = (bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) & np.uint64(0xFFFF0000)
    return Array(nearest.astype(np.uint32).view(np.float32), dtype)
