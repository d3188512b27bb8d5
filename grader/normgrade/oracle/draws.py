"""The parts of a request that need shapes, which only the reference knows: the state of a layer, and the upstream gradients."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import ModuleType
from typing import Any

import numpy as np

from normgrade.course.tensor_library import Library
from normgrade.language import _
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import DRAWN, Differentiable, LayerStep, LayerStory, NewLayer, TypedRequest


def generator(*key: object) -> np.random.Generator:
    """Return NumPy's PCG64, seeded only by the key: earlier draws do not change its numbers."""
    digest = hashlib.sha256(repr(key).encode()).digest()
    return np.random.Generator(np.random.PCG64(np.frombuffer(digest[:16], "<u4")))  # the same as with these bytes as one number, and faster


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """The shape and the dtype of a tensor, and its `initial` numbers if a layer keeps them."""

    shape: tuple[int, ...]
    dtype: str
    initial: Array | None = None

    @property
    def floating(self) -> bool:
        """True if the tensor holds floating-point numbers."""
        return "float" in self.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """The forms that only the reference knows: those of a layer's tensors by name, and by step those of results with upstream gradients.

    The form of a tensor is None if the tensor is switched off, that of a result if the result is no array.
    """

    state: Mapping[str, Form | None] = field(default_factory=dict)
    results: Mapping[int, Form | None] = field(default_factory=dict)


def complete(
    reference: ModuleType, request: TypedRequest, probes: ModuleType | None, written_with: Library = Library.TORCH
) -> TypedRequest:
    """Return the request with everything drawn, from the key that it holds. If it leaves nothing open, return it unchanged."""
    if request.draw is None:
        return request
    filled = with_state(request, state_forms(reference, request, probes, written_with))
    if isinstance(filled, NewLayer) or not filled.undrawn:
        return filled
    return with_upstream(filled, result_forms(reference, filled, probes, written_with), request.draw)


def completed(request: TypedRequest, forms: Forms) -> TypedRequest:
    """Complete a request as `complete` does, with the `forms` that only the reference knows."""
    if request.draw is None:
        return request
    filled = with_state(request, forms.state)
    return filled if isinstance(filled, NewLayer) else with_upstream(filled, forms.results, request.draw)


def forms_in(request: TypedRequest, whole: TypedRequest) -> Forms:
    """Return the forms that the reference provided for a request. They are read off the request after its completion, `whole`."""
    state: dict[str, Form | None] = {}
    match whole:
        case NewLayer(names=names):
            state = dict.fromkeys(names)
        case LayerStory():
            state = {name: form_of(value, whole.as_built) for name, value in whole.state.items()}
    if isinstance(request, NewLayer) or isinstance(whole, NewLayer):
        return Forms(state)
    drawn = {number: whole.upstream_at(number) for number in request.undrawn}
    return Forms(state, {number: form_of(value) if isinstance(value, Array) else None for number, value in drawn.items()})


def form_of(value: Array, keeps_numbers: bool = False) -> Form:
    """Return the form of an array, with its numbers if the layer keeps them."""
    return Form(value.values.shape, value.dtype, value if keeps_numbers else None)


def state_forms(reference: ModuleType, request: TypedRequest, probes: ModuleType | None, written_with: Library) -> dict[str, Form | None]:
    """Return the form of every parameter and buffer of a layer, by name. Functions have no state."""
    as_built = isinstance(request, LayerStory) and request.as_built
    if not (isinstance(request, NewLayer) or (isinstance(request, LayerStory) and written_with is Library.TORCH)):
        return {}

    def form(tensor: Any) -> Form:
        return Form(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), initial(tensor) if as_built else None)

    return {name: None if tensor is None else form(tensor) for name, tensor in layout(reference, request, probes).items()}


def result_forms(
    reference: ModuleType, request: Differentiable, probes: ModuleType | None, written_with: Library
) -> dict[int, Form | None]:
    """Return the form of every result that has an upstream gradient, by the number of its step."""
    from normgrade.worker.untrusted.play import play  # only to play

    forward = request.with_upstream(dict.fromkeys(request.undrawn))
    seen = play(reference, forward, probes, trusted=True, written_with=written_with).values
    values = {number: seen.get(place) for number, place in request.undrawn.items()}
    dtype = None if written_with is Library.NUMPY else "float32"
    return {
        number: Form(value.values.shape, dtype or value.dtype) if isinstance(value, Array) else None for number, value in values.items()
    }


def layout(reference: ModuleType, request: LayerStory | NewLayer, probes: ModuleType | None) -> dict[str, Any]:
    """Return every parameter and buffer of the layer by name, None for one that is switched off.

    If the layer refuses to be built, return an empty dictionary.
    """
    from normgrade.probes.layers import build, given_names, own_names  # loads PyTorch
    from normgrade.worker.untrusted.play import backend, given, with_builders  # only to play

    args, kwargs = (given(each, backend(Library.TORCH)) for each in (request.args, request.kwargs))
    try:
        module = build(with_builders(reference, probes), request.layer, args, kwargs)
    except Exception:  # a suite can ask for a refusal: the probe meets it again, and reports it
        return {}
    names = own_names(module) if isinstance(request, NewLayer) else [*given_names(module), *own_names(module)]
    return {name: attrgetter(name)(module) for name in names}


def with_state(request: TypedRequest, forms: Mapping[str, Form | None]) -> TypedRequest:
    """Fill in the state: the suite's numbers, and random values for the rest. Floating-point tensors are watched, counters on demand."""
    match request:
        case NewLayer():
            return replace(request, names=list(forms), draw=None)
        case LayerStory():
            return with_tensors(request, {name: form for name, form in forms.items() if form is not None})
        case _:
            return replace(request, draw=None)


def with_tensors(story: LayerStory, forms: Mapping[str, Form]) -> LayerStory:
    """Fill in the state of a story's layer. Raise ValueError for a name that the reference does not have."""
    given, key = story.state, story.draw
    if strange := sorted({*given, *story.watch, *story.ignored} - forms.keys()):
        has = ", ".join(forms) or _("no state")
        raise ValueError(_('the reference has no "{name}" to fill or watch; it has {has}', name=strange[0], has=has))
    state = {name: form.initial or drawn(story, name, form, key) for name, form in forms.items()}
    steps = [
        replace(step, state={name: at_scale(step, drawn(story, name, form, key, "changed", number), name) for name, form in forms.items()})
        if step.state is DRAWN
        else step
        for number, step in enumerate(story.steps, 1)
    ]
    wanted = {name for name, form in forms.items() if form.floating} | {*story.watch}
    watch = [name for name in forms if name in wanted and name not in story.ignored]
    return replace(story, state=state, watch=watch, steps=steps, ignored=[], draw=None)


def initial(tensor: Any) -> Array:
    """Return a parameter or buffer of a new layer, as it was built."""
    kind = str(tensor.dtype)[6:]
    return Array(tensor.detach().double().numpy().astype(kind) if tensor.is_floating_point() else tensor.numpy().copy(), kind)


def drawn(story: LayerStory, name: str, form: Form, key: object, *more: object) -> Array:
    """Return the numbers for a parameter or buffer: those of the suite if it gave any, otherwise random ones."""
    kind = story.dtype if form.floating else form.dtype
    given = story.state.get(name) if not more else None
    values = draw_state(generator(key, *more, name), name, form.shape, form.floating) if given is None else given.values
    return rounded_to(np.broadcast_to(values, form.shape), kind)


def at_scale(step: LayerStep, value: Array, name: str) -> Array:
    """Scale a tensor that a step writes: weights and biases by the scale of the step, counters by its square."""
    if step.scale is not None and step.scale > 1 and value.values.dtype.kind == "i":
        return Array(value.values * int(step.scale) ** 2, value.dtype)
    if step.scale is None or name.rpartition(".")[2] not in ("weight", "bias"):
        return value
    return rounded_to(value.values * step.scale, value.dtype)


def draw_state(random: np.random.Generator, name: str, shape: tuple[int, ...], floating: bool) -> np.ndarray:
    """Draw values that hide nothing: distinct, no weight 1, no bias 0, variances and deviations positive, counts small."""
    if not floating:
        return np.asarray(random.integers(3, 9, shape))
    sizes = np.asarray(random.uniform(0.5, 1.8, shape))
    if any(word in name for word in ("var", "std", "dev")):
        return sizes
    return np.asarray(sizes * random.choice([-1.0, 1.0], shape))


def with_upstream(request: Differentiable, results: Mapping[int, Form | None], key: object) -> Differentiable:
    """Fill in the upstream gradients, in the shapes of the reference's own results."""
    return request.with_upstream({number: draw_upstream(key, number, results.get(number)) for number in request.undrawn})


def draw_upstream(key: object, number: int, result: Form | None) -> Array | None:
    """Draw the upstream gradient of a result, or return None if the result is no array."""
    if result is None:
        return None
    return rounded_to(generator(key, "upstream", number).standard_normal(result.shape), result.dtype)


def rounded_to(values: np.ndarray, dtype: str) -> Array:
    """Return the values as an Array of that dtype, rounded to nearest even. Those of bfloat16 are stored as float32."""
    if dtype != "bfloat16":
        return Array(np.asarray(values).astype(dtype), dtype)
    bits = np.asarray(values).astype(np.float32).view(np.uint32).astype(np.uint64)
    nearest = (bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) & np.uint64(0xFFFF0000)
    return Array(nearest.astype(np.uint32).view(np.float32), dtype)
