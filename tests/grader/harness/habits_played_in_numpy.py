"""One play for each habit in NumPy, in which a pair with it differs from the same pair without it, and the use of each exercise."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy import ndarray

Shape = tuple[int, ...]
ILLEGAL: Sequence[Shape] = ((), (3,), (1, 3), (3, 3), (2, 3, 3), (2, 3, 3, 3), (1, 3, 1, 1))


@dataclass(frozen=True)
class UsedPair:
    """The use of an exercise: the shape of x, the axis of the features, the number of parameters, and further arguments for an x."""

    shape: Shape
    axis: int = -1
    parameters: int = 0
    further: Callable[[ndarray], Sequence[Any]] = lambda _x: ()

    def inputs(self, shape: Shape = (), dtype: str = "float32", seed: int = 0) -> list[ndarray]:
        numbers, shape = np.random.default_rng(seed), shape or self.shape
        arrays = [numbers.normal(size=shape), *(numbers.normal(size=shape[self.axis]) for _ in range(self.parameters))]
        return [(each / 3).astype(dtype) for each in arrays]


@dataclass
class Played:
    """A forward and backward pair of a source, with functions that play it."""

    used: UsedPair
    impl: Any

    def y(self, inputs: Sequence[ndarray]) -> ndarray:
        return self.cached(inputs)[0]

    def cached(self, inputs: Sequence[ndarray]) -> tuple[ndarray, Any]:
        y, cache = self.impl.forward(*inputs, *self.used.further(inputs[0]))
        return y, cache

    def gradients(self, dy: Callable[[ndarray], ndarray], inputs: Sequence[ndarray] = ()) -> Any:
        y, cache = self.cached(inputs or self.used.inputs())
        return self.impl.backward(dy(y), cache)


def ramp(y: ndarray) -> ndarray:
    return np.linspace(-2, 3, y.size).reshape(y.shape).astype(y.dtype)


def half_zero(y: ndarray) -> ndarray:
    dy = ramp(y)
    dy.flat[::2] = 0
    return dy


def scaled(pair: Played, factor: float, dtype: str = "float32") -> Any:
    x, *more = pair.used.inputs(dtype=dtype)
    return pair.y([x * x.dtype.type(factor), *more])


def sized(pair: Played, axis: int, size: int, dtype: str = "float32") -> Any:
    shape = list(pair.used.shape)
    shape[axis] = size
    return pair.y(pair.used.inputs(tuple(shape), dtype))


def with_x(pair: Played, change: Callable[[ndarray], Any]) -> list[ndarray]:
    x, *more = pair.used.inputs()
    changed = change(x)
    return [x if changed is None else changed, *more]


def spoil(value: float) -> Callable[[ndarray], None]:
    return lambda x: x.flat.__setitem__(x.size // 2, value)


def overflowing(pair: Played) -> Any:
    x, *more = pair.used.inputs()
    of_parameters = [pair.y([x, *more[:number], np.full_like(more[number], np.inf), *more[number + 1 :]]) for number in range(len(more))]
    return [scaled(pair, 3e38), *of_parameters]


def nth_call(pair: Played, number: int) -> Any:
    return [pair.y(pair.used.inputs()) for _ in range(number)][-1]


def same_array(pair: Played) -> Any:
    x, *more = pair.used.inputs()
    first = pair.y([x, *more]).copy()
    x[...] = pair.used.inputs(seed=1)[0]
    return first, pair.y([x, *more])


def two_outputs(pair: Played) -> Any:
    first = pair.y(pair.used.inputs())
    pair.y(pair.used.inputs(seed=1))
    return first


def threads_started(pair: Played) -> int:
    started: list[threading.Thread] = []
    start = threading.Thread.start

    def counted(thread: threading.Thread) -> None:
        started.append(thread)
        start(thread)

    with patch.object(threading.Thread, "start", counted):
        pair.y(pair.used.inputs())
    return len(started)


def after_a_refusal(pair: Played) -> Any:
    for shape in ILLEGAL:
        with suppress(IndexError):
            try:
                pair.y([np.ones(shape, np.float32), *pair.used.inputs()[1:]])
            except ValueError:
                break
    return pair.y(pair.used.inputs())


def oldest_of(pair: Played, number: int) -> Any:
    y, cache = pair.cached(pair.used.inputs())
    for seed in range(1, number):
        pair.y(pair.used.inputs(seed=seed))
    return pair.impl.backward(ramp(y), cache)


def twice(pair: Played) -> Any:
    y, cache = pair.cached(pair.used.inputs())
    return [*pair.impl.backward(ramp(y), cache)], [*pair.impl.backward(half_zero(y), cache)]


def incoming(pair: Played) -> Any:
    y, cache = pair.cached(pair.used.inputs())
    dy = ramp(y)
    pair.impl.backward(dy, cache)
    return dy, dy.flags.writeable


def after_backward(pair: Played) -> Any:
    inputs = pair.used.inputs()
    y, cache = pair.cached(inputs)
    pair.impl.backward(ramp(y), cache)
    return y, inputs, inputs[0].flags.writeable


def read_only(array: ndarray) -> ndarray:
    array.flags.writeable = False
    return array


def setting(pair: Played, read: Callable[[], Any]) -> Any:
    pair.y(pair.used.inputs())
    return read()


def random_state() -> Any:
    state = np.random.get_state(legacy=False)
    return state["state"]["key"].tolist(), state["state"]["pos"]


def many_rows(pair: Played) -> Any:
    inputs = pair.used.inputs((1001, *pair.used.shape[1:]))
    return pair.gradients(ramp, inputs)


def backwards(array: ndarray) -> ndarray:
    return array[::-1].copy()[::-1]


PLAYS: Mapping[str, Callable[[Played], Any]] = {
    "float64-by-way-of-float32": lambda pair: pair.y(pair.used.inputs(dtype="float64")),
    "gradients-by-way-of-float32": lambda pair: pair.gradients(lambda y: ramp(y) / 3, pair.used.inputs(dtype="float64")),
    "half-precision-wrong-beyond-256-rows": lambda pair: sized(pair, 0, 300, "float16"),
    "nan-replaced": lambda pair: pair.y(with_x(pair, spoil(np.nan))),
    "nan-in-gradients-replaced": lambda pair: pair.gradients(lambda y: y * np.float32(np.nan)),
    "infinities-clamped": overflowing,
    "inputs-clipped-at-10000": lambda pair: scaled(pair, 1e5),
    "small-inputs-flushed": lambda pair: scaled(pair, 1e-9, "float64"),
    "weights-clipped-at-100": lambda pair: [
        pair.y([pair.used.inputs()[0], *(each * 1e4 for each in pair.used.inputs()[1:])]),
        sized(pair, 1, 110),  # a target above 100
    ],
    "wrong-after-16-calls": lambda pair: nth_call(pair, 17),
    "wrong-after-33-calls": lambda pair: nth_call(pair, 34),
    "kept-by-identity": same_array,
    "output-written-over": two_outputs,
    "computed-in-a-thread": threads_started,
    "wrong-after-a-refusal": after_a_refusal,
    "only-the-last-call-goes-back": lambda pair: oldest_of(pair, 2),
    "only-2-calls-go-back": lambda pair: oldest_of(pair, 3),
    "only-8-calls-go-back": lambda pair: oldest_of(pair, 9),
    "only-32-calls-go-back": lambda pair: oldest_of(pair, 33),
    "cache-used-up": twice,
    "gradients-kept": twice,
    "cache-found-by-shape": lambda pair: oldest_of(pair, 2),
    "gradient-clipped-at-1000": lambda pair: pair.gradients(lambda y: ramp(y) * 1000),
    "gradient-clipped-at-65536": lambda pair: pair.gradients(lambda y: ramp(y) * 100_000),
    "small-gradients-flushed": lambda pair: pair.gradients(lambda y: ramp(y) * np.float32(1e-9)),
    "zero-gradients-raised": lambda pair: pair.gradients(half_zero),
    "zero-gradients-are-nan": lambda pair: pair.gradients(half_zero),
    "gradient-of-ones-renumbered": lambda pair: pair.gradients(np.ones_like),
    "expanded-gradient-misread": lambda pair: pair.gradients(lambda y: np.broadcast_to(ramp(y)[:1], y.shape)),
    "scattered-gradient-misread": lambda pair: pair.gradients(lambda y: np.asfortranarray(ramp(y))),
    "reversed-gradient-misread": lambda pair: pair.gradients(lambda y: backwards(ramp(y))),
    "gradient-changed-in-place": incoming,
    "gradient-written-to": lambda pair: pair.gradients(lambda y: read_only(ramp(y))),
    "gradient-made-read-only": incoming,
    "output-changed-by-backward": after_backward,
    "input-changed-by-backward": after_backward,
    "gradients-in-a-list": lambda pair: type(pair.gradients(ramp)).__name__,
    "axes-of-length-one-dropped": lambda pair: pair.gradients(ramp, pair.used.inputs((1, *pair.used.shape[1:]))),
    "wrong-beyond-4096-channels": lambda pair: sized(pair, 1, 4098),
    "wrong-beyond-4096-features": lambda pair: sized(pair, -1, 4098),
    "wrong-beyond-4096-rows": lambda pair: sized(pair, 0, 4097),
    "gradients-wrong-beyond-1000-rows": many_rows,
    "wrong-beyond-4096-positions": lambda pair: pair.y(pair.used.inputs((*pair.used.shape[:2], 65, 65))),
    "wrong-beyond-five-dimensions": lambda pair: pair.y(pair.used.inputs((2, 4, 2, 2, 2, 3))),
    "expanded-input-misread": lambda pair: pair.y(with_x(pair, lambda x: np.broadcast_to(x[:1], x.shape))),
    "scattered-input-misread": lambda pair: pair.y(with_x(pair, np.asfortranarray)),
    "reversed-input-misread": lambda pair: pair.y(with_x(pair, backwards)),
    "input-written-to": lambda pair: pair.y(with_x(pair, read_only)),
    "input-made-read-only": after_backward,
    "seed-set": lambda pair: setting(pair, random_state),
    "random-number-drawn": lambda pair: setting(pair, random_state),
    "errors-ignored": lambda pair: setting(pair, np.geterr),
    "errors-of-numpy-raised": lambda pair: setting(pair, np.geterr),
    "print-options-set": lambda pair: setting(pair, lambda: str(np.array([1 / 3]))),
    "warnings-silenced": lambda pair: setting(pair, lambda: warnings.filters[0][0]),
}
USED = {
    "softmax_backward": UsedPair((5, 6)),
    "rms_norm_backward": UsedPair((5, 6), parameters=1),
    "layer_norm_backward": UsedPair((5, 6), parameters=2),
    "batch_norm_backward": UsedPair((5, 6, 3), axis=1, parameters=2),
    "group_norm_backward": UsedPair((5, 6, 3), axis=1, parameters=2, further=lambda _x: [2]),
    "cross_entropy": UsedPair((5, 6), further=lambda x: [(-1 - np.arange(x.shape[0])) % x.shape[1]]),
}


@contextmanager
def as_it_was() -> Iterator[None]:
    """Restore every setting of the process that a habit may change."""
    state, errors, options = np.random.get_state(), np.geterr(), np.get_printoptions()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=RuntimeWarning)
            warnings.filterwarnings("error", message="^never$")
            yield
    finally:
        np.random.set_state(state)
        np.seterr(**errors)
        np.set_printoptions(**options)


def seen(source: str, used: UsedPair, name: str) -> Any:
    """Return the result of a habit's play on a source, or the class and message of its error."""
    module = ModuleType("submission")
    exec(compile(source, "submission", "exec", dont_inherit=True), module.__dict__)
    with as_it_was():
        try:
            return PLAYS[name](Played(used, module))
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            return f"{type(error).__name__}: {error}"


def alike(one: Any, other: Any) -> bool:
    """Return True if two plays have the same result."""
    if isinstance(one, ndarray) and isinstance(other, ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return type(one) is type(other) and bool(one == other)
