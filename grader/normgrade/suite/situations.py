"""Situations: checks that the grader derives for every layer from a few typical uses of it.

Wrong code passes if nobody looks. So each function here looks at a layer in a way that suites seldom do: as it was built, without
gradients, copied, in another precision, on a single number. It is a hidden test like those of a suite. `typical` gives the uses, with new
random inputs in each test. A function is looked at as a layer that calls it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import cycle, starmap
from typing import Any, NamedTuple

import numpy as np

from normgrade.course.signature import Parameter, Signature
from normgrade.language import ENGLISH
from normgrade.language.docstring import first_paragraph_in
from normgrade.report.report import Kind
from normgrade.suite.story import (
    Build,
    Given,
    Part,
    attempt,
    change,
    copy,
    double,
    evaluate,
    learn,
    load,
    pickle,
    reload,
    settings,
    swap,
    train,
)
from normgrade.suite.vocabulary import accepts, agree, current, refuses_at_last, returns
from normgrade.worker.wire.observation import HALF
from normgrade.worker.wire.requests import LayerStep

__all__ = ["use"]

Inputs = tuple[np.ndarray, ...]  # of one call
ALL, LAYERS = GROUPS = "all", "layers"  # names under which several situations are left out
PREFIX = "situation_"  # how the names of these checks begin
DTYPES = {"torch": ("float64", *HALF), "numpy": ("float64", "float16")}  # by library
ARRIVING = {  # how gradients of outputs arrive, by library
    "torch": ("one hot", "with zeros", "ones", "expanded", "strided", "huge", "tiny"),
    "numpy": ("one hot", "with zeros", "ones", "expanded", "strided", "backwards", "read-only", "huge", "tiny"),
}
WITHOUT = {"float64": "no_grad", "float16": "no_grad", "bfloat16": "inference_mode"}  # the way to evaluate each without gradients
MOST_ALIKE = 1024  # numbers in an input whose axes all have the same length
MANY, MORE, MOST = 300, 1100, 5000  # rows
WIDE = 8192  # features, channels or positions
AXES = (6, 7, 8)  # numbers of dimensions that are seldom tried
LARGE = 1e3  # weights
PENDING = 40  # calls before the first backward pass
FAR = (2.0**20, 2.0**-30)  # the scales of numbers that bfloat16 has and float16 does not


class Use(NamedTuple):
    """A typical use of a layer: its build, the inputs of two calls, of different shapes, and inputs that it refuses in some mode."""

    layer: Build
    x: Inputs
    other: Inputs
    fixed: Sequence[int] = ()  # the axes whose sizes the arguments of the layer decide
    illegal: Sequence[Inputs] = ()


Typical = Callable[[], Sequence[Use]]


@dataclass(frozen=True, slots=True)
class Situation:
    """A check that is derived for every exercise that gives typical uses."""

    play: Callable[[Typical], None]
    kind: Kind
    points: int
    hint: str  # in English, as its claim
    of_layers: bool = False  # true if it makes no sense for a function
    uses: str = "typical"  # the name of the suite's function that gives the uses
    courtesy: bool = False  # true if it does not decide whether a submission passes

    @property
    def name(self) -> str:
        return self.play.__name__

    @property
    def claim(self) -> str:
        return first_paragraph_in(self.play.__doc__, ENGLISH)

    @property
    def called(self) -> tuple[str, ...]:
        """The names under which an exercise can leave it out."""
        return (self.name, ALL, LAYERS) if self.of_layers else (self.name, ALL)


SITUATIONS: dict[str, Situation] = {}  # by name, in the order in which they are played


def situation(
    kind: str, points: int, hint: str, of_layers: bool = False, uses: str = "typical", courtesy: bool = False
) -> Callable[[Callable[[Typical], None]], Callable[[Typical], None]]:
    """Register a situation: its kind, its points and its hint. Its docstring is the claim. The catalogues translate both texts."""

    def register(play: Callable[[Typical], None]) -> Callable[[Typical], None]:
        SITUATIONS[play.__name__] = Situation(play, Kind(kind), points, hint, of_layers, uses, courtesy)
        return play

    return register


OneOrMore = np.ndarray | Sequence[np.ndarray]


def use(layer: Build, x: OneOrMore, other: OneOrMore, fixed: Sequence[int], illegal: Sequence[OneOrMore] = ()) -> Use:
    """Return a typical use of a layer or of a function, from which situations are derived.

    - `layer`: `build(…)` or `function(…)`: first the two that matter most, then one for every other switch.
    - `x`, `other`: two arrays of different shapes, which the layer takes in training and in evaluation. If it takes several inputs, each is
      a list of them.
    - `fixed`: the axes whose sizes the layer's arguments decide, such as -1; any other axis may have length one, in all inputs at once.
    - `illegal`: arrays, or lists of them, that it refuses with a ValueError in some mode.

    >>> typical = use(build(3), np.ones((4, 3), np.float32), np.ones((2, 5, 3), np.float32), fixed=[-1])
    """
    return Use(layer, inputs(x), inputs(other), fixed, tuple(map(inputs, illegal)))


def inputs(one_or_more: OneOrMore) -> Inputs:
    """Return the inputs of a call as a tuple, from a single array or from several."""
    return (one_or_more,) if isinstance(one_or_more, np.ndarray) else tuple(one_or_more)


def each(change: Callable[[np.ndarray], np.ndarray], x: Inputs) -> Inputs:
    """Return the inputs of a call, each of them changed."""
    return tuple(map(change, x))


def each_alike(change: Callable[..., np.ndarray], x: Inputs, *arguments: Any) -> Inputs:
    """Return the inputs of a call, changed if they have as many axes as the first. Any other is a parameter, of a fixed shape."""
    return tuple(change(one, *arguments) if one.ndim == x[0].ndim else one for one in x)


def narrow_dtypes() -> Sequence[str]:
    """Return the dtypes of half precision in which the layers of an exercise are played."""
    exercise = current().exercise
    return () if exercise.leaves_out("every_dtype") else DTYPES[exercise.written_with][1:]


def times(x: Inputs, factor: float) -> Inputs:
    return each(lambda one: one * factor, x)


def one_times(number: int, x: Inputs, factor: float) -> Inputs:
    """Return the inputs, with one of them multiplied by a factor."""
    return tuple(one * factor if index == number else one for index, one in enumerate(x))


def turned(x: Inputs) -> Inputs:
    """Return the inputs, each in reverse order."""
    return each(np.flip, x)


def agree_where_defined(*story: Part, also_finite: bool = False) -> bool:
    """Call `agree` if the reference raises nothing in the story. Return True if it was played.

    With `also_finite`, the reference's numbers must be comparable, too: all of them finite.
    """
    if defined := current().is_defined(story, also_finite):
        agree(*story)
    return defined


@situation("interface", 1, "Take the names and the arguments from the contract, and return what it says, in the dtype of the input.")
def called(typical: Typical) -> None:
    """It can be called as the contract says, without optional arguments, and its output has the right shape and dtype."""
    layer, x, other, *_more = typical()[0]
    plainest = layer.with_arguments(*required(layer, len(x)))
    returns(plainest, train(*x, backward=False))
    returns(plainest, evaluate(*other, backward=False))


@situation(
    "state",
    1,
    "Let the layer compute with the parameters and buffers that it has; nothing may depend on whether it was used before.",
    of_layers=True,
)
def as_built(typical: Typical) -> None:
    """A new layer can be used as it is, with its initial parameters and buffers, and goes on from there."""
    for layer, x, other, *_more in typical():
        agree(layer.as_built(), evaluate(*x), train(*x), evaluate(*other), train(*other), evaluate(*x))


@situation(
    "state", 1, "Only `self.training` is the mode, whether gradients are on or not. Leave the input unchanged without gradients too."
)
def without_gradients(typical: Typical) -> None:
    """Under no_grad and inference_mode, the layer computes and tracks the same as with gradients."""
    for layer, x, other, *_more in typical():
        without = train(*x, gradients="no_grad"), evaluate(*x, gradients="no_grad")
        inference = train(*x, gradients="inference_mode"), evaluate(*other, gradients="inference_mode")
        agree(layer, evaluate(*other, gradients="inference_mode"), train(*other), *without, train(*other), *inference)


@situation("state", 1, "Keep nothing from one evaluation to the next: read the parameters and buffers at every call.", of_layers=True)
def modes_in_turn(typical: Typical) -> None:
    """Evaluation after more training uses the new state, however often the layer was evaluated before."""
    for layer, x, other, *_more in typical()[:2]:
        agree(layer, evaluate(*x), train(*other), evaluate(*x), train(*x), evaluate(*x))


@situation("state", 0, "Look at `self.training` in each call: only it tells whether `train()` or `eval()` was called last.", of_layers=True)
def modes_asked_for(typical: Typical) -> None:
    """The mode may be set by `layer.training = …`, and `train()` or `eval()` may be called twice."""
    for layer, x, other, *_more in typical()[:2]:
        set_so = [step(*of, mode="attribute") for step, of in ((evaluate, x), (train, other), (evaluate, other))]
        asked_twice = [step(*of, mode="twice") for step, of in ((train, x), (evaluate, x), (evaluate, other), (train, other))]
        agree(layer, *set_so, *asked_twice, evaluate(*x))


@situation(
    "state", 0, "Read the parameters and buffers at every call; what was computed from them before may be out of date.", of_layers=True
)
def changed_state(typical: Typical) -> None:
    """Parameters and buffers that change, in place or by load_state_dict, count from the next call on."""
    for layer, x, *_others in typical()[:2]:
        without = evaluate(*x, gradients="no_grad")
        loaded = load(), evaluate(*x), train(*x)
        agree(layer, evaluate(*x), without, change(), without, evaluate(*x), *loaded, change(), train(*x), evaluate(*x), load(), train(*x))
        agree(layer, change(LARGE), evaluate(*x), train(*x))


@situation("state", 0, "Keep everything that belongs to a layer in attributes of `self`, never of the class or the module.", of_layers=True)
def two_layers(typical: Typical) -> None:
    """Two layers share nothing, and each keeps its own arguments."""
    uses = typical()
    for layer, x, other, *_more in uses[:2]:
        agree(layer, train(*x), swap(), train(*other), evaluate(*x), swap(), evaluate(*other), train(*x), swap(), evaluate(*x))
    for one, another in ((uses[0], uses[-1]), (uses[-1], uses[0])):
        beside = swap(*another.layer.args, **another.layer.kwargs)
        agree_where_defined(one.layer, train(*one.x), beside, swap(), evaluate(*one.other), train(*one.x))


@situation("edge", 0, "Take sizes from the input of this call, and keep nothing that depends on the shape.")
def two_shapes(typical: Typical) -> None:
    """Inputs of different shapes may come in turn, also with dimensions of one length."""
    for layer, x, other, fixed, *_more in typical()[:2]:
        agree(layer, train(*x), train(*other), evaluate(*x), evaluate(*other), train(*x))
        alike = of_one_length(x, fixed)
        agree_where_defined(layer, train(*alike), evaluate(*alike), also_finite=True)


def of_one_length(x: Inputs, fixed: Sequence[int]) -> Inputs:
    """Return the inputs with all axes as long as a fixed one, or else as the last, so that only its position tells an axis from the others.

    If that makes too many numbers, only the first axis is changed.
    """
    if not x:
        return x
    length, dimensions = x[0].shape[fixed[-1] if fixed else -1], x[0].ndim
    axes = range(dimensions if length**dimensions <= MOST_ALIKE else 1)
    free = [axis for axis in axes if not {axis, axis - dimensions} & set(fixed)]
    return each_alike(lambda one: reduce(partial(as_long_as, length), free, one), x)


def as_long_as(length: int, x: np.ndarray, axis: int) -> np.ndarray:
    """Return the array with this length along an axis: cut off, or repeated with larger numbers each time."""
    numbers, size = np.arange(length), x.shape[axis]
    growth = np.expand_dims(1 + 0.25 * (numbers // size), [other for other in range(x.ndim) if other != axis])
    longer: np.ndarray = (np.take(x, numbers % size, axis) * growth).astype(x.dtype)
    return longer


def balanced(length: int, x: np.ndarray, axis: int) -> np.ndarray:
    """Return whole numbers with the signs of the array in this length along an axis.

    Their mean is 0, and their sums and those of their squares are the same in any order, however many they are.
    """
    quarter = np.sign(as_long_as(length // 4, x, axis))
    return np.concatenate([quarter, -quarter, 3 * quarter, -3 * quarter], axis).astype(x.dtype)


@situation(
    "state",
    1,
    "Parameters and buffers that are registered travel with every copy. Plain tensors, and references to them elsewhere, do not.",
    of_layers=True,
)
def copies(typical: Typical) -> None:
    """A deep copy, a pickled layer, a reloaded state dict and `double()` go on as the layer itself does; the original stays as it was."""
    uses = typical()
    for layer, x, other, *_more in (uses[-1], uses[0]):
        before = train(*x), evaluate(*x)
        agree(layer, *before, copy(), change(), train(*other), evaluate(*x), swap(), evaluate(*x), train(*x), swap(), evaluate(*other))
        agree(layer, *before, pickle(), evaluate(*x), train(*other), evaluate(*x))
    layer, x, other, *_more = uses[1]
    agree(layer, train(*x), pickle(), train(*other), copy(), train(*x))
    layer, x, other, *_more = uses[0]
    agree(layer, train(*x), evaluate(*x), reload(), evaluate(*x), train(*other), evaluate(*x))
    agree(
        layer,
        train(*x),
        evaluate(*x),
        double(),
        *(step(*each, dtype="float64") for step, each in ((evaluate, x), (train, other), (evaluate, x))),
    )


@situation(
    "gradient",
    0,
    "Keep what the backward pass needs by `ctx.save_for_backward`, or in the cache of its call; leave the incoming gradient as it is.",
)
def in_a_network(typical: Typical) -> None:
    """Gradients are right where another call comes before the backward pass, in a residual connection, where they are large, and where the
    next layer changes the output in place, unless PyTorch refuses that."""
    uses = typical()
    for layer, x, other, *_more in (uses[0], uses[-1]):
        again = train(*x, between=np.flip(x[0])), evaluate(*x, between=np.flip(x[0]))
        agree(
            layer,
            *again,
            train(*other, between=np.flip(other[0]) + 1, residual=True),
            evaluate(*other, residual=True, twice=True),
            train(*x, twice=True),
            train(*other, steep=True),
            train(*x, overwritten=True),
            evaluate(*other, overwritten=True),
        )
    for layer, x, *_others in uses:
        for name in ("hooked", "dropping"):
            if (given := with_other_layer(layer, name)) is not None:
                agree(given, evaluate(*x), evaluate(*x, gradients="no_grad"))


def with_other_layer(layer: Build, name: str) -> Build | None:
    """Return the layer with one of that name in place of the first linear layer that it is given; None if it is given none."""
    found = next((each for each in flat(layer.args) if isinstance(each, Given) and each.name in ("linear", "feed_forward")), None)
    return None if found is None else replace(layer, args=exchanged(layer.args, found, Given(name, found.args[:1])))


def flat(arguments: Sequence[Any]) -> Iterator[Any]:
    """Yield the arguments, and those in lists and tuples among them."""
    for each in arguments:
        yield from flat(each) if isinstance(each, list | tuple) else (each,)


def exchanged(arguments: Sequence[Any], old: Given, new: Given) -> tuple[Any, ...]:
    """Return the arguments with the `new` one in place of the first that is `old`."""
    found: list[Any] = []
    for each in arguments:
        if new not in flat(found) and isinstance(each, list | tuple):
            found.append(type(each)(exchanged(each, old, new)))
        else:
            found.append(new if each is old and new not in found else each)
    return tuple(found)


@situation(
    "gradient", 0, "Take the incoming gradient as it is: with zeros, of any size, and in any order in memory; and change nothing in it."
)
def any_gradient(typical: Typical) -> None:
    """The gradient of the output may be that of a sum or of one number, have zeros, be tiny or huge, or lie in memory in any way."""
    steps = cycle((train, evaluate))
    uses = typical()
    for layer, x, other, *_more in (uses[0], uses[-1]):
        ways = zip(steps, cycle((x, other)), ARRIVING[current().exercise.written_with], strict=False)
        agree(layer, *(step(*of, arriving=way) for step, of, way in ways))


@situation(
    "gradient", 0, "Gradients add up in `grad`: return yours from `backward` and leave `grad` alone. A leaf is an input as any other."
)
def gradients_add_up(typical: Typical) -> None:
    """Gradients add up over several batches, with create_graph=True they are the same, and the input itself may be a leaf."""
    uses = typical()
    for layer, x, other, *_more in (uses[0], uses[-1]):
        agree(
            layer,
            train(*x, graph=True),
            train(*other, keep=True),
            evaluate(*x, keep=True, leaf=True),
            train(*other, leaf=True),
            evaluate(*other, graph=True),
        )


@situation("state", 0, "Keep the values for a backward pass with the call that they come from. Count only what the contract counts.")
def many_calls(typical: Typical) -> None:
    """Forty calls may wait for their backward passes, other layers may be called in between, and the fiftieth call is as the first."""
    uses = typical()
    for layer, x, other, *_more in (uses[0], uses[-1]):
        agree(layer, train(*x, calls=PENDING), evaluate(*other, calls=PENDING // 2), train(*other, beside=True), evaluate(*x, beside=True))


@situation("precision", 0, "Take the dtype of every new tensor from the input or from a parameter: `torch.zeros(3, dtype=x.dtype)`.")
def other_defaults(typical: Typical) -> None:
    """The default dtype may be float64 or bfloat16 while the layer is called; half precision is computed in float32 or wider then, too."""
    layer, x, other, *_more = typical()[0]
    for dtype in ("float64", "bfloat16"):
        agree(layer, *(step(*of, default=dtype) for step, of in ((train, x), (evaluate, other))))
        for half in narrow_dtypes():
            modes = [step(*of, dtype=half, default=dtype, witness=True) for step, of in ((train, x), (evaluate, other))]
            agree(layer.to(half), *modes)


@situation("edge", 0, "Count axes from the side that the contract names; there may be any number on the other side.")
def many_axes(typical: Typical) -> None:
    """Inputs with up to eight dimensions are treated as the contract says."""
    for layer, _x, other, fixed, *_more in typical()[:2]:
        for axes in AXES:
            longer = each_alike(with_axes, other, axes, fixed)
            agree_where_defined(layer, train(*longer), evaluate(*longer))


def first_number(x: np.ndarray) -> np.ndarray:
    """Return the first number of an array, without any axis."""
    return x.reshape(-1)[:1].reshape(())


def with_axes(x: np.ndarray, axes: int, fixed: Sequence[int]) -> np.ndarray:
    """Return the array with so many axes: one of length two and others of length one more.

    They are added on the side from which no axis is counted.
    """
    ones = [1] * (axes - x.ndim - 1)
    if any(axis >= 0 for axis in fixed):
        return np.stack([x, 2 * x], -1).astype(x.dtype).reshape(*x.shape, *ones, 2)
    return np.stack([x, 2 * x]).astype(x.dtype).reshape(*ones, 2, *x.shape)


@situation(
    "precision",
    1,
    "Widen only what is narrower than float32: `x.to(torch.promote_types(x.dtype, torch.float32))`; `x.float()` narrows float64.",
    courtesy=True,
)
def float64(typical: Typical) -> None:
    """float64 is computed in float64."""
    for layer, x, other, *_more in typical():
        agree(layer.to("float64"), train(*x, dtype="float64"), evaluate(*other, dtype="float64"), in_float64=True)


@situation("precision", 0, "Compute half precision in float32, and return the input's dtype in every case: also without weight and bias.")
def every_dtype(typical: Typical) -> None:
    """With every switch, input and parameters may be float64 or half precision; the output has their dtype, the statistics are wider."""
    for layer, x, other, *_more in typical():
        for dtype in DTYPES[current().exercise.written_with]:
            modes = [step(*each, dtype=dtype, witness=dtype in HALF, backward=True) for step, each in ((train, x), (evaluate, other))]
            without = evaluate(*x, dtype=dtype, witness=dtype in HALF, gradients=WITHOUT[dtype])
            agree(layer.to(dtype), *modes, without, settings())
        for scale in FAR if "bfloat16" in DTYPES[current().exercise.written_with] else ():
            for number in range(len(x)):
                far = [step(*one_times(number, of, scale), dtype="bfloat16") for step, of in ((train, x), (evaluate, other))]
                agree_where_defined(layer.to("bfloat16"), *far, also_finite=True)
            agree_where_defined(layer.to("bfloat16"), change(scale), evaluate(*x, dtype="bfloat16"), also_finite=True)


@situation(
    "precision", 1, "Half-precision input times a float32 weight gives float32: cast the result back to the input's dtype.", of_layers=True
)
def float32_parameters(typical: Typical) -> None:
    """Half-precision input works with float32 parameters; the output has the dtype of the input."""
    for layer, x, other, *_more in typical():
        modes = ((train, x, "float16"), (evaluate, other, "float16"), (train, other, "bfloat16"), (evaluate, x, "bfloat16"))
        without = evaluate(*other, dtype="bfloat16", gradients="no_grad")
        agree(layer, *(step(*each, dtype=dtype, backward=True) for step, each, dtype in modes), without)


@situation("edge", 0, "Use eps as it was given, in every precision: no lower bound, no constant of your own, and 0 is a number too.")
def far_eps(typical: Typical) -> None:
    """An eps of zero, or far below or far above the usual one, is taken as it is; also where the input is in half precision."""
    uses = typical()
    for (eps, scale), (layer, x, other, *_more) in zip(((1e-14, 1e-6), (1e-7, 1e-3), (0.0, 1e-4), (20.0, 1.0)), cycle(uses), strict=False):
        agree(by_name(layer, len(x), eps=eps), train(*times(x, scale)), evaluate(*times(other, scale)))
    last = uses[-1]
    agree(by_name(last.layer, len(x), eps=1e-10), train(*times(last.x, 1e-5)), evaluate(*times(last.other, 1e-5)))
    agree(by_name(layer, len(x), eps=1e-9).to("float16"), train(*times(x, 3e-5), dtype="float16"))


@situation("edge", 1, "A squeeze, or an `if` on a size, treats length one as something special. It is not.")
def length_one(typical: Typical) -> None:
    """Any dimension may have length one, the batch too."""
    for layer, x, other, fixed, _illegal in typical():
        ones = [one for each in (x, other) for one in with_length_one(each, fixed)]
        if not agree_where_defined(layer, *starmap(train, ones), *starmap(evaluate, ones)):
            for one in ones:
                agree_where_defined(layer, train(*one), evaluate(*one)) or agree_where_defined(layer, evaluate(*one))


def with_length_one(x: Inputs, fixed: Sequence[int]) -> list[Inputs]:
    """Return the beginnings of `x` in which one axis that is not fixed has length one.

    If more than two axes are not fixed, one more beginning has length one along all of them except for the first.
    """
    dimensions = x[0].ndim
    free = [axis for axis in range(dimensions) if not {axis, axis - dimensions} & set(fixed)]
    short = [[axis] for axis in free] + ([free[1:]] if len(free) > 2 else [])
    return [each_alike(beginning, x, axes) for axes in short]


def beginning(x: np.ndarray, axes: Sequence[int]) -> np.ndarray:
    """Return the part of `x` that has length one along these axes."""
    return x[tuple(slice(1) if axis in axes else slice(None) for axis in range(x.ndim))].copy()


@situation("edge", 0, "Compute what the formula says: no nan_to_num, no clamp, and no statistics over more than belongs together.")
def not_finite(typical: Typical) -> None:
    """A NaN or an infinity in the input has the effect that the formula gives it, and no other."""
    for layer, x, other, *_more in typical()[:2]:
        for spoilt in (partial(with_one, number) for number in range(len(x))):
            agree(layer, evaluate(*spoilt(x, np.nan)), train(*spoilt(other, np.nan)), evaluate(*x))
            without = evaluate(*spoilt(other, np.nan), gradients="no_grad")
            infinite = evaluate(*spoilt(x, np.inf)), without, evaluate(*spoilt(other, -np.inf)), train(*spoilt(x, np.inf))
            agree(layer, *infinite, evaluate(*other))
        narrow = evaluate(*with_one(0, x, np.inf), dtype="float16"), evaluate(*with_one(-1, other, np.nan), dtype="float16")
        agree(layer.to("float16"), *narrow)
    for layer, x, other, *_more in typical()[2:]:
        nan = train(*with_one(-1, other, np.nan), gradients="no_grad")
        agree(layer, evaluate(*with_one(0, x, np.inf)), nan, train(*x), evaluate(*other))


def with_one(number: int, x: Inputs, value: float) -> Inputs:
    """Return the inputs, with the number in the middle of one of them replaced."""
    spoilt = x[number].copy()
    spoilt.flat[spoilt.size // 2] = value
    changed = list(x)
    changed[number] = spoilt
    return tuple(changed)


@situation("state", 0, "Keep no result by the identity of the input: its numbers may have changed.")
def same_tensor(typical: Typical) -> None:
    """The same object may come again as an input, with the same numbers or with new ones."""
    for layer, x, *_others in typical():
        other = turned(x)
        steps = (evaluate(*x, again=True), evaluate(*other, again=True), change(), evaluate(*other, again=True))
        without = evaluate(*other, again=True, gradients="no_grad"), evaluate(*x, again=True, gradients="no_grad")
        agree(layer, train(*x, again=True), train(*x, again=True), *steps, *without, train(*other, again=True))


@situation("edge", 0, "`view` needs its numbers side by side in memory; in-place operations on the input change what it is part of.")
def views(typical: Typical) -> None:
    """An input may be part of a larger tensor, or lie in memory in any other way."""
    for layer, x, other, *_more in typical():
        scattered = train(*x, scattered=True), evaluate(*other, scattered=True)
        strided = train(*other, view="strided"), evaluate(*x, view="strided")
        expanded = train(*x, view="expanded"), evaluate(*other, view="expanded", gradients="no_grad")
        last = [train(*each, view="channels_last") for each in (x, other) if any(one.ndim > 2 for one in each)][:1]
        numpy = [train(*x, view=view) for view in ("backwards", "read-only") if current().exercise.written_with == "numpy"]
        agree(layer, *scattered, *strided, *expanded, *last, *numpy)


@situation("edge", 0, "Nothing but the formula may depend on the input's values.")
def whole_numbers(typical: Typical) -> None:
    """Inputs may be whole numbers, large or small: nothing but their values counts."""
    uses = typical()
    for layer, x, other, *_more in uses:
        whole = train(*each(np.round, times(x, 3))), evaluate(*each(np.round, times(other, 3)))
        agree(layer, *whole, train(*times(x, 2000)), evaluate(*times(other, 2000)))
    layer, x, other, *_more = uses[0]
    agree(layer, train(*times(x, 1e-4)), evaluate(*times(other, 1e-4)))


@situation("gradient", 0, "Only `self.training` is the mode: do not look at requires_grad.")
def frozen(typical: Typical) -> None:
    """Frozen parameters, or an input that needs no gradient, change nothing that is computed or tracked."""
    for layer, x, other, *_more in typical():
        alone = [step(*of, freeze=number) for number in (1, 2) for step, of in ((train, x), (evaluate, other))]
        one_input = [train(*x, detach=number) for number in range(1, len(x) + 1) if len(x) > 1]
        all_of_them = train(*x, frozen=True), evaluate(*x, constant=True), train(*other, constant=True, frozen=True)
        agree(layer, *alone, train(*x, freeze=3), evaluate(*other, freeze=4), *one_input, *all_of_them)


@situation(
    "state",
    0,
    "Register what the contract names and nothing else; helpers are plain attributes, or buffers with persistent=False.",
    of_layers=True,
)
def exact_state(typical: Typical) -> None:
    """The parameters and the state dict are those of the contract and no others, with every switch."""
    for layer, *_inputs in typical():
        agree(layer)


@situation(
    "state",
    0,
    "Set no seed for others, and no setting such as the default dtype or the handling of errors; a `with` block puts back what it changed.",
)
def nothing_else_changed(typical: Typical) -> None:
    """The input, the random state and the settings of the library stay as they are, also without gradients and after a refused call."""
    for layer, x, other, _fixed, illegal in typical()[:2]:
        agree(layer, train(*x), train(*other, gradients="no_grad"), evaluate(*x, gradients="no_grad"), evaluate(*other), settings())
        if tries := [attempt(*one) for one in illegal]:
            agree(replace(layer, watch=()), train(*x), *tries, train(*x), evaluate(*x), *tries, evaluate(*x), settings())


@situation(
    "gradient",
    0,
    "An optimiser writes into the parameters in place: use them directly, not what was computed from them before.",
    of_layers=True,
)
def learning(typical: Typical) -> None:
    """Three steps of gradient descent lead where they should."""
    for layer, x, other, *_more in typical()[:2]:
        agree(layer, train(*x), learn(0.3), train(*other), learn(0.3), train(*x), learn(0.3), evaluate(*other))


@situation("edge", 0, "Nothing but the formula may depend on the size of the batch, or on the number of calls.")
def many_rows(typical: Typical) -> None:
    """A large batch is treated as a small one, and so is the fiftieth call as the first."""
    uses = typical()
    for number, (layer, x, _other, fixed, *_more) in enumerate(uses):
        rows = slim(x, fixed) if number else x
        growing = np.linspace(1, 3, -(-MANY // len(x[0])))
        many = each_alike(lambda one: np.concatenate([one * factor for factor in growing]).astype(np.float32), rows)  # noqa: B023
        agree(layer, train(*many), evaluate(*many))
    layer, x, other, fixed, *_more = uses[0]
    if 0 not in fixed:
        agree(layer, train(*each_alike(partial(as_long_as, MORE), slim(x, fixed), 0)))
    for dtype in narrow_dtypes():
        half = train(*each_alike(partial(as_long_as, MANY), slim(x, fixed), 0), dtype=dtype)
        agree_where_defined(layer.to(dtype), half, also_finite=True)
    calls = (step(*times(x, 1 + number), backward=False) for number, step in enumerate([train, evaluate] * 25))
    agree(layer, *calls, train(*x), train(*other, backward=False))
    for layer, x, _other, fixed, *_more in uses[:2]:
        if free := free_axes(x, fixed) if x and x[0].ndim > 2 else []:
            agree_where_defined(layer, train(*each_alike(partial(as_long_as, MORE), slim(x, fixed), free[-1])), also_finite=True)


def free_axes(x: Inputs, fixed: Sequence[int]) -> list[int]:
    """Return the axes after the first whose sizes no argument decides."""
    return [axis for axis in range(1, x[0].ndim) if not {axis, axis - x[0].ndim} & set(fixed)]


def slim(x: Inputs, fixed: Sequence[int]) -> Inputs:
    """Return the beginning of the inputs: the first two along the last free axis, and the first along each other one."""
    free = free_axes(x, fixed)
    kept = {axis: slice(2 if axis == free[-1] else 1) for axis in free}
    return each_alike(lambda one: one[tuple(kept.get(axis, slice(None)) for axis in range(one.ndim))].copy(), x)


@situation("edge", 0, "Keep no limit of your own: nothing but the formula may depend on a size. Count in a dtype that holds the count.")
def wide(typical: Typical) -> None:
    """8192 features, channels or positions are treated as a few, and so are 5000 rows."""
    layer, x, _other, fixed, *_more = typical()[0]
    narrow, free = slim(x, fixed), free_axes(x, fixed) if x[0].ndim > 2 else []
    for axis, length in [*([] if 0 in fixed else [(0, MOST)]), *((axis, WIDE) for axis in free[-1:])]:
        agree_where_defined(layer, train(*each_alike(partial(balanced, length), narrow, axis), backward=False), also_finite=True)
    axis = fixed[-1] if fixed else 1
    size = x[0].shape[axis]
    rows = each_alike(lambda one: balanced(WIDE, one[:2] if axis % one.ndim else one, axis), narrow)
    given = [one if one.ndim == x[0].ndim else resized(one, size) for one in rows]
    kwargs, state = ({name: resized(value, size) for name, value in named.items()} for named in (layer.kwargs, layer.state))
    larger = replace(layer, args=resized(layer.args, size), kwargs=kwargs, state=state)
    agree_where_defined(larger, train(*given, backward=False), also_finite=True)


def resized(thing: Any, size: int) -> Any:
    """Return an argument of a layer with WIDE for this size, and with x → x / 2 in the place of every linear layer."""
    match thing:
        case int() if thing == size and not isinstance(thing, bool):
            return WIDE
        case np.ndarray() if size in thing.shape:
            return as_long_as(WIDE, thing, thing.shape.index(size))
        case list() | tuple():
            return type(thing)(resized(each, size) for each in thing)
        case Given("linear" | "feed_forward"):
            return Given("scaled", (0.5,))
    return thing


@situation("edge", 0, "Nothing but the formula may depend on how large the layer is: count in a dtype that holds the count.", uses="real")
def real_size(typical: Typical) -> None:
    """A layer as large as those in real models is treated as a small one, in half precision too."""
    for layer, x, other, *_more in typical():
        agree(layer, train(*x), evaluate(*other))
        for dtype in narrow_dtypes():
            agree_where_defined(layer.to(dtype), train(*x, dtype=dtype), also_finite=True)


@situation("state", 1, "Write the signature as the contract does: the same names, in the same order, with the same defaults.")
def every_argument(typical: Typical) -> None:
    """All arguments of the contract are understood, by position and by name, and their defaults are those of the contract."""
    layer, x, *_others = typical()[0]
    parameters = parameters_of(layer, len(x))
    defaults = {each.name: ast.literal_eval(each.default) for each in parameters if each.default is not None}
    needed = required(layer, len(x))
    calls = train(*x), evaluate(*x)
    agree(layer.with_arguments(*needed), *calls)
    agree(layer.with_arguments(*needed, **defaults), *calls)
    agree(layer.with_arguments(**dict(zip([each.name for each in parameters], needed, strict=False)), **defaults), *calls)
    agree(layer.with_arguments(*needed, *defaults.values()), *calls)
    for switch in (name for name, value in defaults.items() if isinstance(value, bool)):
        turned = defaults | {switch: not defaults[switch]}
        agree_where_defined(layer.with_arguments(*needed, *turned.values()), *calls)
    if layer.is_function:
        names = [each.name for each in parameters_of(layer, 0)]
        others = dict(zip(names[len(x) :], needed, strict=False))
        agree(layer.with_arguments(**others, **defaults), evaluate(*x, names=names[: len(x)]))


def signature_of(layer: Build) -> Signature:
    """Return the signature in the contract by which a layer is built, or a function is called."""
    defines = current().exercise.defines
    return next((each for each in defines if each.name == layer.name), defines[0])


def parameters_of(layer: Build, inputs: int) -> tuple[Parameter, ...]:
    """Return the parameters of a layer, or those of a function that are not its inputs."""
    parameters = signature_of(layer).parameters
    return parameters[inputs:] if layer.is_function else parameters


def required(layer: Build, inputs: int) -> tuple[Any, ...]:
    """Return the arguments of a layer for the parameters that have no default."""
    return layer.arguments[: sum(each.default is None for each in parameters_of(layer, inputs))]


def by_name(layer: Build, inputs: int, **more: Any) -> Build:
    """Return the layer with further arguments. Those that have a default are given by name."""
    needed = required(layer, inputs)
    names = (each.name for each in parameters_of(layer, inputs) if each.default is not None)
    optional = dict(zip(names, layer.arguments[len(needed) :], strict=False))
    return layer.with_arguments(*needed, **{**optional, **layer.kwargs, **more})


@situation(
    "edge",
    0,
    "Look at the number of dimensions, and at the number of values, in both modes and with every switch; then raise a ValueError.",
)
def illegal_inputs(typical: Typical) -> None:
    """Only the inputs that the contract refuses raise a ValueError, in training and in evaluation, with every switch."""
    for layer, x, other, fixed, illegal in typical():
        steps: list[LayerStep] = []
        for one, (training, evaluation) in zip(illegal, cycle(((None, "no_grad"), ("no_grad", None))), strict=False):
            steps += [train(*one, gradients=training), evaluate(*one, gradients=evaluation)]
        refused = [step for step in steps if not agree_where_defined(layer, step)]
        of_other_ranks = [each_alike(first_number, other), *(each_alike(with_axes, other, axes, fixed) for axes in AXES)] if illegal else []
        tried = [step(*one) for one in of_other_ranks for step in (train, evaluate)]
        refused += [step for step in tried if current().is_refused((layer, step), ValueError)]
        if refused:
            accepts(ValueError, layer, train(*x), evaluate(*x))
        for step in refused:
            refuses_at_last(ValueError, layer, step)
