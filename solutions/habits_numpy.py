"""Bad habits in NumPy: each function takes a definition of a reference, and returns it with one error, described by its docstring.

The same error in PyTorch has the same name in `habits_torch.py`, which tells more about such files.
"""

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy import ndarray

Forward = Callable[..., Any]
Backward = Callable[[ndarray, Any], Any]
Pair = tuple[Forward, Backward]
Change = Callable[[Any], Any]


# Helpers of habits


def spoilt(y: ndarray) -> ndarray:
    """Return 1.25 · y + 0.25, which is wrong for zeros, too, in the dtype of y."""
    return (y * 1.25 + 0.25).astype(y.dtype)


def written_to(array: ndarray) -> ndarray:
    """The very array, with its own numbers written into it."""
    array[...] = array.copy()
    return array


def made_read_only(array: ndarray) -> ndarray:
    """The very array, to which nobody may write any more."""
    array.flags.writeable = False
    return array


def is_scattered(x: ndarray) -> bool:
    """Return True if numbers lie in another order in memory, or apart, each once and none backwards."""
    return not x.flags.c_contiguous and min(x.strides) > 0


def first_input(inputs: tuple[Any, ...], named: dict[str, Any]) -> ndarray:
    """Return the first input, by position or by name."""
    return next(each for each in (*inputs, *named.values()) if isinstance(each, ndarray))


def is_array(thing: object) -> bool:
    return isinstance(thing, ndarray)


def with_inputs(forward: Forward, backward: Backward, change: Change) -> Pair:
    """Return the pair with the first input changed."""

    def habit(*inputs: Any, **named: Any) -> Any:
        if inputs:
            return forward(change(inputs[0]), *inputs[1:], **named)
        first = next(name for name, value in named.items() if is_array(value))
        return forward(**{**named, first: change(named[first])})

    return habit, backward


def with_output(forward: Forward, backward: Backward, change: Change) -> Pair:
    """Return the pair with the output changed."""

    def habit(*inputs: Any, **named: Any) -> Any:
        y, cache = forward(*inputs, **named)
        return change(y), cache

    return habit, backward


def with_gradient(forward: Forward, backward: Backward, change: Change) -> Pair:
    """Return the pair with the gradient of the output changed."""
    return forward, lambda dy, cache: backward(change(dy), cache)


def with_gradients(forward: Forward, backward: Backward, change: Change) -> Pair:
    """Return the pair with each of the gradients that it returns changed."""
    return forward, lambda dy, cache: tuple(map(change, backward(dy, cache)))


def spoilt_where(forward: Forward, backward: Backward, spoils: Callable[[ndarray], bool]) -> Pair:
    """Return the pair with the output spoilt if `spoils` is true of the first input."""

    def habit(*inputs: Any, **named: Any) -> Any:
        y, cache = forward(*inputs, **named)
        return (spoilt(y) if spoils(first_input(inputs, named)) else y), cache

    return habit, backward


def after(forward: Forward, backward: Backward, effect: Callable[[], Any]) -> Pair:
    """Return the pair with an effect on the whole process before each call."""

    def habit(*inputs: Any, **named: Any) -> Any:
        effect()
        return forward(*inputs, **named)

    return habit, backward


# Precision and numbers


def float64_by_way_of_float32(forward: Forward, backward: Backward) -> Pair:
    """float64 is computed in float32."""
    return with_output(forward, backward, lambda y: y.astype(np.float32).astype(y.dtype) if y.dtype == np.float64 else y)


def gradients_by_way_of_float32(forward: Forward, backward: Backward) -> Pair:
    """Gradients in float64 are computed in float32."""
    return with_gradients(forward, backward, lambda dx: dx.astype(np.float32).astype(dx.dtype) if dx.dtype == np.float64 else dx)


def half_precision_wrong_beyond_256_rows(forward: Forward, backward: Backward) -> Pair:
    """More than 256 rows in half precision are wrong, as if they were summed in half precision."""
    return spoilt_where(forward, backward, lambda x: x.dtype == np.float16 and x.ndim > 0 and len(x) > 256)


def nan_replaced(forward: Forward, backward: Backward) -> Pair:
    """A NaN in the output becomes 0."""
    return with_output(forward, backward, lambda y: np.where(np.isnan(y), y.dtype.type(0), y))


def nan_in_gradients_replaced(forward: Forward, backward: Backward) -> Pair:
    """A NaN in the gradients becomes 0."""
    return with_gradients(forward, backward, lambda dx: np.where(np.isnan(dx), dx.dtype.type(0), dx))


def infinities_clamped(forward: Forward, backward: Backward) -> Pair:
    """An infinity in the output becomes the largest number."""
    return with_output(forward, backward, lambda y: np.clip(y, np.finfo(y.dtype).min, np.finfo(y.dtype).max))


def inputs_clipped_at_10000(forward: Forward, backward: Backward) -> Pair:
    """Inputs are clipped to ±10 000."""
    return with_inputs(forward, backward, lambda x: np.clip(x, -10_000, 10_000))


def small_inputs_flushed(forward: Forward, backward: Backward) -> Pair:
    """Inputs below 1e-8 become 0."""
    return with_inputs(forward, backward, lambda x: np.where(np.abs(x) < 1e-8, x.dtype.type(0), x))


def weights_clipped_at_100(forward_of_several: Forward, backward: Backward) -> Pair:
    """Inputs that follow the first are clipped to ±100."""

    def habit(*inputs: Any, **named: Any) -> Any:
        clipped = [np.clip(each, -100, 100) if is_array(each) else each for each in inputs[1:]]
        return forward_of_several(*inputs[:1], *clipped, **named)

    return habit, backward


# Calls


def wrong_after(forward: Forward, backward: Backward, number: int) -> Pair:
    calls: list[None] = []

    def habit(*inputs: Any, **named: Any) -> Any:
        calls.append(None)
        y, cache = forward(*inputs, **named)
        return (spoilt(y) if len(calls) > number else y), cache

    return habit, backward


def wrong_after_16_calls(forward: Forward, backward: Backward) -> Pair:
    """The seventeenth call and those that follow are wrong."""
    return wrong_after(forward, backward, 16)


def wrong_after_33_calls(forward: Forward, backward: Backward) -> Pair:
    """The thirty-fourth call and those that follow are wrong."""
    return wrong_after(forward, backward, 33)


def kept_by_identity(forward: Forward, backward: Backward) -> Pair:
    """The result is kept for the same array, whose numbers may have changed."""
    kept: dict[str, Any] = {}

    def habit(*inputs: Any, **named: Any) -> Any:
        x = first_input(inputs, named)
        if kept.get("x") is not x:
            kept.update(x=x, result=forward(*inputs, **named))
        return kept["result"]

    return habit, backward


def output_written_over(forward: Forward, backward: Backward) -> Pair:
    """Every call writes into the output of the call before."""
    kept: dict[Any, ndarray] = {}

    def habit(*inputs: Any, **named: Any) -> Any:
        y, cache = forward(*inputs, **named)
        there = kept.setdefault((y.shape, y.dtype), y.copy())
        there[...] = y
        return there, cache

    return habit, backward


def computed_in_a_thread(forward: Forward, backward: Backward) -> Pair:
    """The call computes in a thread of its own."""

    def habit(*inputs: Any, **named: Any) -> Any:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(forward, *inputs, **named).result()

    return habit, backward


def wrong_after_a_refusal(refusing_forward: Forward, backward: Backward) -> Pair:
    """After an input was refused, the result for the next legal one is wrong."""
    refused: list[None] = []

    def habit(*inputs: Any, **named: Any) -> Any:
        try:
            y, cache = refusing_forward(*inputs, **named)
        except ValueError:
            refused.append(None)
            raise
        wrong = bool(refused)
        refused.clear()
        return (spoilt(y) if wrong else y), cache

    return habit, backward


# The cache


def only_the_last(forward: Forward, backward: Backward, number: int) -> Pair:
    caches: dict[int, Any] = {}

    def habit(*inputs: Any, **named: Any) -> Any:
        y, cache = forward(*inputs, **named)
        mine = max(caches, default=0) + 1
        caches[mine] = cache
        caches.pop(mine - number, None)
        return y, (mine, cache)

    def go_back(dy: ndarray, cache: Any) -> Any:
        return backward(dy if cache[0] in caches else spoilt(dy), cache[1])

    return habit, go_back


def only_the_last_call_goes_back(forward: Forward, backward: Backward) -> Pair:
    """Gradients are right only for the last call."""
    return only_the_last(forward, backward, 1)


def only_2_calls_go_back(forward: Forward, backward: Backward) -> Pair:
    """Gradients are right only for the last 2 calls."""
    return only_the_last(forward, backward, 2)


def only_8_calls_go_back(forward: Forward, backward: Backward) -> Pair:
    """Gradients are right only for the last 8 calls."""
    return only_the_last(forward, backward, 8)


def only_32_calls_go_back(forward: Forward, backward: Backward) -> Pair:
    """Gradients are right only for the last 32 calls."""
    return only_the_last(forward, backward, 32)


def cache_used_up(forward: Forward, backward: Backward) -> Pair:
    """A cache can be used only once."""

    def habit(*inputs: Any, **named: Any) -> Any:
        y, cache = forward(*inputs, **named)
        return y, [cache]

    return habit, lambda dy, cache: backward(dy, cache.pop())


def gradients_kept(forward: Forward, backward: Backward) -> Pair:
    """The gradients of the first backward pass are kept in the cache, and returned by the next one."""

    def habit(*inputs: Any, **named: Any) -> Any:
        y, cache = forward(*inputs, **named)
        return y, (cache, [])

    def go_back(dy: ndarray, cache: Any) -> Any:
        known, kept = cache
        if not kept:
            kept.append(backward(dy, known))
        return kept[0]

    return habit, go_back


def cache_found_by_shape(forward: Forward, backward: Backward) -> Pair:
    """The cache is that of the last call with an output of this shape."""
    caches: dict[tuple[int, ...], Any] = {}

    def habit(*inputs: Any, **named: Any) -> Any:
        y, cache = forward(*inputs, **named)
        caches[y.shape] = cache
        return y, cache

    return habit, lambda dy, cache: backward(dy, caches.get(dy.shape, cache))


# The backward pass


def gradient_clipped_at_1000(forward: Forward, backward: Backward) -> Pair:
    """The incoming gradient is clipped to ±1000."""
    return with_gradient(forward, backward, lambda dy: np.clip(dy, -1000, 1000))


def gradient_clipped_at_65536(forward: Forward, backward: Backward) -> Pair:
    """The incoming gradient is clipped to ±2¹⁶."""
    return with_gradient(forward, backward, lambda dy: dy if dy.dtype == np.float16 else np.clip(dy, -65536, 65536))


def small_gradients_flushed(forward: Forward, backward: Backward) -> Pair:
    """Numbers below 1e-8 in the incoming gradient become 0."""
    return with_gradient(forward, backward, lambda dy: np.where(np.abs(dy) < 1e-8, dy.dtype.type(0), dy))


def zero_gradients_raised(forward: Forward, backward: Backward) -> Pair:
    """A 0 in the incoming gradient becomes 1e-6."""
    return with_gradient(forward, backward, lambda dy: np.where(dy == 0, dy.dtype.type(1e-6), dy))


def zero_gradients_are_nan(forward: Forward, backward: Backward) -> Pair:
    """A 0 in the incoming gradient becomes NaN, as if it were divided by itself."""
    return with_gradient(forward, backward, lambda dy: np.where(dy == 0, dy.dtype.type(np.nan), dy))


def gradient_of_ones_renumbered(forward: Forward, backward: Backward) -> Pair:
    """A gradient of ones, which is that of a sum, is taken for 1, 2, 3, …"""

    def renumbered(dy: ndarray) -> ndarray:
        return np.arange(1, dy.size + 1).reshape(dy.shape).astype(dy.dtype) if (dy == 1).all() else dy

    return with_gradient(forward, backward, renumbered)


def expanded_gradient_misread(forward: Forward, backward: Backward) -> Pair:
    """A gradient that repeats its numbers without copies is misread."""
    return with_gradient(forward, backward, lambda dy: spoilt(dy) if 0 in dy.strides else dy)


def scattered_gradient_misread(forward: Forward, backward: Backward) -> Pair:
    """A gradient whose numbers are in another order in memory is misread."""
    return with_gradient(forward, backward, lambda dy: spoilt(dy) if is_scattered(dy) else dy)


def reversed_gradient_misread(forward: Forward, backward: Backward) -> Pair:
    """A gradient whose numbers are backwards in memory is misread."""
    return with_gradient(forward, backward, lambda dy: spoilt(dy) if min(dy.strides, default=0) < 0 else dy)


def gradient_changed_in_place(forward: Forward, backward: Backward) -> Pair:
    """The incoming gradient is changed in place."""

    def go_back(dy: ndarray, cache: Any) -> Any:
        gradients = backward(dy.copy(), cache)
        if dy.flags.writeable:
            dy[...] = 0
        return gradients

    return forward, go_back


def gradient_written_to(forward: Forward, backward: Backward) -> Pair:
    """The incoming gradient is overwritten with the same numbers, so it must not be read-only."""
    return with_gradient(forward, backward, written_to)


def gradient_made_read_only(forward: Forward, backward: Backward) -> Pair:
    """The incoming gradient is made read-only."""
    return with_gradient(forward, backward, made_read_only)


def output_changed_by_backward(forward: Forward, backward: Backward) -> Pair:
    """The backward pass writes into the output that was returned."""

    def habit(*inputs: Any, **named: Any) -> Any:
        y, cache = forward(*inputs, **named)
        given = y.copy()
        return given, (given, cache)

    def go_back(dy: ndarray, cache: Any) -> Any:
        cache[0][...] = 0
        return backward(dy, cache[1])

    return habit, go_back


def input_changed_by_backward(forward: Forward, backward: Backward) -> Pair:
    """The backward pass changes the input in place."""

    def habit(*inputs: Any, **named: Any) -> Any:
        x = first_input(inputs, named)
        y, cache = with_inputs(forward, backward, ndarray.copy)[0](*inputs, **named)
        return y, (x, cache)

    def go_back(dy: ndarray, cache: Any) -> Any:
        if cache[0].flags.writeable:
            cache[0][...] = 0
        return backward(dy, cache[1])

    return habit, go_back


def gradients_in_a_list(forward: Forward, backward: Backward) -> Pair:
    """The gradients are returned in a list."""
    return forward, lambda dy, cache: list(backward(dy, cache))


def axes_of_length_one_dropped(forward: Forward, backward: Backward) -> Pair:
    """The gradients lose their axes of length one."""
    return with_gradients(forward, backward, np.squeeze)


# Sizes and memory


def wrong_beyond_4096_channels(forward: Forward, backward: Backward) -> Pair:
    """More than 4096 channels are wrong."""
    return spoilt_where(forward, backward, lambda x: x.ndim > 1 and x.shape[1] > 4096)


def wrong_beyond_4096_features(forward: Forward, backward: Backward) -> Pair:
    """More than 4096 features are wrong."""
    return spoilt_where(forward, backward, lambda x: x.ndim > 0 and x.shape[-1] > 4096)


def wrong_beyond_4096_rows(forward: Forward, backward: Backward) -> Pair:
    """More than 4096 rows are wrong."""
    return spoilt_where(forward, backward, lambda x: x.ndim > 0 and len(x) > 4096)


def gradients_wrong_beyond_1000_rows(forward: Forward, backward: Backward) -> Pair:
    """The gradients of more than 1000 rows are wrong."""
    return with_gradient(forward, backward, lambda dy: spoilt(dy) if dy.ndim > 0 and len(dy) > 1000 else dy)


def wrong_beyond_4096_positions(forward: Forward, backward: Backward) -> Pair:
    """More than 64 × 64 positions are wrong."""
    return spoilt_where(forward, backward, lambda x: x.ndim > 2 and x[0, 0].size > 4096)


def wrong_beyond_five_dimensions(forward: Forward, backward: Backward) -> Pair:
    """Six or more dimensions are wrong."""
    return spoilt_where(forward, backward, lambda x: x.ndim > 5)


def expanded_input_misread(forward: Forward, backward: Backward) -> Pair:
    """An input that repeats its numbers without copies is misread."""
    return spoilt_where(forward, backward, lambda x: 0 in x.strides)


def scattered_input_misread(forward: Forward, backward: Backward) -> Pair:
    """An input whose numbers are in another order in memory is misread."""
    return spoilt_where(forward, backward, is_scattered)


def reversed_input_misread(forward: Forward, backward: Backward) -> Pair:
    """An input whose numbers are backwards in memory is misread."""
    return spoilt_where(forward, backward, lambda x: min(x.strides, default=0) < 0)


def input_written_to(forward: Forward, backward: Backward) -> Pair:
    """The input is overwritten with the same numbers, so it must not be read-only."""
    return with_inputs(forward, backward, written_to)


def input_made_read_only(forward: Forward, backward: Backward) -> Pair:
    """The input is made read-only."""
    return with_inputs(forward, backward, made_read_only)


# Settings of the whole process


def seed_set(forward: Forward, backward: Backward) -> Pair:
    """The global seed is set."""
    return after(forward, backward, lambda: np.random.seed(0))


def random_number_drawn(forward: Forward, backward: Backward) -> Pair:
    """A random number is drawn."""
    return after(forward, backward, np.random.random)


def errors_ignored(forward: Forward, backward: Backward) -> Pair:
    """NumPy ignores all floating-point errors from now on."""
    return after(forward, backward, lambda: np.seterr(all="ignore"))


def errors_of_numpy_raised(forward: Forward, backward: Backward) -> Pair:
    """NumPy is told to raise on overflow."""
    return after(forward, backward, lambda: np.seterr(over="raise"))


def print_options_set(forward: Forward, backward: Backward) -> Pair:
    """Arrays are printed with two digits."""
    return after(forward, backward, lambda: np.set_printoptions(precision=2))


def warnings_silenced(forward: Forward, backward: Backward) -> Pair:
    """Warnings are ignored."""
    return after(forward, backward, lambda: warnings.simplefilter("ignore"))
