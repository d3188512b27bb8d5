"""The envelope of a suite: the range of everything that the reference is given while it is played, and the gaps in that range.

Wrong code passes if no play meets its error. The envelope is recorded at the calls, so it shows the inputs that submissions get.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from types import ModuleType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from normgrade.course.exercise import Exercise
from normgrade.course.tensor_library import Library
from normgrade.grading.grader import Grader
from normgrade.language import N_, _
from normgrade.oracle.plays import play_natively
from normgrade.suite.situations import SITUATIONS
from normgrade.worker.wire.observation import Playable

GRADIENT = "gradient of the output"
LONG = 256  # bfloat16 counts up to this number; an axis has to be longer
BEYOND = {"float16": 6e4, "bfloat16": 7e4}  # magnitudes: near the end of float16, and beyond it


@dataclass
class Range:
    """The range of one input, one gradient or one parameter in all calls: forms, sizes by dtype, and special numbers."""

    dtypes: set[str] = field(default_factory=set)
    ranks: set[int] = field(default_factory=set)
    lengths: set[int] = field(default_factory=set)
    numbers: int = 0  # in the largest array
    smallest: dict[str, float] = field(default_factory=dict)  # magnitude by dtype, except for 0
    largest: dict[str, float] = field(default_factory=dict)
    special: set[str] = field(default_factory=set)  # zeros, NaNs, infinities and layouts in memory

    def add(self, values: np.ndarray, dtype: str, layout: Iterable[str]) -> None:
        """Take one more array into account."""
        self.dtypes.add(dtype)
        self.ranks.add(values.ndim)
        self.lengths.update(values.shape)
        self.numbers = max(self.numbers, values.size)
        self.special.update(layout)
        finite = np.isfinite(values)
        sizes = np.abs(values[finite].astype(np.float64))
        for name, found in (("NaN", np.isnan(values)), ("infinity", np.isinf(values)), ("zero", values == 0)):
            if found.any():
                self.special.add(name)
        if (nonzero := sizes[sizes > 0]).size:
            self.smallest[dtype] = min(self.smallest.get(dtype, np.inf), float(nonzero.min()))
            self.largest[dtype] = max(self.largest.get(dtype, 0.0), float(nonzero.max()))

    def __str__(self) -> str:
        sizes = (f"{dtype} {self.smallest[dtype]:.0e}…{self.largest[dtype]:.0e}" for dtype in sorted(self.smallest))
        ranks, lengths = (f"{min(each)}…{max(each)}" if each else "0" for each in (self.ranks, self.lengths))
        special = ", ".join(sorted(self.special))
        return _(
            "{ranks} axes of {lengths}, {n} numbers; {sizes}; {special}",
            ranks=ranks,
            lengths=lengths,
            n=self.numbers,
            sizes=", ".join(sizes),
            special=special,
        )


@dataclass
class Envelope:
    """Ranges by name, the highest counts of calls and layers, and the ways in which layers were called."""

    ranges: dict[str, Range] = field(default_factory=dict)
    most: Counter[str] = field(default_factory=Counter)
    ways: set[str] = field(default_factory=set)

    def of(self, name: str) -> Range:
        return self.ranges.setdefault(name, Range())

    def at_most(self, what: str, count: int) -> None:
        self.most[what] = max(self.most[what], count)

    def lines(self) -> Iterator[str]:
        """Yield the lines that describe the envelope."""
        for name, seen in self.ranges.items():
            yield f"{name}: {seen}"
        if self.most:
            yield ", ".join(f"{count} {what}" for what, count in sorted(self.most.items()))
        yield ", ".join(sorted(self.ways))


def envelope_of(grader: Grader, exercise: Exercise) -> Envelope:
    """Return the envelope of an exercise. Its whole suite is played on the reference in this process."""
    reference_run, suite = grader.reference_run(exercise), grader.suites[exercise.slug]
    requests = [asked.expectation.request for test in suite.tests for asked in reference_run.of(test).asked]
    reference, probes = reference_run.oracle.modules(reference_run.reference)
    return seen_by(exercise, requests, partial(play_natively, probes=probes, written_with=exercise.written_with), reference)


def seen_by(exercise: Exercise, requests: Iterable[Playable], play: Callable[..., object], reference: ModuleType) -> Envelope:
    """Return the envelope of the reference when `play` is called on it, and on each request."""
    envelope = Envelope()
    for request in requests:
        if exercise.written_with is Library.NUMPY:
            play(in_numpy(reference, exercise, envelope), request)
            continue
        with in_pytorch(reference, exercise, envelope) as heard:
            play(heard, request)
    return envelope


# NumPy


def in_numpy(reference: ModuleType, exercise: Exercise, envelope: Envelope) -> ModuleType:
    """Return a copy of the reference for one story, whose functions record their arguments."""
    watched = copied(reference)
    pending: Counter[str] = Counter()

    def forward(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for name, value in named_inputs(args, kwargs):
                if isinstance(value, np.ndarray):
                    envelope.of(name).add(value, value.dtype.name, layout_of_array(value))
            pending["calls"] += 1
            envelope.at_most("calls waiting for their backward passes", pending["calls"])
            return function(*args, **kwargs)

        return call

    def backward(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(dy: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(dy, np.ndarray):
                envelope.of(GRADIENT).add(dy, dy.dtype.name, layout_of_array(dy))
            pending["calls"] = max(0, pending["calls"] - 1)
            return function(dy, *args, **kwargs)

        return call

    for each in exercise.defines:
        setattr(watched, each.name, (backward if each.name == "backward" else forward)(getattr(reference, each.name)))
    return watched


def copied(module: ModuleType) -> ModuleType:
    """Return another module with the same names."""
    copy = ModuleType(module.__name__)
    vars(copy).update(vars(module))
    return copy


def named_inputs(args: Iterable[Any], kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of a call, with their names in the envelope."""
    for number, value in enumerate((*args, *kwargs.values()), 1):
        yield "input" if number == 1 else f"input {number}", value


def layout_of_array(x: np.ndarray) -> Iterator[str]:
    """Yield the words for the layout of an array in memory."""
    if any(stride < 0 for stride in x.strides):
        yield "negative strides"
    if x.size > 1 and 0 in [stride for stride, length in zip(x.strides, x.shape, strict=True) if length > 1]:
        yield "stride 0"
    if not x.flags.c_contiguous:
        yield "another order"
    if not x.flags.writeable:
        yield "read-only"


# PyTorch


@contextmanager
def in_pytorch(reference: ModuleType, exercise: Exercise, envelope: Envelope) -> Iterator[ModuleType]:
    """Yield a copy of the reference whose layers and functions record their inputs meanwhile."""
    import torch  # loads PyTorch

    recorder = Recorder(envelope)
    watched = copied(reference)
    for each in exercise.defines:
        if not isinstance(function := getattr(reference, each.name), type):
            setattr(watched, each.name, recorder.around(function))
    classes = tuple(each for each in vars(reference).values() if isinstance(each, type) and issubclass(each, torch.nn.Module))
    own = tuple(each for each in classes if each.__module__ == reference.__name__)
    handles = (
        torch.nn.modules.module.register_module_forward_pre_hook(lambda module, args: recorder.called(module, args, own)),
        torch.nn.modules.module.register_module_forward_hook(lambda module, args, output: recorder.returned(module, output, own)),
    )
    asked = torch.nn.Module.train
    torch.nn.Module.train = recorder.asking(asked)  # type: ignore[method-assign]
    try:
        yield watched
    finally:
        torch.nn.Module.train = asked  # type: ignore[method-assign]
        for handle in handles:
            handle.remove()


@dataclass
class Recorder:
    """A recorder of the calls of one story in PyTorch."""

    envelope: Envelope
    calls: WeakKeyDictionary[Any, int] = field(default_factory=WeakKeyDictionary)  # of each layer that is alive
    pending: WeakKeyDictionary[Any, set[object]] = field(default_factory=WeakKeyDictionary)  # calls, of each layer or function
    modes: WeakKeyDictionary[Any, bool] = field(default_factory=WeakKeyDictionary)  # the mode that each layer was last asked for

    def called(self, module: Any, args: tuple[Any, ...], own: tuple[Any, ...]) -> None:
        """Record the inputs of a layer, its parameters, and the way in which its mode was set."""
        if not isinstance(module, own):
            return
        self.calls[module] = self.calls.get(module, 0) + 1
        self.envelope.at_most("calls of one layer", self.calls[module])
        self.envelope.at_most("layers alive", len(self.calls))
        if self.modes.get(module, True) != module.training:
            self.envelope.ways.add("mode by attribute")
        for name, parameter in module.named_parameters():
            if parameter.is_leaf and parameter.grad is not None:
                self.envelope.ways.add("gradients kept")
            self.add(f"parameter {name}", parameter)
        self.inputs(args, {})

    def inputs(self, args: Iterable[Any], kwargs: Mapping[str, Any]) -> None:
        """Record the inputs of a call, and the settings around it."""
        import torch  # loads PyTorch

        self.envelope.ways.add(f"default dtype {str(torch.get_default_dtype()).removeprefix('torch.')}")
        if not torch.is_grad_enabled():
            self.envelope.ways.add("inference mode" if torch.is_inference_mode_enabled() else "no grad")
        tensors = [(name, value) for name, value in named_inputs(args, kwargs) if isinstance(value, torch.Tensor)]
        for name, value in tensors:
            self.add(name, value)
            self.envelope.of(name).special.add("leaf" if value.is_leaf and value.requires_grad else "no leaf")
        if len({value.requires_grad for _name, value in tensors}) > 1:
            self.envelope.ways.add("some inputs without gradients")

    def returned(self, module: Any, output: Any, own: tuple[Any, ...]) -> None:
        if isinstance(module, own):
            self.output(output, module)

    def output(self, output: Any, caller: Any) -> None:
        """Record the gradient of an output when it arrives."""
        import torch  # loads PyTorch

        if not (isinstance(output, torch.Tensor) and output.requires_grad and torch.is_grad_enabled()):
            return
        waiting, this = self.pending.setdefault(caller, set()), object()
        waiting.add(this)
        self.envelope.at_most("calls waiting for their backward passes", len(waiting))

        def arrives(gradient: torch.Tensor) -> None:
            waiting.discard(this)
            self.add(GRADIENT, gradient)
            if torch.is_grad_enabled():
                self.envelope.ways.add("create_graph")

        output.register_hook(arrives)  # type: ignore[no-untyped-call]

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that records its calls."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self.inputs(args, kwargs)
            result = function(*args, **kwargs)
            self.output(result, call)
            return result

        return call

    def asking(self, train: Callable[..., Any]) -> Callable[..., Any]:
        """Return a `Module.train` that remembers the mode that was asked for."""

        def asked(module: Any, mode: bool = True) -> Any:
            if self.modes.get(module) == mode:
                self.envelope.ways.add("mode asked for twice")
            self.modes[module] = mode
            return train(module, mode)

        return asked

    def add(self, name: str, tensor: Any) -> None:
        """Record a tensor of floating-point numbers."""
        if tensor.is_floating_point():
            values = tensor.detach().double().numpy()
            self.envelope.of(name).add(values, str(tensor.dtype).removeprefix("torch."), layout_of_tensor(tensor))


def layout_of_tensor(x: Any) -> Iterator[str]:
    """Yield the words for the layout of a tensor in memory."""
    if x.numel() > 1 and 0 in [stride for stride, length in zip(x.stride(), x.shape, strict=True) if length > 1]:
        yield "stride 0"
    if not x.is_contiguous():
        yield "another order"


# The least that a suite has to play


class Least(NamedTuple):
    """One thing that has to be seen, in words, and the situation that shows it.

    An exercise that leaves the situation out needs no other reason.
    """

    what: str
    by: str
    is_seen: Callable[[Envelope], bool]


def special(name: str, what: str) -> Callable[[Envelope], bool]:
    return lambda envelope: what in envelope.of(name).special


def way(name: str) -> Callable[[Envelope], bool]:
    return lambda envelope: name in envelope.ways


def any_beyond(dtype: str, limit: float) -> Callable[[Envelope], bool]:
    return lambda envelope: envelope.of("input").largest.get(dtype, 0) > limit


EVERYWHERE = (
    Least(N_("an input in float64"), "every_dtype", lambda envelope: "float64" in envelope.of("input").dtypes),
    Least(N_("an input in float16"), "every_dtype", lambda envelope: "float16" in envelope.of("input").dtypes),
    Least(N_("an input that lies in another order"), "views", special("input", "another order")),
    Least(N_("an input with stride 0"), "views", special("input", "stride 0")),
    Least(N_("an input with a NaN"), "not_finite", special("input", "NaN")),
    Least(N_("an input with an infinity"), "not_finite", special("input", "infinity")),
    Least(N_("an axis of an input longer than 256"), "real_size", lambda envelope: max(envelope.of("input").lengths, default=0) > LONG),
)
WITH_GRADIENTS = (
    Least(N_("a gradient with zeros"), "any_gradient", special(GRADIENT, "zero")),
    Least(N_("a gradient with stride 0"), "any_gradient", special(GRADIENT, "stride 0")),
    Least(N_("a gradient that lies in another order"), "any_gradient", special(GRADIENT, "another order")),
    Least(N_("a gradient above 1e5"), "any_gradient", lambda envelope: max(envelope.of(GRADIENT).largest.values(), default=0) > 1e5),
    Least(N_("a gradient below 1e-8"), "any_gradient", lambda envelope: min(envelope.of(GRADIENT).smallest.values(), default=1) < 1e-8),
    Least(
        N_("forty calls that wait for their backward passes"),
        "many_calls",
        lambda envelope: envelope.most["calls waiting for their backward passes"] >= 40,
    ),
)
IN_PYTORCH = (
    Least(N_("an input in bfloat16 beyond float16"), "every_dtype", any_beyond("bfloat16", BEYOND["bfloat16"])),
    Least(N_("a call without gradients"), "without_gradients", way("no grad")),
    Least(N_("a call in inference mode"), "without_gradients", way("inference mode")),
)
OF_LAYERS = (
    Least(N_("another default dtype: float64"), "other_defaults", way("default dtype float64")),
    Least(N_("another default dtype: bfloat16"), "other_defaults", way("default dtype bfloat16")),
    Least(N_("an input that is a leaf"), "gradients_add_up", special("input", "leaf")),
    Least(N_("a backward pass with create_graph=True"), "gradients_add_up", way("create_graph")),
    Least(N_("gradients that are kept"), "gradients_add_up", way("gradients kept")),
    Least(N_("a mode set by attribute"), "modes_asked_for", way("mode by attribute")),
    Least(N_("a mode asked for twice"), "modes_asked_for", way("mode asked for twice")),
    Least(N_("fifty calls of one layer"), "many_rows", lambda envelope: envelope.most["calls of one layer"] >= 50),
    Least(N_("eight layers alive"), "many_calls", lambda envelope: envelope.most["layers alive"] >= 8),
)
IN_NUMPY = (
    Least(N_("an input to which nobody may write"), "views", special("input", "read-only")),
    Least(N_("an input with negative strides"), "views", special("input", "negative strides")),
    Least(N_("a gradient to which nobody may write"), "any_gradient", special(GRADIENT, "read-only")),
)


def least(exercise: Exercise) -> Iterator[Least]:
    """Yield everything that has to be seen of an exercise."""
    names = {each.name for each in exercise.defines}
    yield from EVERYWHERE
    if exercise.written_with is Library.NUMPY:
        yield from (*IN_NUMPY, *(WITH_GRADIENTS if "backward" in names else ()))
        return
    yield from (*IN_PYTORCH, *WITH_GRADIENTS)
    if not exercise.leaves_out("layers"):
        yield from OF_LAYERS


def holes(exercise: Exercise, envelope: Envelope) -> Iterator[str]:
    """Yield a sentence for everything that has to be seen and is not, unless it is left out with a reason, and for each needless reason."""
    asked = [*least(exercise)] if "input" in envelope.ranges else []  # given a model and no tensor, an exercise has no inputs to judge
    missing = [each for each in asked if not exercise.leaves_out(*SITUATIONS[each.by].called) and not each.is_seen(envelope)]
    for each in missing:
        if each.what not in exercise.left_out_envelope:
            yield _("never played: {what}; the situation `{situation}` plays it.", what=_(each.what), situation=each.by)
    for what in exercise.left_out_envelope:
        if all(what != each.what for each in missing):
            yield _("left out under [envelope], but it is played or not required: {what}.", what=what)
