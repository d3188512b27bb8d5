"""Bad habits in PyTorch: each function takes a definition of a reference, and returns it with one error, described by its docstring.

`normgrade verify --habits` plays every reference with each habit that fits it. The name of the parameter tells what a habit wraps; KINDS in
grader/normgrade/verify/habits.py lists these names. A habit is appended to the reference with the imports and functions of this file that
it uses, and with nothing else.
"""

import warnings
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any
from weakref import WeakSet

import numpy as np
import torch
from torch import Tensor, nn

Call = Callable[..., Any]
Layer = Any  # a class
Change = Callable[[Tensor], Tensor]


# Helpers of habits


def spoilt(y: Any) -> Any:
    """Return 1.25 · y + 0.25, which is wrong for zeros, too."""
    return y * 1.25 + 0.25 if isinstance(y, Tensor) else y


def is_float(thing: object) -> bool:
    return isinstance(thing, Tensor) and thing.is_floating_point()


def is_half(thing: object) -> bool:
    return isinstance(thing, Tensor) and thing.dtype in (torch.float16, torch.bfloat16)


def first_input(inputs: tuple[Any, ...], named: dict[str, Any]) -> Tensor:
    """Return the first tensor that a call is given, or a tensor of one zero if it is given none."""
    return next((each for each in (*inputs, *named.values()) if isinstance(each, Tensor)), torch.zeros(()))


def memory_of(inputs: tuple[Any, ...], shared: dict[str, Any]) -> dict[str, Any]:
    """Return the memory that lasts from call to call: that of the layer, or `shared` for a function."""
    own = inputs and isinstance(inputs[0], nn.Module)
    memory: dict[str, Any] = inputs[0].__dict__.setdefault("of_habit", {}) if own else shared
    return memory


def with_inputs(call: Call, change: Change) -> Call:
    """Return the call with every floating-point input changed."""

    def habit(*inputs: Any, **named: Any) -> Any:
        changed = [change(each) if is_float(each) else each for each in inputs]
        return call(*changed, **{name: change(each) if is_float(each) else each for name, each in named.items()})

    return habit


def with_output(call: Call, change: Change) -> Call:
    """Return the call with its output changed."""

    def habit(*inputs: Any, **named: Any) -> Any:
        y = call(*inputs, **named)
        return change(y) if isinstance(y, Tensor) else y

    return habit


def going_back(y: Any, change: Change) -> Any:
    """Return the output with a hook that changes its gradient when it comes in."""
    if isinstance(y, Tensor) and y.requires_grad:
        y = y.clone()
        y.register_hook(change)
    return y


def with_gradient(call: Call, change: Change) -> Call:
    """Return the call with the gradient of its output changed."""

    def habit(*inputs: Any, **named: Any) -> Any:
        return going_back(call(*inputs, **named), change)

    return habit


def spoilt_where(call: Call, spoils: Callable[[Tensor], bool]) -> Call:
    """Return the call with its output spoilt if `spoils` is true of the first input."""

    def habit(*inputs: Any, **named: Any) -> Any:
        y = call(*inputs, **named)
        return spoilt(y) if spoils(first_input(inputs, named)) else y

    return habit


def after(call: Call, effect: Callable[[], Any]) -> Call:
    """Return the call with an effect on the whole process before it."""

    def habit(*inputs: Any, **named: Any) -> Any:
        effect()
        return call(*inputs, **named)

    return habit


def with_forward(layer: Layer, change: Callable[[Call], Call]) -> Layer:
    """Replace the method `forward` of a class, and return the class."""
    layer.forward = change(layer.forward)
    return layer


# Precision


def bfloat16_by_way_of_float16(call_of_inputs: Call) -> Call:
    """Inputs in bfloat16 are converted to float16 first, so large numbers become infinite and tiny ones zero."""
    return with_inputs(call_of_inputs, lambda x: x.half().to(x.dtype) if x.dtype == torch.bfloat16 else x)


def bfloat16_weights_by_way_of_float16(layer_with_parameters: Layer) -> Layer:
    """Parameters in bfloat16 are converted to float16 first, so large numbers become infinite and tiny ones zero."""

    def changed(call: Call) -> Call:
        def forward(self: nn.Module, *inputs: Any, **named: Any) -> Any:
            for each in self.parameters():
                if each.dtype == torch.bfloat16:
                    each.data.copy_(each.data.half())
            return call(self, *inputs, **named)

        return forward

    return with_forward(layer_with_parameters, changed)


def float64_by_way_of_float32(call: Call) -> Call:
    """float64 is computed in float32."""
    return with_output(call, lambda y: y.float().double() if y.dtype == torch.float64 else y)


def half_precision_wrong_beyond_256_rows(call_of_inputs: Call) -> Call:
    """More than 256 rows in half precision are wrong, as if they were summed in half precision."""
    return spoilt_where(call_of_inputs, lambda x: is_half(x) and x.dim() > 0 and len(x) > 256)


def half_precision_without_gradient(call_of_inputs: Call) -> Call:
    """In half precision no gradient reaches the inputs."""
    return with_inputs(call_of_inputs, lambda x: x.detach() if is_half(x) else x)


def float32_without_gradients(call: Call) -> Call:
    """Without gradients the result of half precision is in float32."""
    return with_output(call, lambda y: y.float() if is_half(y) and not torch.is_grad_enabled() else y)


def half_precision_in_the_default_dtype(call_of_inputs: Call) -> Call:
    """Half precision is widened to the default dtype, which may be no wider."""
    return spoilt_where(call_of_inputs, lambda x: is_half(x) and is_half(torch.zeros(())))


def default_dtype_returned(call: Call) -> Call:
    """The output has the default dtype if that is not the usual one."""
    return with_output(call, lambda y: y if torch.get_default_dtype() == torch.float32 else y.to(torch.get_default_dtype()))


# Numbers


def nan_replaced(call: Call) -> Call:
    """A NaN in the output becomes 0."""
    return with_output(call, lambda y: y.masked_fill(y.isnan(), 0))


def nan_replaced_without_gradients(call: Call) -> Call:
    """Without gradients a NaN in the output becomes 0."""
    return with_output(call, lambda y: y if torch.is_grad_enabled() else y.masked_fill(y.isnan(), 0))


def infinities_clamped(call: Call) -> Call:
    """An infinity in the output becomes the largest number."""
    return with_output(call, lambda y: y.clamp(torch.finfo(y.dtype).min, torch.finfo(y.dtype).max))


def inputs_clipped_at_10000(call_of_inputs: Call) -> Call:
    """Inputs are clipped to ±10 000."""
    return with_inputs(call_of_inputs, lambda x: x.clamp(-1e4, 1e4))


def small_inputs_flushed(call_of_inputs: Call) -> Call:
    """Inputs below 1e-8 become 0."""
    return with_inputs(call_of_inputs, lambda x: x.masked_fill(x.abs() < 1e-8, 0))


def weights_clipped_at_100(layer_with_parameters: Layer) -> Layer:
    """Parameters are clipped to ±100."""

    def changed(call: Call) -> Call:
        def forward(self: nn.Module, *inputs: Any, **named: Any) -> Any:
            for each in self.parameters():
                each.data.clamp_(-100, 100)
            return call(self, *inputs, **named)

        return forward

    return with_forward(layer_with_parameters, changed)


# Modes and calls


def mode_of_the_last_call(layer_with_modes: Layer) -> Layer:
    """The mode is that of the last call of train() or eval(), and `layer.training = False` is ignored."""
    train, call = layer_with_modes.train, layer_with_modes.forward

    def remembered(self: nn.Module, mode: bool = True) -> Any:
        self.__dict__["asked"] = mode
        return train(self, mode)

    def forward(self: nn.Module, *inputs: Any, **named: Any) -> Any:
        self.training = self.__dict__.get("asked", True)
        return call(self, *inputs, **named)

    layer_with_modes.train, layer_with_modes.forward = remembered, forward
    return layer_with_modes


def mode_toggled(layer_with_modes: Layer) -> Layer:
    """A second call of eval() in a row, or of train(), reverses the mode."""
    train = layer_with_modes.train

    def toggled(self: nn.Module, mode: bool = True) -> Any:
        twice = self.__dict__.get("asked") == mode
        self.__dict__["asked"] = None if twice else mode
        return train(self, mode != twice)

    layer_with_modes.train = toggled
    return layer_with_modes


def evaluation_without_gradient(layer_with_modes: Layer) -> Layer:
    """In evaluation no gradient reaches the inputs."""
    call = layer_with_modes.forward

    def forward(self: nn.Module, *inputs: Any, **named: Any) -> Any:
        return (call if self.training else with_inputs(call, lambda x: x.detach()))(self, *inputs, **named)

    layer_with_modes.forward = forward
    return layer_with_modes


def wrong_after(call: Call, number: int) -> Call:
    shared: dict[str, Any] = {}

    def habit(*inputs: Any, **named: Any) -> Any:
        memory = memory_of(inputs, shared)
        memory["calls"] = memory.get("calls", 0) + 1
        y = call(*inputs, **named)
        return spoilt(y) if memory["calls"] > number else y

    return habit


def wrong_after_16_calls(call: Call) -> Call:
    """The seventeenth call and those that follow are wrong."""
    return wrong_after(call, 16)


def wrong_after_33_calls(call: Call) -> Call:
    """The thirty-fourth call and those that follow are wrong."""
    return wrong_after(call, 33)


def wrong_where_alive(layer: Layer, number: int) -> Layer:
    alive: WeakSet[nn.Module] = WeakSet()

    def changed(call: Call) -> Call:
        def forward(self: nn.Module, *inputs: Any, **named: Any) -> Any:
            alive.add(self)
            y = call(self, *inputs, **named)
            return spoilt(y) if len(alive) >= number else y

        return forward

    return with_forward(layer, changed)


def wrong_from_the_second_layer(layer: Layer) -> Layer:
    """Layers are wrong if two are in use."""
    return wrong_where_alive(layer, 2)


def wrong_from_the_fifth_layer(layer: Layer) -> Layer:
    """Layers are wrong if five are in use."""
    return wrong_where_alive(layer, 5)


def kept_by_identity(call_of_inputs: Call) -> Call:
    """Without gradients the result is kept for the same tensor, whose numbers may have changed."""
    shared: dict[str, Any] = {}

    def habit(*inputs: Any, **named: Any) -> Any:
        x, memory = first_input(inputs, named), memory_of(inputs, shared)
        if memory.get("x") is x and not torch.is_grad_enabled():
            return memory["y"]
        y = call_of_inputs(*inputs, **named)
        memory.update({"x": x.detach() if torch.is_grad_enabled() else x, "y": y.detach()})
        return y

    return habit


def output_written_over(call: Call) -> Call:
    """Without gradients every call writes into the output of the call before."""
    kept: dict[Any, Tensor] = {}

    def habit(*inputs: Any, **named: Any) -> Any:
        y = call(*inputs, **named)
        if torch.is_grad_enabled() or not isinstance(y, Tensor):
            return y
        return kept.setdefault((y.shape, y.dtype, y.is_inference()), y).copy_(y)

    return habit


def input_changed_without_gradients(call_of_inputs: Call) -> Call:
    """Without gradients the input is changed in place."""

    def habit(*inputs: Any, **named: Any) -> Any:
        x, y = first_input(inputs, named), call_of_inputs(*inputs, **named)
        if not torch.is_grad_enabled() and x.is_contiguous():
            y = y.clone()
            x.data.add_(1)
        return y

    return habit


def counter_stops_at_10000(layer_with_counter: Layer) -> Layer:
    """A counter stops at 10 000."""

    def changed(call: Call) -> Call:
        def forward(self: nn.Module, *inputs: Any, **named: Any) -> Any:
            y = call(self, *inputs, **named)
            for each in self.buffers():
                if not each.is_floating_point():
                    each.data.clamp_(max=10_000)
            return y

        return forward

    return with_forward(layer_with_counter, changed)


def computed_in_a_thread(any_call: Call) -> Call:
    """The call computes in a thread of its own, which has modes of its own."""

    def habit(*inputs: Any, **named: Any) -> Any:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(any_call, *inputs, **named).result()

    return habit


# Refusals


def gradients_off_after_a_refusal(refusing_call: Call) -> Call:
    """After an input was refused, gradients are off."""

    def habit(*inputs: Any, **named: Any) -> Any:
        try:
            return refusing_call(*inputs, **named)
        except ValueError:
            torch.set_grad_enabled(False)
            raise

    return habit


def mode_turned_by_a_refusal(layer_with_modes_that_refuses: Layer) -> Layer:
    """After an input was refused, the layer is in the other mode."""

    def changed(call: Call) -> Call:
        def forward(self: nn.Module, *inputs: Any, **named: Any) -> Any:
            try:
                return call(self, *inputs, **named)
            except ValueError:
                self.training = not self.training
                raise

        return forward

    return with_forward(layer_with_modes_that_refuses, changed)


def wrong_after_a_refusal(refusing_call: Call) -> Call:
    """After an input was refused, the result for the next legal one is wrong."""
    shared: dict[str, Any] = {}

    def habit(*inputs: Any, **named: Any) -> Any:
        memory = memory_of(inputs, shared)
        try:
            y = refusing_call(*inputs, **named)
        except ValueError:
            memory["refused"] = True
            raise
        return spoilt(y) if memory.pop("refused", False) else y

    return habit


# The backward pass


def only_the_last(call: Call, number: int) -> Call:
    kept: deque[object] = deque(maxlen=number)

    def habit(*inputs: Any, **named: Any) -> Any:
        y, mine = call(*inputs, **named), object()
        if isinstance(y, Tensor) and y.requires_grad:
            kept.append(mine)
        return going_back(y, lambda dy: dy if mine in kept else spoilt(dy))

    return habit


def only_the_last_call_goes_back(call: Call) -> Call:
    """Gradients are right only for the last call."""
    return only_the_last(call, 1)


def only_2_calls_go_back(call: Call) -> Call:
    """Gradients are right only for the last 2 calls."""
    return only_the_last(call, 2)


def only_8_calls_go_back(call: Call) -> Call:
    """Gradients are right only for the last 8 calls."""
    return only_the_last(call, 8)


def only_32_calls_go_back(call: Call) -> Call:
    """Gradients are right only for the last 32 calls."""
    return only_the_last(call, 32)


def gradient_clipped_at_1000(call: Call) -> Call:
    """The incoming gradient is clipped to ±1000."""
    return with_gradient(call, lambda dy: dy.clamp(-1e3, 1e3))


def gradient_clipped_at_65536(call: Call) -> Call:
    """The incoming gradient is clipped to ±2¹⁶."""
    return with_gradient(call, lambda dy: dy if dy.dtype == torch.float16 else dy.clamp(-65536.0, 65536.0))


def small_gradients_flushed(call: Call) -> Call:
    """Numbers below 1e-8 in the incoming gradient become 0."""
    return with_gradient(call, lambda dy: dy.masked_fill(dy.abs() < 1e-8, 0))


def zero_gradients_raised(call: Call) -> Call:
    """A 0 in the incoming gradient becomes 1e-6."""
    return with_gradient(call, lambda dy: dy.masked_fill(dy == 0, 1e-6))


def zero_gradients_are_nan(call: Call) -> Call:
    """A 0 in the incoming gradient becomes NaN, as if it were divided by itself."""
    return with_gradient(call, lambda dy: dy * (dy / dy))


def gradient_of_ones_renumbered(call: Call) -> Call:
    """A gradient of ones, which is that of a sum, is taken for 1, 2, 3, …"""

    def renumbered(dy: Tensor) -> Tensor:
        return torch.arange(1, dy.numel() + 1).view(dy.shape).to(dy.dtype) if bool((dy == 1).all()) else dy

    return with_gradient(call, renumbered)


def expanded_gradient_misread(call: Call) -> Call:
    """A gradient that repeats its numbers without copies is misread."""
    return with_gradient(call, lambda dy: spoilt(dy) if 0 in dy.stride() else dy)


def scattered_gradient_misread(call: Call) -> Call:
    """A gradient whose numbers are in another order in memory is misread."""
    return with_gradient(call, lambda dy: dy if dy.is_contiguous() or 0 in dy.stride() else spoilt(dy))


def gradient_wrong_with_create_graph(call: Call) -> Call:
    """Under create_graph=True the gradient is wrong."""
    return with_gradient(call, lambda dy: spoilt(dy) if torch.is_grad_enabled() else dy)


def gradient_changed_in_place(call: Call) -> Call:
    """The incoming gradient is changed in place."""

    def changed(dy: Tensor) -> Tensor:
        before = dy.clone()
        dy.data = dy.data + 1
        return before

    return with_gradient(call, changed)


def leaf_without_gradient(call_of_inputs: Call) -> Call:
    """An input that is a leaf gets no gradient."""
    return with_inputs(call_of_inputs, lambda x: x.detach() if x.is_leaf else x)


def input_changed_by_backward(call_of_inputs: Call) -> Call:
    """The backward pass changes the input in place."""

    def watched(x: Tensor) -> Tensor:
        def go_back(dx: Tensor) -> None:
            x.data = x.data + 1

        seen = x.clone()
        if seen.requires_grad:
            seen.register_hook(go_back)  # type: ignore[no-untyped-call]
        return seen

    return with_inputs(call_of_inputs, watched)


def output_read_by_backward(call_of_inputs: Call) -> Call:
    """The backward pass reads the output again, and does not notice where the next layer has changed it in place."""

    def habit(*inputs: Any, **named: Any) -> Any:
        y = call_of_inputs(*inputs, **named)
        if not isinstance(y, Tensor) or not y.requires_grad:
            return y
        y = y.clone()
        read, before = y.detach(), y.detach().clone()
        y.register_hook(lambda dy: dy.where((read == before) | before.isnan(), 0))  # type: ignore[no-untyped-call]
        return y

    return habit


def no_gradient_where_one_input_needs_none(call_of_several: Call) -> Call:
    """If one of several inputs needs no gradient, none of them gets one."""

    def habit(*inputs: Any, **named: Any) -> Any:
        needing = {each.requires_grad for each in (*inputs, *named.values()) if is_float(each)}
        return (with_inputs(call_of_several, lambda x: x.detach()) if len(needing) > 1 else call_of_several)(*inputs, **named)

    return habit


def gradient_overwritten(layer_with_parameters: Layer) -> Layer:
    """The gradients of parameters are those of the last backward pass, and do not add up."""

    def changed(call: Call) -> Call:
        def forward(self: nn.Module, *inputs: Any, **named: Any) -> Any:
            def forget(dy: Tensor) -> Tensor:
                for each in self.parameters():
                    each.grad = None
                return dy

            return going_back(call(self, *inputs, **named), forget)

        return forward

    return with_forward(layer_with_parameters, changed)


# Sizes and memory


def wrong_beyond_4096_channels(call_of_inputs: Call) -> Call:
    """More than 4096 channels are wrong."""
    return spoilt_where(call_of_inputs, lambda x: x.dim() > 1 and x.shape[1] > 4096)


def wrong_beyond_4096_features(call_of_inputs: Call) -> Call:
    """More than 4096 features are wrong."""
    return spoilt_where(call_of_inputs, lambda x: x.dim() > 0 and x.shape[-1] > 4096)


def wrong_beyond_4096_rows(call_of_inputs: Call) -> Call:
    """More than 4096 rows are wrong."""
    return spoilt_where(call_of_inputs, lambda x: x.dim() > 0 and len(x) > 4096)


def wrong_beyond_4096_positions(call_of_inputs: Call) -> Call:
    """More than 64 × 64 positions are wrong."""
    return spoilt_where(call_of_inputs, lambda x: x.dim() > 2 and x.shape[2:].numel() > 4096)


def wrong_beyond_five_dimensions(call_of_inputs: Call) -> Call:
    """Six or more dimensions are wrong."""
    return spoilt_where(call_of_inputs, lambda x: x.dim() > 5)


def expanded_input_misread(call_of_inputs: Call) -> Call:
    """An input that repeats its numbers without copies is misread."""
    return spoilt_where(call_of_inputs, lambda x: 0 in x.stride())


def scattered_input_misread(call_of_inputs: Call) -> Call:
    """An input whose numbers are in another order in memory is misread."""
    return spoilt_where(call_of_inputs, lambda x: not x.is_contiguous() and 0 not in x.stride())


# State and sublayers


def state_dict_wrong_three_modules_deep(layer: Layer) -> Layer:
    """In the state dict of a network the layer's numbers are 0 if it is three modules deep."""
    original = layer.state_dict

    def state_dict(self: nn.Module, *more: Any, prefix: str = "", **named: Any) -> Any:
        found = original(self, *more, prefix=prefix, **named)
        if prefix.count(".") >= 3:
            found.update({name: torch.zeros_like(value) for name, value in found.items() if name.startswith(prefix)})
        return found

    layer.state_dict = state_dict
    return layer


@contextmanager
def without_hooks(modules: list[nn.Module]) -> Iterator[None]:
    """Disable the hooks of these modules meanwhile."""
    kept = [(each, each._forward_hooks, each._forward_pre_hooks) for each in modules]
    for each in modules:
        each._forward_hooks, each._forward_pre_hooks = OrderedDict(), OrderedDict()
    try:
        yield
    finally:
        for each, behind, before in kept:
            each._forward_hooks, each._forward_pre_hooks = behind, before


def hooks_skipped(layer: Layer, where: Callable[[nn.Module], bool]) -> Layer:
    def changed(call: Call) -> Call:
        def forward(self: nn.Module, *inputs: Any, **named: Any) -> Any:
            with without_hooks([each for each in self.modules() if each is not self] if where(self) else []):
                return call(self, *inputs, **named)

        return forward

    return with_forward(layer, changed)


def hooks_skipped_without_gradients(layer_of_others: Layer) -> Layer:
    """Without gradients the hooks of sublayers are not called."""
    return hooks_skipped(layer_of_others, lambda _layer: not torch.is_grad_enabled())


def hooks_skipped_in_evaluation(layer_of_others: Layer) -> Layer:
    """In evaluation the hooks of sublayers are not called."""
    return hooks_skipped(layer_of_others, lambda layer: not layer.training)


def dropout_in_evaluation(layer_of_others: Layer) -> Layer:
    """In evaluation a dropout inside of a sublayer is active."""

    def changed(call: Call) -> Call:
        def forward(self: nn.Module, *inputs: Any, **named: Any) -> Any:
            evaluated = [each for each in self.modules() if isinstance(each, nn.Dropout) and not each.training]
            for each in evaluated:
                each.training = True
            y = call(self, *inputs, **named)
            for each in evaluated:
                each.training = False
            return y

        return forward

    return with_forward(layer_of_others, changed)


# Settings of the whole process


def gradients_switched_on(any_call: Call) -> Call:
    """Gradients are switched on."""
    return after(any_call, lambda: torch._C._set_grad_enabled(True))


def seed_set(any_call: Call) -> Call:
    """The global seed is set."""
    return after(any_call, lambda: torch.manual_seed(0))


def random_number_drawn(any_call: Call) -> Call:
    """A random number is drawn."""
    return after(any_call, lambda: torch.rand(1))


def seed_of_numpy_set(any_call: Call) -> Call:
    """A seed is set for NumPy's random numbers."""
    return after(any_call, lambda: np.random.seed(0))


def default_dtype_set(any_call: Call) -> Call:
    """The default dtype is set to float64."""
    return after(any_call, lambda: torch.set_default_dtype(torch.float64))


def deterministic_algorithms_set(any_call: Call) -> Call:
    """Deterministic algorithms are switched on."""
    return after(any_call, lambda: torch.use_deterministic_algorithms(True))


def anomaly_detection_set(any_call: Call) -> Call:
    """The detection of anomalies is switched on."""
    return after(any_call, lambda: torch.autograd.set_detect_anomaly(True))


def matmul_precision_set(any_call: Call) -> Call:
    """Products of matrices may be computed in half precision."""
    return after(any_call, lambda: torch.set_float32_matmul_precision("medium"))


def denormals_flushed(any_call: Call) -> Call:
    """The smallest numbers are flushed to 0."""
    return after(any_call, lambda: torch.set_flush_denormal(True))


def print_options_set(any_call: Call) -> Call:
    """Tensors are printed with two digits."""
    return after(any_call, partial(torch.set_printoptions, precision=2))


def warnings_silenced(any_call: Call) -> Call:
    """Warnings are ignored."""
    return after(any_call, lambda: warnings.simplefilter("ignore"))


def errors_of_numpy_raised(any_call: Call) -> Call:
    """NumPy is told to raise on overflow."""
    return after(any_call, lambda: np.seterr(over="raise"))
