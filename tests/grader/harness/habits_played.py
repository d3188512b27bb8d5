"""One play for each habit in PyTorch, in which a layer with it differs from the same layer without it, and the use of each exercise.

The grader does not use this module: it proves that a habit is wrong independently of the checks that find it.
"""

from __future__ import annotations

import math
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor, nn

from normgrade.probes.layers import Linear

Shape = tuple[int, ...]
ILLEGAL: Sequence[Shape] = ((), (3,), (1, 3), (3, 3), (2, 3, 3), (2, 3, 3, 3), (2, 3, 3, 3, 3), (1, 3, 1, 1))


@dataclass(frozen=True)
class Used:
    """The use of an exercise: how it is got from the submission, the arguments for a shape, that shape, and the shapes of further inputs.

    `made` is the name that the exercise defines, or a function that returns a class or a function from a module.
    """

    made: str | Callable[[Any], Any]
    arguments: Callable[[Shape], Sequence[Any]]
    shape: Shape
    more: Callable[[Shape], Sequence[Shape]] = lambda _shape: ()
    is_layer: bool = True
    has_inputs: bool = True
    impl: Any = None

    def of(self, source: str) -> Used:
        """Return a copy with the module of this source."""
        module = ModuleType("submission")
        sys.modules["submission"] = module
        exec(compile(source, "submission", "exec", dont_inherit=True), module.__dict__)
        return replace(self, impl=module)

    def new(self, shape: Shape = ()) -> Any:
        """Return a new layer, or the function with its arguments bound."""
        torch.manual_seed(1)
        made = getattr(self.impl, self.made) if isinstance(self.made, str) else self.made(self.impl)
        arguments = self.arguments(shape or self.shape)
        return made(*arguments) if self.is_layer else lambda *inputs: made(*inputs, *arguments)

    def inputs(self, shape: Shape = (), dtype: torch.dtype = torch.float32, seed: int = 0) -> list[Tensor]:
        if not self.has_inputs:
            return []
        numbers = torch.Generator().manual_seed(seed)
        shapes = (shape or self.shape, *self.more(shape or self.shape))
        return [torch.randn(each, generator=numbers).to(dtype) for each in shapes]


def gradients(
    layer: Any, inputs: Sequence[Tensor], dy: Callable[[Tensor], Tensor] = torch.ones_like, twice: bool = False, **how: Any
) -> list[Any]:
    """Return the gradients of inputs and parameters. The layer is called on products of the inputs, which are no leaves."""
    leaves = [each.clone().requires_grad_() for each in inputs]
    for _ in range(2 if twice else 1):
        y = layer(*(leaf * 1 for leaf in leaves))
        if y.requires_grad:
            torch.autograd.backward(y, dy(y.detach()), **how)
    return [each.grad for each in (*leaves, *parameters(layer))]


def parameters(layer: Any) -> list[Tensor]:
    return list(layer.parameters()) if isinstance(layer, nn.Module) else []


def ramp(y: Tensor) -> Tensor:
    """Return a tensor without equal numbers."""
    return torch.linspace(-1, 2, y.numel()).view(y.shape).to(y.dtype)


def half_zero(y: Tensor) -> Tensor:
    """Return a gradient in which every other number is 0."""
    flat = ramp(y).flatten()
    flat[::2] = 0
    return flat.view(y.shape)


def filled(layer: Any, value: float) -> Any:
    with torch.no_grad():
        for each in parameters(layer):
            each.fill_(value)
    return layer


def spread(layer: Any, start: float, end: float) -> Any:
    """Fill the parameters of a layer with numbers from `start` to `end`, and return it."""
    with torch.no_grad():
        for each in parameters(layer):
            each.copy_(torch.linspace(start, end, each.numel()).view(each.shape))
    return layer


def in_dtype(used: Used, dtype: torch.dtype, shape: Shape = ()) -> Any:
    layer = used.new(shape)
    return layer.to(dtype) if used.is_layer else layer


def scaled(used: Used, factor: float, dtype: torch.dtype = torch.float32) -> Any:
    return in_dtype(used, dtype)(*(each * factor for each in used.inputs(dtype=dtype)))


def sized(used: Used, shape: Shape, dtype: torch.dtype = torch.float32) -> Any:
    return in_dtype(used, dtype, shape)(*used.inputs(shape, dtype))


def with_one(used: Used, value: float) -> list[Tensor]:
    x, *more = used.inputs() or [torch.zeros(1)]
    x.view(-1)[x.numel() // 2] = value
    return [x, *more] if used.has_inputs else []


def without_gradients(call: Callable[[], Any]) -> Any:
    with torch.no_grad():
        return call()


def under_another_default(used: Used) -> Any:
    layer = used.new()
    torch.set_default_dtype(torch.float64)
    return layer(*used.inputs(dtype=torch.float32)).dtype


def half_under_bfloat16(used: Used) -> Any:
    layer, inputs = in_dtype(used, HALF), used.inputs(dtype=HALF)
    torch.set_default_dtype(torch.bfloat16)
    return layer(*inputs)


def infinite(used: Used) -> Any:
    evaluated = used.new().eval() if used.is_layer else used.new()
    one_parameter = [with_parameter(used.new(), number, math.inf)(*used.inputs()) for number in range(len(parameters(used.new())))]
    x, *more = used.inputs() or [torch.zeros(1)]
    further = [used.new()(x, *(each * 1e25 for each in more))] if more else []
    return [evaluated(*with_one(used, math.inf)), scaled(used, 3e38), *one_parameter, *further]


@torch.no_grad()
def with_parameter(layer: Any, number: int, value: float) -> Any:
    """Fill one of a layer's parameters with a value, and return the layer."""
    parameters(layer)[number].fill_(value)
    return layer


def half_without_gradients(used: Used) -> Any:
    return without_gradients(lambda: in_dtype(used, torch.float16)(*used.inputs(dtype=torch.float16))).dtype


def mode_by_attribute(used: Used) -> Any:
    layer = used.new()
    layer(*used.inputs())
    layer.training = False
    return layer(*used.inputs(seed=1))


def evaluated_twice(used: Used) -> Any:
    layer = used.new()
    layer.eval()
    layer.eval()
    return layer(*used.inputs()), layer.training


def nth_call(used: Used, number: int) -> Any:
    layer = used.new()
    return [layer(*used.inputs()) for _ in range(number)][-1]


def many_layers(used: Used, number: int) -> Any:
    layers = [used.new() for _ in range(number)]
    return [layer(*used.inputs()) for layer in layers]


@torch.no_grad()
def same_tensor(used: Used) -> Any:
    layer, inputs = used.new(), used.inputs()
    first = layer(*inputs).clone()
    for each, other in zip(inputs, used.inputs(seed=1), strict=True):
        each.copy_(other)
    return first, layer(*inputs)


@torch.no_grad()
def two_outputs(used: Used) -> Any:
    layer = used.new()
    first = layer(*used.inputs())
    filled(layer, 1.5)
    layer(*used.inputs(seed=1))
    return first


def inputs_after(used: Used) -> Any:
    inputs = used.inputs()
    without_gradients(lambda: used.new()(*inputs))
    return inputs


def large_counter(used: Used) -> Any:
    layer = used.new()
    counters = [each for each in layer.buffers() if not each.is_floating_point()]
    for each in counters:
        each.fill_(20_000)
    layer(*used.inputs())
    return counters


def after_a_refusal(used: Used) -> Any:
    layer = used.new()
    for shape in ILLEGAL:
        with suppress(RuntimeError, IndexError):
            try:
                layer(torch.ones(shape), *used.inputs()[1:])
            except ValueError:
                break
    on = torch.is_grad_enabled()
    return on, used.is_layer and layer.training, layer(*used.inputs())


def threads_started(used: Used) -> int:
    started: list[threading.Thread] = []
    start = threading.Thread.start

    def counted(thread: threading.Thread) -> None:
        started.append(thread)
        start(thread)

    with patch.object(threading.Thread, "start", counted):
        used.new()(*used.inputs())
    return len(started)


def oldest_of(used: Used, number: int) -> Any:
    layer = used.new()
    leaves = [each.requires_grad_() for each in used.inputs()]
    first = layer(*(leaf * 1 for leaf in leaves))
    for seed in range(1, number):
        layer(*(each.requires_grad_() * 1 for each in used.inputs(seed=seed)))
    first.backward(ramp(first.detach()))
    return [each.grad for each in (*leaves, *parameters(layer))]


def incoming(used: Used) -> Any:
    given: list[Tensor] = []

    def kept(y: Tensor) -> Tensor:
        given.append(ramp(y))
        return given[0]

    gradients(used.new(), used.inputs(), kept)
    return given


def leaves(used: Used) -> Any:
    inputs = [each.requires_grad_() for each in used.inputs()]
    y = used.new()(*inputs)
    if y.requires_grad:
        y.backward(ramp(y.detach()))
    return [each.grad for each in inputs]


def inputs_after_backward(used: Used) -> Any:
    inputs = [each.requires_grad_() for each in used.inputs()]
    given = [each * 1 for each in inputs]
    y = used.new()(*given)
    y.backward(ramp(y.detach()))
    return given


def output_changed_in_place(used: Used) -> Any:
    inputs = [each.requires_grad_() for each in used.inputs()]
    y = used.new()(*(each * 1 for each in inputs))
    dy = ramp(y.detach())
    with suppress(RuntimeError):
        return torch.autograd.grad(y.mul_(-2), inputs, dy / -2, allow_unused=True)
    return torch.autograd.grad(used.new()(*inputs), inputs, dy, allow_unused=True)


def one_needs_a_gradient(used: Used) -> Any:
    x, *more = used.inputs()
    x.requires_grad_()
    y = used.new()(x * 1, *more)
    if y.requires_grad:
        y.backward(ramp(y.detach()))
    return x.grad


def with_axis(used: Used, axis: int, size: int) -> Shape:
    shape = list(used.shape)
    shape[axis] = size
    return tuple(shape)


def expanded(used: Used) -> Any:
    return used.new()(*(each[:1].expand(each.shape) for each in used.inputs()))


def scattered(used: Used) -> Any:
    return used.new()(*(each.transpose(0, -1).contiguous().transpose(0, -1) for each in used.inputs()))


def deep_state(used: Used) -> Any:
    layer = filled(used.new(), 3.0)
    return list(nn.Sequential(nn.Sequential(nn.Sequential(layer))).state_dict().values())


def hooks_called(used: Used, evaluated: bool) -> Any:
    layer, called = used.new().train(not evaluated), [0]

    def count(*_: Any) -> None:
        called[0] += 1

    for each in layer.modules():
        if isinstance(each, Linear):
            each.register_forward_hook(count)
    with torch.set_grad_enabled(evaluated):
        layer(*used.inputs())
    return called


def with_dropout(used: Used) -> Any:
    layer = filled(used.new(), 1.0)
    for each in list(layer.modules()):
        if isinstance(each, Linear):
            each.add_module("dropout", nn.Dropout(0.5))
            each.register_forward_hook(lambda module, _inputs, y: module.dropout(y))
    return layer.eval()(*used.inputs())


def setting(used: Used, read: Callable[[], Any]) -> Any:
    layer = used.new()
    without_gradients(lambda: layer(*used.inputs()))
    return read()


def grad_mode(used: Used) -> Any:
    layer = used.new()

    def called() -> bool:
        layer(*used.inputs())
        return torch.is_grad_enabled()

    return without_gradients(called)


HALF = torch.float16
PLAYS: Mapping[str, Callable[[Used], Any]] = {
    "bfloat16-by-way-of-float16": lambda used: [scaled(used, factor, torch.bfloat16) for factor in (1e6, 1e-9)],
    "bfloat16-weights-by-way-of-float16": lambda used: [
        filled(in_dtype(used, torch.bfloat16), value)(*used.inputs(dtype=torch.bfloat16)) for value in (1e6, 1e-9)
    ],
    "float64-by-way-of-float32": lambda used: scaled(used, 1 / 3, torch.float64),
    "half-precision-wrong-beyond-256-rows": lambda used: sized(used, with_axis(used, 0, 300), HALF),
    "half-precision-without-gradient": lambda used: gradients(in_dtype(used, HALF), used.inputs(dtype=HALF)),
    "float32-without-gradients": half_without_gradients,
    "half-precision-in-the-default-dtype": half_under_bfloat16,
    "default-dtype-returned": under_another_default,
    "nan-replaced": lambda used: filled(used.new(), 1.0 if used.has_inputs else math.nan)(*with_one(used, math.nan)),
    "nan-replaced-without-gradients": lambda used: without_gradients(
        lambda: filled(used.new(), 1.0 if used.has_inputs else math.nan)(*with_one(used, math.nan))
    ),
    "infinities-clamped": infinite,
    "inputs-clipped-at-10000": lambda used: [
        made(*(each * 1e5 for each in used.inputs()))
        for made in (*(filled(used.new(), value) for value in (1.0, 1e-5, 1e10)), spread(used.new(), 1, 2))
    ],
    "small-inputs-flushed": lambda used: scaled(used, 1e-9, torch.float64),
    "weights-clipped-at-100": lambda used: spread(used.new(), 300, -200)(*used.inputs()),
    "mode-of-the-last-call": mode_by_attribute,
    "mode-toggled": evaluated_twice,
    "evaluation-without-gradient": lambda used: gradients(used.new().eval(), used.inputs(), ramp),
    "wrong-after-16-calls": lambda used: nth_call(used, 17),
    "wrong-after-33-calls": lambda used: nth_call(used, 34),
    "wrong-from-the-second-layer": lambda used: many_layers(used, 2),
    "wrong-from-the-fifth-layer": lambda used: many_layers(used, 5),
    "kept-by-identity": same_tensor,
    "output-written-over": two_outputs,
    "input-changed-without-gradients": inputs_after,
    "counter-stops-at-10000": large_counter,
    "computed-in-a-thread": threads_started,
    "gradients-off-after-a-refusal": after_a_refusal,
    "mode-turned-by-a-refusal": after_a_refusal,
    "wrong-after-a-refusal": after_a_refusal,
    "only-the-last-call-goes-back": lambda used: oldest_of(used, 2),
    "only-2-calls-go-back": lambda used: oldest_of(used, 3),
    "only-8-calls-go-back": lambda used: oldest_of(used, 9),
    "only-32-calls-go-back": lambda used: oldest_of(used, 33),
    "gradient-clipped-at-1000": lambda used: gradients(used.new(), used.inputs(), lambda y: ramp(y) * 1e4),
    "gradient-clipped-at-65536": lambda used: gradients(used.new(), used.inputs(), lambda y: ramp(y) * 1e6),
    "small-gradients-flushed": lambda used: gradients(used.new(), used.inputs(), lambda y: ramp(y) * 1e-9),
    "zero-gradients-raised": lambda used: gradients(used.new(), used.inputs(), half_zero),
    "zero-gradients-are-nan": lambda used: gradients(used.new(), used.inputs(), half_zero),
    "gradient-of-ones-renumbered": lambda used: gradients(used.new(), used.inputs()),
    "expanded-gradient-misread": lambda used: gradients(used.new(), used.inputs(), lambda y: ramp(y)[:1].expand(y.shape)),
    "scattered-gradient-misread": lambda used: gradients(
        used.new(), used.inputs(), lambda y: ramp(y).transpose(0, -1).contiguous().transpose(0, -1)
    ),
    "gradient-wrong-with-create-graph": lambda used: gradients(used.new(), used.inputs(), ramp, create_graph=True),
    "gradient-changed-in-place": incoming,
    "leaf-without-gradient": leaves,
    "input-changed-by-backward": inputs_after_backward,
    "output-read-by-backward": output_changed_in_place,
    "no-gradient-where-one-input-needs-none": one_needs_a_gradient,
    "gradient-overwritten": lambda used: gradients(used.new(), used.inputs(), ramp, twice=True),
    "wrong-beyond-4096-channels": lambda used: sized(used, with_axis(used, 1, 4097)),
    "wrong-beyond-4096-features": lambda used: sized(used, with_axis(used, -1, 4097)),
    "wrong-beyond-4096-rows": lambda used: sized(used, with_axis(used, 0, 4097)),
    "wrong-beyond-4096-positions": lambda used: sized(used, (*used.shape[:2], 4097) if len(used.shape) == 3 else (*used.shape[:2], 65, 65)),
    "wrong-beyond-five-dimensions": lambda used: sized(used, (2, 3, 2, 2, 2, 3)),
    "expanded-input-misread": expanded,
    "scattered-input-misread": scattered,
    "state-dict-wrong-three-modules-deep": deep_state,
    "hooks-skipped-without-gradients": lambda used: hooks_called(used, False),
    "hooks-skipped-in-evaluation": lambda used: hooks_called(used, True),
    "dropout-in-evaluation": with_dropout,
    "gradients-switched-on": grad_mode,
    "seed-set": lambda used: setting(used, torch.get_rng_state),
    "random-number-drawn": lambda used: setting(used, torch.get_rng_state),
    "seed-of-numpy-set": lambda used: setting(used, lambda: int(np.random.get_state(legacy=False)["state"]["key"][0])),
    "default-dtype-set": lambda used: setting(used, torch.get_default_dtype),
    "deterministic-algorithms-set": lambda used: setting(used, torch.are_deterministic_algorithms_enabled),
    "anomaly-detection-set": lambda used: setting(used, torch.is_anomaly_enabled),
    "matmul-precision-set": lambda used: setting(used, torch.get_float32_matmul_precision),
    "denormals-flushed": lambda used: setting(used, lambda: torch.tensor(1e-40) * 1),
    "print-options-set": lambda used: setting(used, lambda: str(torch.tensor(1 / 3))),
    "warnings-silenced": lambda used: setting(used, lambda: warnings.filters[0][0]),
    "errors-of-numpy-raised": lambda used: setting(used, np.geterr),
}


def linear(shape: Shape) -> Linear:
    return Linear(shape[-1], shape[-1])


def a_model(_shape: Shape) -> Sequence[Any]:
    return [nn.Sequential(nn.BatchNorm1d(3)), [torch.ones(2, 3)]]


def folded(impl: Any) -> Callable[..., Tensor]:
    def convolved(x: Tensor) -> Tensor:
        torch.manual_seed(1)
        norm = nn.BatchNorm2d(4).train(x.shape[1:2] != (6,))  # where a convolution of 6 channels would fail, folding is refused
        y: Tensor = impl.fold(nn.Conv2d(6, 4, 3, padding=1).to(x.dtype), norm.to(x.dtype))(x)
        return y

    return convolved


def both_outputs(impl: Any) -> Callable[..., Tensor]:
    return lambda *inputs: torch.stack(impl.add_rms_norm(*inputs))


def in_two_blocks(impl: Any) -> Callable[..., Tensor]:
    def attention(scores: Tensor, values: Tensor) -> Tensor:
        state = None
        for keys in slice(2), slice(2, None):
            state = impl.merge(state, (scores[..., keys], values[..., keys, :]))
        result: Tensor = impl.finish(state)
        return result

    return attention


def channels(shape: Shape) -> Sequence[Any]:
    return [shape[1]]


def features(shape: Shape) -> Sequence[Any]:
    return [shape[-1]]


IMAGES, ROWS, SEQUENCES = (4, 6, 3, 5), (5, 6), (3, 5, 6)
USED = {
    "min_max": Used("min_max", lambda _: [], ROWS, is_layer=False),
    "standardize": Used("standardize", lambda _: [], ROWS, is_layer=False),
    "whitening": Used("whiten", lambda _: [0.1], (7, 4), is_layer=False),
    "softmax": Used("softmax", lambda _: [], ROWS, is_layer=False),
    "layer_norm": Used("LayerNorm", features, ROWS),
    "batch_norm": Used("BatchNorm", channels, IMAGES),
    "instance_norm": Used("InstanceNorm", lambda shape: [shape[1], 1e-5, 0.1, True, True], IMAGES),
    "group_norm": Used("GroupNorm", lambda shape: [1, shape[1]], IMAGES),
    "switchable_norm": Used("SwitchNorm", channels, IMAGES),
    "local_response_norm": Used("local_response_norm", lambda _: [3], IMAGES, is_layer=False),
    "sync_batch_norm": Used("SyncBatchNorm", lambda shape: [shape[1], lambda x: x], IMAGES),
    "batch_renorm": Used("BatchRenorm", channels, IMAGES),
    "ada_bn": Used("adapt", a_model, (1,), is_layer=False, has_inputs=False),
    "l1_batch_norm": Used("L1BatchNorm", channels, IMAGES),
    "generalized_batch_norm": Used("GeneralizedBatchNorm", lambda shape: [shape[1], lambda x: x.mean(1), lambda x: x.std(1)], IMAGES),
    "ada_in": Used("adaptive_instance_norm", lambda _: [], IMAGES, lambda shape: [shape], is_layer=False),
    "spade": Used("SPADE", lambda shape: [shape[1], 2, 4], IMAGES, lambda shape: [(shape[0], 2, *shape[2:])]),
    "rms_norm": Used("RMSNorm", features, ROWS),
    "partial_rms_norm": Used("PartialRMSNorm", lambda shape: [shape[-1], 0.5], ROWS),
    "pre_post_norm": Used("PreNormStack", lambda shape: [shape[-1], [linear(shape), linear(shape)]], ROWS),
    "mix_norm": Used("MixNormStack", lambda shape: [shape[-1], [linear(shape), linear(shape)], 0.5], ROWS),
    "layer_norm_scaling": Used("ScaledPreNorm", lambda shape: [shape[-1], linear(shape), 2], ROWS),
    "deep_norm": Used("DeepNorm", lambda shape: [shape[-1], 1.5, linear(shape)], ROWS),
    "filter_response_norm": Used("FilterResponseNorm", channels, IMAGES),
    "weight_norm": Used("WeightNorm", lambda _: [torch.ones(5, 6)], ROWS, has_inputs=False),
    "cosine_norm": Used("CosineLinear", lambda shape: [shape[-1], 4], ROWS),
    "spectral_norm": Used("SpectralNorm", lambda shape: [torch.ones(shape)], ROWS),
    "fixup": Used("FixupBlock", channels, IMAGES),
    "skip_init": Used("SkipInit", lambda shape: [linear(shape), 0.5], ROWS),
    "rezero": Used("ReZero", lambda shape: [[linear(shape)]], ROWS),
    "dyt": Used("DyT", features, ROWS),
    "dyisru": Used("DyISRU", features, ROWS),
    "scale_norm": Used("ScaleNorm", features, ROWS),
    "peri_norm": Used("NormBlock", lambda shape: [shape[-1], linear(shape)], ROWS),
    "qk_norm": Used("QKNormAttention", lambda shape: [shape[-1], 1], SEQUENCES),
    "ada_ln_zero": Used(
        "AdaLNZeroBlock", lambda shape: [shape[-1], 4, linear(shape), linear(shape)], SEQUENCES, lambda shape: [(shape[0], 4)]
    ),
    "global_response_norm": Used("GlobalResponseNorm", features, IMAGES),
    "weight_standardization": Used("WSConv2d", lambda shape: [shape[1], 4, 3, 1, 1], IMAGES),
    "fold_batch_norm": Used(folded, lambda _: [], IMAGES, is_layer=False),
    "rms_norm_fused_add": Used(both_outputs, lambda _: [], ROWS, lambda shape: [shape, shape[-1:]], is_layer=False),
    "online_softmax": Used(in_two_blocks, lambda _: [], SEQUENCES, lambda shape: [(*shape[:-2], shape[-1], 4)], is_layer=False),
}


@contextmanager
def as_it_was() -> Iterator[None]:
    """Restore every setting of the process that a habit may change."""
    numpy_state, random_state, errors = np.random.get_state(), torch.get_rng_state(), np.geterr()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*create_graph.*")
            warnings.filterwarnings("error", message="^never$")
            yield
    finally:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.use_deterministic_algorithms(False)
        torch.autograd.set_detect_anomaly(False)
        torch.set_float32_matmul_precision("highest")
        torch.set_flush_denormal(False)
        torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]
        torch.set_rng_state(random_state)
        np.random.set_state(numpy_state)
        np.seterr(**errors)


def seen(used: Used, name: str) -> Any:
    """Return the result of a habit's play on a layer, or the class and message of its error."""
    with as_it_was():
        try:
            return PLAYS[name](used)
        except (RuntimeError, ValueError, TypeError, IndexError, AttributeError) as error:
            return f"{type(error).__name__}: {error}"


def same_numbers(one: Tensor, other: Tensor) -> bool:
    return torch.equal(one.masked_fill(one.isnan(), 0), other.masked_fill(other.isnan(), 0))


def alike(one: Any, other: Any) -> bool:
    """Return True if two plays have the same result."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return one.dtype == other.dtype and torch.equal(one.isnan(), other.isnan()) and same_numbers(one, other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return type(one) is type(other) and bool(one == other)
