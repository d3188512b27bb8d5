"""What a request leaves open, because only the reference knows the shapes: the state of a layer, and the upstream gradients."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from normgrade.language import _
from normgrade.worker.observation import Array, Request

DRAWN = "drawn"  # stands in a request for numbers that completion draws


def generator(*key: object) -> np.random.Generator:
    """NumPy's PCG64, seeded by the key alone: the same numbers whatever was drawn before."""
    digest = hashlib.sha256(repr(key).encode()).digest()
    return np.random.Generator(np.random.PCG64(np.frombuffer(digest[:16], "<u4")))  # as the same bytes in one number, and faster


def is_complete(request: Request) -> bool:
    return "draw" not in request.inputs


def complete(reference: ModuleType, request: Request, probes: ModuleType | None) -> Request:
    """The request with everything drawn. Its input `draw` is the key of the draws."""
    inputs = dict(request.inputs)
    key = inputs.pop("draw")
    match request.probe:
        case "new_layer":
            return Request(request.probe, inputs | {"names": list(layout(reference, inputs))})
        case "layer_story":
            return with_upstream(reference, Request(request.probe, with_state(reference, inputs, key)), probes, key)
        case _:
            return with_upstream(reference, Request(request.probe, inputs), probes, key)


def build(reference: ModuleType, inputs: Mapping[str, Any]) -> Any:
    from normgrade.worker.play import to_tensors

    return getattr(reference, inputs["layer"])(*to_tensors(inputs["args"]), **to_tensors(inputs["kwargs"]))


def layout(reference: ModuleType, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Name → tensor of every parameter and buffer of the layer, None where it is switched off; nothing where it refuses to be built."""
    try:
        module = build(reference, inputs)
    except Exception:  # a refusal can be what a suite asks for: the probe meets it again, and says so
        return {}
    named: dict[str, Any] = {}
    for prefix, part in module.named_modules():
        for name, tensor in (part._parameters | part._buffers).items():
            named[f"{prefix}.{name}" if prefix else name] = tensor
    return named


def with_state(reference: ModuleType, inputs: dict[str, Any], key: object) -> dict[str, Any]:
    """Fill in `state`: what the suite gave, and random values for the rest. Floating-point tensors are watched, counters on demand."""
    given, dtype = inputs["state"], inputs.pop("dtype")
    tensors = {name: tensor for name, tensor in layout(reference, inputs).items() if tensor is not None}
    if strange := sorted({*given, *inputs["watch"]} - tensors.keys()):
        has = ", ".join(tensors) or _("no state")
        raise ValueError(_('the reference has no "{name}" to fill or watch; it has {has}', name=strange[0], has=has))
    state = {}
    for name, tensor in tensors.items():
        floating = tensor.is_floating_point()
        kind = dtype if floating else str(tensor.dtype)[6:]
        value = given[name].values if name in given else draw_state(generator(key, name), name, tuple(tensor.shape), floating)
        state[name] = rounded_to(np.broadcast_to(value, tuple(tensor.shape)), kind)
    watch = [name for name, tensor in tensors.items() if tensor.is_floating_point() or name in inputs["watch"]]
    return inputs | {"state": state, "watch": watch}


def draw_state(random: np.random.Generator, name: str, shape: tuple[int, ...], floating: bool) -> np.ndarray:
    """Values that hide nothing: distinct, no weight 1, no bias 0, variances and deviations positive, counts small."""
    if not floating:
        return np.asarray(random.integers(3, 9, shape))
    sizes = np.asarray(random.uniform(0.5, 1.8, shape))
    if any(word in name for word in ("var", "std", "dev")):
        return sizes
    return np.asarray(sizes * random.choice([-1.0, 1.0], shape))


def with_upstream(reference: ModuleType, request: Request, probes: ModuleType | None, key: object) -> Request:
    """Fill in the upstream gradients: of the shape of the reference's own results."""
    from normgrade.worker.play import play

    inputs = dict(request.inputs)
    is_story = request.probe == "layer_story"
    steps = inputs["steps"] if is_story else [inputs]
    if not any(step.get("upstream") == DRAWN for step in steps if isinstance(step.get("upstream"), str)):
        return request
    closed = [{**step, "upstream": None} if isinstance(step.get("upstream"), str) else step for step in steps]
    forward = {**inputs, "steps": closed} if is_story else closed[0]
    seen = play(reference, Request(request.probe, forward), probes, trusted=True).values
    drawn = []
    for number, step in enumerate(steps, 1):
        result = seen.get(f"step {number} · output" if is_story else "result")
        if isinstance(step.get("upstream"), str):
            values = generator(key, "upstream", number).standard_normal(result.values.shape) if isinstance(result, Array) else None
            step = {**step, "upstream": None if values is None else rounded_to(values, "float32")}
        drawn.append(step)
    return Request(request.probe, {**inputs, "steps": drawn} if is_story else drawn[0])


def rounded_to(values: np.ndarray, dtype: str) -> Array:
    """The values as an Array of that dtype, rounded to nearest even; bfloat16 is kept as float32."""
    if dtype != "bfloat16":
        return Array(np.asarray(values).astype(dtype), dtype)
    bits = np.asarray(values).astype(np.float32).view(np.uint32).astype(np.uint64)
    nearest = (bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) & np.uint64(0xFFFF0000)
    return Array(nearest.astype(np.uint32).view(np.float32), dtype)
