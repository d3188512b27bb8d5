"""Probes of functions on NumPy arrays: the grader calls your `forward`, then your `backward`, and looks at everything.

A probe is a function. It is played on your file and on the right answer, and returns its observations: a dictionary from places, texts such
as "step 1 · output", to values. The grader compares the values place by place. Nothing here is secret: it tells you how your functions will
be called.

The argument `impl` of a probe is the module that is your file, or an object with the same names, as in this example:

>>> from types import SimpleNamespace
>>> impl = SimpleNamespace(forward=lambda x, weight: (x * weight, (x, weight)), backward=lambda dy, cache: (dy * cache[1], dy * cache[0]))
>>> step = {"do": "evaluate", "x": np.array([2.0, 3.0]), "more": [np.array([5.0, 7.0])], "upstream": np.ones(2), "scattered": False}
>>> seen = forward_backward(impl, "forward_backward", args=["forward"], kwargs={}, state={}, watch=[], steps=[step])
>>> seen["step 1 · output"].tolist(), seen["step 1 · gradient of input 2"].tolist()
([10.0, 21.0], [2.0, 3.0])
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from random import getstate
from typing import Any

import numpy as np
from numpy import get_printoptions, geterr
from numpy.random import get_state

from normgrade.language import _
from normgrade.language.places import BUILD, Place, gradient_of
from normgrade.probes.results import OUTPUT, STEEP, Stopped, gradient_of_input, left_alone, parts
from normgrade.probes.step_options import USUAL, StepOptions

READ_ONLY = "it was made read-only"
ENTERING: ContextVar[Callable[[np.ndarray], np.ndarray]] = ContextVar("ENTERING", default=lambda array: array)
Forward = Callable[..., Any]
Backward = Callable[[np.ndarray, Any], Any]


def forward_backward(
    impl: Any,
    layer: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    state: Mapping[str, Any],
    watch: Sequence[str],
    steps: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Call `forward` and then `backward`, step by step, and look at everything after each of them.

    - `args`, `kwargs`: `args[0]` is "forward". The others follow the inputs of a step: `impl.forward(*inputs, *args[1:], **kwargs)`.
    - `steps`: each is a dictionary. `{"do": "evaluate", "x": …, "upstream": …, "scattered": …}`, or "train" instead of "evaluate", which
      makes no difference, calls the functions as `call_step` does. Its other entries are its `StepOptions`, packed. "settings" compares
      NumPy's handling of errors and all random numbers with those before the first step. "attempt" calls `forward` on inputs that it
      may refuse. Any other step is for layers, and does nothing.
    - `layer`, `state`, `watch`: without meaning here, as there is no state.

    It returns the places of `call_step`, each with its step before it: "step 1 · output". It raises Stopped if a step raises.

    >>> from types import SimpleNamespace
    >>> impl = SimpleNamespace(forward=lambda x: (x * x, x), backward=lambda dy, x: (2 * x * dy,))
    >>> step = {"do": "evaluate", "x": np.array([3.0]), "upstream": np.array([1.0]), "scattered": False}
    >>> seen = forward_backward(impl, "forward_backward", ["forward"], {}, {}, [], steps=[step])
    >>> seen["step 1 · gradient of input"].tolist(), seen["step 1 · number of gradients"]
    ([6.0], 1)
    """
    forward = getattr(impl, args[0])
    return told(lambda *inputs, **named: forward(*inputs, *args[1:], **kwargs, **named), steps, lambda dy, cache: impl.backward(dy, cache))


def layer_story(
    impl: Any,
    layer: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    state: Mapping[str, Any],
    watch: Sequence[str],
    steps: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Play one function, `impl.<args[0]>`, as `forward_backward` does, but without a backward pass.

    >>> step = {"do": "evaluate", "x": np.array([3.0]), "upstream": None, "scattered": False}
    >>> layer_story(np, "function", ["square"], {}, {}, [], steps=[step])["step 1 · output"].tolist()
    [9.0]
    """
    function = getattr(impl, args[0])
    return told(lambda *inputs, **named: function(*inputs, *args[1:], **kwargs, **named), steps)


def told(forward: Forward, steps: Sequence[Mapping[str, Any]], backward: Backward | None = None) -> dict[str, Any]:
    """Play all steps, and return their observations by place. Raise Stopped if a step raises."""
    seen: dict[str, Any] = {}
    step: int | str = BUILD
    given: Sequence[np.ndarray] = ()
    try:
        with np.errstate(all="call", call=nothing):  # errors show in the numbers; not "ignore", as a submission may set that
            usual = settings() if any(action["do"] == "settings" for action in steps) else {}
            for step, action in enumerate(steps, 1):
                match action["do"]:
                    case "train" | "evaluate":
                        options = StepOptions.unpacked(action)
                        given = written_over(given, action["x"], *options.more) if options.again else ()
                        views = call_step(forward, backward, action["x"], action["upstream"], action["scattered"], options, given)
                        seen |= {place.at(step): value for place, value in views.items()}
                    case "attempt":
                        with suppress(Exception):
                            forward(*(np.copy(each) for each in (action["x"], *action.get("more", ()))))
                    case "settings":
                        now = settings()
                        seen |= {Place(f"{name} left alone").at(step): now[name] == value for name, value in usual.items()}
    except BaseException as error:
        raise Stopped(step, seen) from error
    return seen


def nothing(kind: str, flag: int) -> None:
    """Do nothing about a division by zero, an overflow or a similar error."""


def written_over(given: Sequence[np.ndarray], *inputs: np.ndarray) -> Sequence[np.ndarray]:
    """Return the arrays of the step before with the numbers of this one, or copies of its inputs if there was no such step."""
    given = given or [each.copy() for each in inputs]
    for array, numbers in zip(given, inputs, strict=True):
        array[...] = numbers
    return given


def call_step(
    forward: Forward,
    backward: Backward | None,
    x: np.ndarray,
    upstream: np.ndarray | None,
    scattered: bool = False,
    options: StepOptions = USUAL,
    given: Sequence[np.ndarray] = (),
) -> dict[Place, Any]:
    """Call `forward` once on `x`, then `backward` if there is a gradient `upstream`, and look at everything.

    - `forward`, `backward`: (x, …) → (y, cache) and (dy, cache) → the gradients of the inputs, in their order. Without `backward`,
      `forward` returns only y.
    - `x`: the input, an array of any shape and dtype. `forward` gets a copy; with `scattered`, one whose memory is in another order, and
      `backward` such a `dy`, too.
    - `upstream`: the gradient of the output, an array of the output's shape, which is given in the dtype of `x`; None for no backward pass.
    - `options`: the ways in which the step differs from a plain one. Those about modes, parameters and graphs do nothing here.
    - `given`: the very arrays to call `forward` on, in place of copies of the inputs.

    It returns these places:

    - "output": the output of `forward`, without the cache; from the last of several calls.
    - "input left alone", "input <n> left alone": each input after both calls; a text if it was made read-only.
    - "gradient of the output left alone": the same for `dy`; only with `upstream`.
    - "what holds the gradients": "tuple", or the name of another type; "number of gradients": a whole number; only with `upstream`. The
      gradient of the only input may come by itself, or in a list.
    - "gradient of input", "gradient of input <n>": the gradients that `backward` returned; only with `upstream`, and None if there are
      too few.

    Exceptions are not caught.

    >>> seen = call_step(lambda x: (3 * x, None), lambda dy, cache: (3 * dy,), np.ones(2), np.array([1.0, 10.0]))
    >>> seen["gradient of input"].tolist(), seen["what holds the gradients"]
    ([3.0, 30.0], 'tuple')
    """
    laid = in_other_order if scattered else VIEWS[options.view]
    inputs = [*given] or [entered(laid(np.asarray(each))) for each in (x, *options.more)]

    def call(*arrays: np.ndarray) -> tuple[Any, Any]:
        result = forward(**dict(zip(options.names, arrays, strict=True))) if options.names else forward(*arrays)
        return (result, None) if backward is None else pair(result)

    writeable = [each.flags.writeable for each in inputs]
    results = [call(*(varied(each, number) for each in inputs)) for number in range(options.calls or 1)]
    output = results[-1][0]
    between = options.between
    cache_between = None if between is None else call(entered(np.asarray(between).copy()), *map(reversed_order, inputs[1:]))[1]
    seen: dict[Place, Any] = {OUTPUT: output}
    if upstream is not None and backward is not None:
        laid_dy = in_other_order if scattered else np.copy
        dy = laid_dy(np.asarray(upstream * STEEP if options.steep else upstream).astype(x.dtype))
        dy = entered(ARRIVING[options.arriving](dy))
        writeable_dy = dy.flags.writeable
        seen |= gone_back(backward, dy, [each for _output, each in reversed(results)], len(inputs), options)
        if between is not None and np.shape(between) == x.shape:
            backward(dy, cache_between)
        seen[Place("gradient of the output left alone")] = afterwards(dy, writeable_dy)
    return seen | {left_alone(n): afterwards(each, before) for n, (each, before) in enumerate(zip(inputs, writeable, strict=True), 1)}


def afterwards(array: np.ndarray, writeable: bool) -> np.ndarray | str:
    """Return a copy of an array that was given away, `writeable` or not; a text if that flag was changed."""
    return np.copy(array) if array.flags.writeable == writeable else READ_ONLY


def calls_apart(impl: Any, inputs: Sequence[np.ndarray], dy: np.ndarray, calls: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Call `forward` once for each of `calls`, and only then `backward`, in the same order.

    - `inputs`: the arrays that `forward` gets, as copies. Each of `calls` is the list of the arguments that follow them.
    - `dy`: the gradient of every output.

    It returns "y of call <n>", and "gradient of input <m> in call <n>" for each of the `inputs`.

    >>> from types import SimpleNamespace
    >>> impl = SimpleNamespace(forward=lambda x, factor: (x * factor, factor), backward=lambda dy, factor: (dy * factor,))
    >>> seen = calls_apart(impl, [np.array([3.0])], np.array([1.0]), calls=[[2.0], [5.0]])
    >>> seen["gradient of input 1 in call 1"].tolist(), seen["gradient of input 1 in call 2"].tolist()
    ([2.0], [5.0])
    """
    results = [impl.forward(*(each.copy() for each in inputs), *arguments) for arguments in calls]
    seen: dict[str, Any] = {}
    for call, (y, cache) in enumerate(results, 1):
        gradients = impl.backward(dy.copy(), cache)
        seen[Place("y of call {call}", call=call)] = y
        for number, (_input, gradient) in enumerate(zip(inputs, gradients, strict=True), 1):
            seen[gradient_of("input {number} in call {call}", number=number, call=call)] = gradient
    return seen


def pair(result: Any) -> tuple[Any, Any]:
    """Return an output and the cache that belongs to it. Raise a TypeError if `forward` returned anything else."""
    if isinstance(result, tuple | list) and len(result) == 2:
        return result[0], result[1]
    what = f"{type(result).__name__} of {len(result)}" if isinstance(result, tuple | list) else type(result).__name__
    raise TypeError(_("forward must return a pair (y, cache), but returned {what}", what=what))


def varied(x: np.ndarray, call: int) -> np.ndarray:
    """Return the input of a call of that number, from 0: itself, then larger each time, and every other time in reverse order.

    >>> varied(np.array([64.0, 128.0]), 1).tolist(), varied(np.array([64.0, 128.0]), 2).tolist()
    ([130.0, 65.0], [66.0, 132.0])
    """
    if not call:
        return x
    larger = (x * (1 + call / 64)).astype(x.dtype)
    return reversed_order(larger) if call % 2 else larger


def gone_back(backward: Backward, dy: np.ndarray, caches: Sequence[Any], inputs: int, options: StepOptions) -> dict[Place, Any]:
    """Call `backward` with each of these caches. Return the type, the number and the sums of its gradients, by place."""
    gradients = backward(dy, caches[0])
    held = tuple if inputs == 1 and isinstance(gradients, list | np.ndarray) else type(gradients)
    seen: dict[Place, Any] = {Place("what holds the gradients"): "tuple" if issubclass(held, tuple) else held.__name__}
    known = list(gradients) if isinstance(gradients, tuple | list) else [gradients]
    seen[Place("number of gradients")] = len(known)
    for again in (*((reversed_order(dy), cache) for cache in caches[:1] if options.twice), *((dy, cache) for cache in caches[1:])):
        more = backward(*again)
        known = [one + other for one, other in zip(known, more if isinstance(more, tuple | list) else [more], strict=True)]
    if options.residual and isinstance(known[0], np.ndarray) and known[0].shape == dy.shape:
        known[0] = known[0] + dy
    return seen | {gradient_of_input(number + 1): known[number] if number < len(known) else None for number in range(inputs)}


def function_call(
    impl: Any,
    function: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    upstream: np.ndarray | None = None,
    scattered: bool = False,
) -> dict[str, Any]:
    """Call a function once: `impl.<function>(*args, **kwargs)`, with copies of the arrays in `args`.

    - `scattered`: if true, the numbers of these arrays lie in memory in another order.
    - `upstream`: without meaning here, as there is no backward pass.

    It returns "argument <n> left alone" for each array in `args`, and "result", or the items of a tuple at places of their own.

    >>> seen = function_call(np, "multiply", args=[np.array([1.0, 2.0]), 3.0], kwargs={})
    >>> {place: value.tolist() for place, value in seen.items()}
    {'argument 1 left alone': [1.0, 2.0], 'result': [3.0, 6.0]}
    """
    laid = in_other_order if scattered else np.copy
    given = [entered(laid(np.asarray(each))) if isinstance(each, np.ndarray) else each for each in args]
    with np.errstate(all="ignore"):
        result = getattr(impl, function)(*given, **kwargs)
    arrays = {number: each for number, each in enumerate(given, 1) if isinstance(each, np.ndarray)}
    return {Place("argument {number} left alone", number=number): np.copy(each) for number, each in arrays.items()} | parts(result)


def reversed_order(x: np.ndarray) -> np.ndarray:
    """Return a copy with the same numbers in reverse order.

    >>> reversed_order(np.array([[1, 2], [3, 4]])).tolist()
    [[4, 3], [2, 1]]
    """
    return np.flip(x).copy()


def in_other_order(x: np.ndarray) -> np.ndarray:
    """Return an equal array with its numbers in another order in memory.

    >>> in_other_order(np.arange(6.0).reshape(2, 3)).flags.c_contiguous
    False
    """
    return np.asfortranarray(x) if x.ndim > 1 else np.stack([x, x], -1)[..., 0]


VIEWS: Mapping[str | None, Callable[[np.ndarray], np.ndarray]] = {
    None: np.copy,
    "strided": lambda x: np.stack([x, x], -1)[..., 0],
    "expanded": lambda x: np.broadcast_to(x[:1], x.shape),
    "channels_last": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1) if x.ndim > 2 else x.copy(),
    "backwards": lambda x: np.flip(np.flip(x).copy()),  # its strides are negative
    "read-only": lambda x: read_only(x.copy()),
}


def read_only(x: np.ndarray) -> np.ndarray:
    """Make the array read-only, and return it."""
    x.flags.writeable = False
    return x


def one_hot(dy: np.ndarray) -> np.ndarray:
    """Return the gradient with all numbers 0 except for one in the middle.

    >>> one_hot(np.ones((2, 2))).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    numbers = np.zeros_like(dy)
    numbers.flat[dy.size // 2] = dy.flat[dy.size // 2]
    return numbers


# The ways in which the gradient of an output can arrive, by name.
ARRIVING: Mapping[str | None, Callable[[np.ndarray], np.ndarray]] = {
    None: lambda dy: dy,
    "one hot": one_hot,
    "with zeros": lambda dy: np.where(np.arange(dy.size).reshape(dy.shape) % 3 == 0, dy.dtype.type(0), dy),
    "ones": lambda dy: np.broadcast_to(np.ones((), dy.dtype), dy.shape),
    "expanded": lambda dy: np.broadcast_to(dy[:1], dy.shape),
    "strided": lambda dy: np.stack([dy, dy], -1)[..., 0],
    "backwards": VIEWS["backwards"],
    "read-only": read_only,
    "huge": lambda dy: dy * dy.dtype.type(2.0**20),
    "tiny": lambda dy: dy * dy.dtype.type(2.0**-30),
}


def settings() -> dict[str, Any]:
    """Return the state of all random numbers, and NumPy's settings for errors, warnings and printing, by name.

    The functions that it asks are looked up before your code is loaded.

    >>> before = settings()
    >>> _ = np.random.random()
    >>> [name for name, value in settings().items() if value != before[name]]
    ['random state']
    """
    state = get_state(legacy=False)
    return {
        "random state": (getstate(), state["state"]["key"].tobytes(), state["state"]["pos"]),
        "handling of floating-point errors": geterr(),
        "warnings and printing": ([*warnings.filters], get_printoptions()),
    }


def entered(array: np.ndarray) -> np.ndarray:
    """Return an array as it is given to your functions: a rounded one while the grader measures how well results are determined."""
    return ENTERING.get()(array)
