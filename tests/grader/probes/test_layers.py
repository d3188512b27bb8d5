"""Tests of the generic probes of layers: their observations, and the differences that they forgive."""

from __future__ import annotations

import random
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from normgrade.language.places import Absent
from normgrade.probes import layers
from normgrade.probes.layers import function_call, go_back, in_other_order, layer_story, new_layer
from normgrade.probes.results import Stopped
from normgrade.probes.step_options import StepOptions

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
UPSTREAM = torch.tensor([[1.0, -1.0, 2.0], [0.5, 3.0, -2.0]])
STATE = {"weight": torch.tensor([2.0, 3.0, 5.0]), "bias": torch.tensor([0.25, 0.5, 0.75])}


class Affine(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.bias = nn.Parameter(torch.zeros(3))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight + self.bias


class Greek(nn.Module):
    """A layer like Affine with other names and shapes of its parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1, 3))
        self.beta = nn.Parameter(torch.zeros(3, 1))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gamma + self.beta.T


def of(forward: Callable[[Tensor], Any]) -> type[nn.Module]:
    """Return a layer without parameters whose forward pass is this function."""
    return holding(lambda _layer, x: forward(x))


def holding(forward: Callable[[Any, Tensor], Any], **held: Tensor | float | None) -> type[nn.Module]:
    """Return a layer that holds parameters, buffers (other tensors), missing parameters (None) and numbers."""

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for name, value in deepcopy(held).items():
                if value is None or isinstance(value, nn.Parameter):
                    self.register_parameter(name, value)
                elif isinstance(value, Tensor):
                    self.register_buffer(name, value)
                else:
                    setattr(self, name, value)

        def forward(self, x: Tensor) -> Any:
            return forward(self, x)

    return Layer


def step(x: Tensor | None = X, upstream: Tensor | None = UPSTREAM, do: str = "train", scattered: bool = False) -> dict[str, Any]:
    return {"do": do} if do == "reload" else {"do": do, "x": x, "upstream": upstream, "scattered": scattered}


def story(
    layer: Any, *steps: Mapping[str, Any], state: Mapping[str, Tensor] = STATE, watch: Sequence[str] | None = None, args: Sequence[Any] = ()
) -> dict[str, Any]:
    return layer_story(SimpleNamespace(Layer=layer), "Layer", args, {}, state, list(state) if watch is None else watch, steps)


def same(seen: Any, expected: Tensor) -> bool:
    return isinstance(seen, Tensor) and seen.dtype is expected.dtype and torch.equal(seen, expected)


# A layer's story


def test_step_shows_output_input_and_every_gradient() -> None:
    seen = story(Affine, step())
    assert list(seen) == [
        "step 1 · output",
        "step 1 · input left alone",
        "step 1 · gradient of input",
        "step 1 · weight",
        "step 1 · gradient of weight",
        "step 1 · bias",
        "step 1 · gradient of bias",
    ]
    assert same(seen["step 1 · output"], X * STATE["weight"] + STATE["bias"]) and same(seen["step 1 · input left alone"], X)
    assert same(seen["step 1 · gradient of input"], UPSTREAM * STATE["weight"])
    assert same(seen["step 1 · weight"], STATE["weight"]) and same(seen["step 1 · bias"], STATE["bias"])
    assert same(seen["step 1 · gradient of weight"], (UPSTREAM * X).sum(0))
    assert same(seen["step 1 · gradient of bias"], UPSTREAM.sum(0))


def test_without_upstream_gradient_no_gradient_is_shown() -> None:
    assert list(story(Affine, step(upstream=None))) == ["step 1 · output", "step 1 · input left alone", "step 1 · weight", "step 1 · bias"]


def test_gradients_do_not_accumulate_over_steps() -> None:
    seen = story(Affine, step(), step())
    assert same(seen["step 1 · gradient of weight"], seen["step 2 · gradient of weight"])


@pytest.mark.parametrize(("do", "training"), [("train", True), ("evaluate", False)])
def test_step_sets_the_mode_of_the_layer(do: str, training: bool) -> None:
    class Mode(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x if self.training else -x

    assert same(story(Mode, step(do=do), state={})["step 1 · output"], X if training else -X)


def test_other_names_are_understood_and_other_shapes_are_reshaped() -> None:
    seen, expected = story(Greek, step()), story(Affine, step())
    assert list(seen) == list(expected)
    assert all(same(seen[place], value) for place, value in expected.items() if isinstance(value, Tensor))


@pytest.mark.parametrize(
    ("name", "alias"),
    [("weight", "scale"), ("weight", "a_2"), ("bias", "shift"), ("running_mean", "moving_mean"), ("running_var", "exp_var")],
)
def test_common_other_names_are_understood(name: str, alias: str) -> None:
    aliased = holding(lambda layer, x: x + layer.get_buffer(alias), **{alias: torch.zeros(3)})
    seen = story(aliased, step(), state={name: STATE["weight"]})
    assert same(seen["step 1 · output"], X + STATE["weight"]) and same(seen[f"step 1 · {name}"], STATE["weight"])


def test_contract_name_is_preferred_to_an_alias() -> None:
    both = holding(lambda layer, x: x * layer.weight, gamma=nn.Parameter(torch.zeros(3)), weight=nn.Parameter(torch.ones(3)))
    assert same(story(both, step())["step 1 · output"], X * STATE["weight"])


def test_number_under_an_alias_is_no_parameter() -> None:
    seen = story(holding(lambda layer, x: x * layer.scale, gamma=2.0, scale=nn.Parameter(torch.ones(3))), step())
    assert same(seen["step 1 · weight"], STATE["weight"]) and same(seen["step 1 · output"], X * STATE["weight"])


def test_missing_parameter_is_shown_with_present_names() -> None:
    seen = story(holding(lambda layer, x: x * layer.w, w=nn.Parameter(torch.ones(3)), count=torch.tensor(0)), step())
    assert seen["step 1 · weight"] == Absent("weight", ("w", "count"))
    assert seen["step 1 · gradient of weight"] is None and seen["step 1 · gradient of bias"] is None


def test_layer_without_parameters_shows_no_names() -> None:
    seen = story(nn.Identity, step(upstream=None))
    assert seen["step 1 · bias"] == Absent("bias")


def test_a_parameter_that_is_switched_off_is_missing() -> None:
    assert story(holding(lambda _layer, x: x, weight=None), step())["step 1 · weight"] == Absent("weight")


def test_parameter_of_another_size_is_shown_unchanged() -> None:
    seen = story(holding(lambda layer, x: x * layer.weight, weight=nn.Parameter(torch.ones(1))), step())
    assert same(seen["step 1 · weight"], torch.ones(1)) and same(seen["step 1 · gradient of weight"], (UPSTREAM * X).sum()[None])


def test_a_plain_tensor_has_no_gradient_to_look_at() -> None:
    class Plain(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.ones(3)

        def forward(self, x: Tensor) -> Tensor:
            return x * self.weight

    seen = story(Plain, step())
    assert same(seen["step 1 · weight"], STATE["weight"]) and "step 1 · gradient of weight" not in seen


def test_state_is_shown_in_the_contracts_dtype() -> None:
    wide = holding(lambda _layer, x: x, running_mean=torch.zeros(1, 3, dtype=torch.float64))
    assert same(story(wide, step(), state={"running_mean": STATE["weight"]})["step 1 · running_mean"], STATE["weight"])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_the_whole_layer_takes_the_dtype_of_its_state(dtype: torch.dtype) -> None:
    seen = story(Affine, step(X.to(dtype), None), state={name: value.to(dtype) for name, value in STATE.items()})
    assert seen["step 1 · output"].dtype is dtype and seen["step 1 · weight"].dtype is dtype


def test_counters_are_shown_only_if_watched() -> None:
    class Counting(Affine):
        num_batches_tracked: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("num_batches_tracked", torch.tensor(0))

        def forward(self, x: Tensor) -> Tensor:
            self.num_batches_tracked += 1
            return super().forward(x)

    state = {**STATE, "num_batches_tracked": torch.tensor(5)}
    seen = story(Counting, step(upstream=None), step(upstream=None), state=state, watch=["num_batches_tracked"])
    assert same(seen["step 1 · num_batches_tracked"], torch.tensor(6)) and same(seen["step 2 · num_batches_tracked"], torch.tensor(7))
    assert "step 1 · weight" not in seen


def test_an_input_that_was_changed_is_noticed() -> None:
    given = X.clone()
    seen = story(of(lambda x: x.mul_(2)), step(given), step(given), state={})
    assert not same(seen["step 1 · input left alone"], X)
    assert same(seen["step 1 · output"], 2 * X) and same(seen["step 2 · output"], 2 * X) and torch.equal(given, X)


def test_scattered_input_has_the_same_numbers() -> None:
    viewing = of(lambda x: torch.tensor(x.is_contiguous()) if x.dim() == 3 else x.view(-1))
    x = torch.arange(24.0).reshape(2, 3, 4)
    plain, scattered = (story(viewing, step(x, None, scattered=way), state={})["step 1 · output"] for way in (False, True))
    assert bool(plain) and not bool(scattered)
    assert same(story(nn.Identity, step(x, None, scattered=True), state={})["step 1 · output"], x)
    with pytest.raises(Stopped) as caught:
        story(viewing, step(X, None, scattered=True), state={})
    assert "view size is not compatible" in str(caught.value.__cause__)


def test_reload_keeps_only_the_state_dict() -> None:
    class Forgetful(Affine):
        def __init__(self) -> None:
            super().__init__()
            self.calls = 0

        def forward(self, x: Tensor) -> Tensor:
            self.calls += 1
            return super().forward(x) * self.calls

    seen = story(Forgetful, step(), step(), step(do="reload"), step())
    first, second, fourth = (seen[f"step {number} · output"] for number in (1, 2, 4))
    assert same(fourth, first) and same(second, 2 * first) and not any(place.startswith("step 3") for place in seen)


@pytest.mark.parametrize("bad", [None, 3.0, torch.ones(5), torch.ones(2, 3, dtype=torch.int64)])
def test_output_without_gradient_gives_the_input_none(bad: Any) -> None:
    seen = story(of(lambda x: bad), step(), state={})
    assert seen["step 1 · output"] is bad and seen["step 1 · gradient of input"] is None


def test_output_of_another_shape_has_no_backward_pass() -> None:
    assert story(of(lambda x: x.sum(0)), step(), state={})["step 1 · gradient of input"] is None


# Errors on the way


def stopped(layer: Any, *steps: Mapping[str, Any]) -> Stopped:
    with pytest.raises(Stopped) as caught:
        story(layer, *steps, state={})
    return caught.value


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("laid_out", [torch.clone, in_other_order])
def test_go_back_equals_backward(dtype: torch.dtype, laid_out: Callable[[Tensor], Tensor]) -> None:
    gradients = []
    for way in (go_back, lambda output, upstream, again=False: output.backward(upstream.to(dtype), retain_graph=again)):
        x, weight = torch.linspace(-2, 2, 6).view(2, 3).requires_grad_(), torch.tensor([1.0, -3.0, 0.5], requires_grad=True)
        output, upstream = (x * weight).tanh().to(dtype), laid_out(torch.linspace(1, 2, 6).view(2, 3))
        way(output, upstream, again=True)
        way(output, upstream)
        assert x.grad is not None and weight.grad is not None
        gradients.append(torch.cat([x.grad, weight.grad[None]]))
    ours, pytorchs = gradients
    assert torch.equal(ours, pytorchs) and (ours != 0).all()


def test_error_keeps_its_step_and_earlier_observations() -> None:
    class Small(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            if len(x) > 1:
                raise ValueError("too many rows")
            return x

    stop = stopped(Small, step(X[:1], None), step(X), step(X[:1]))
    assert stop.step == 2 and list(stop.seen) == ["step 1 · output", "step 1 · input left alone"]
    assert repr(stop.__cause__) == "ValueError('too many rows')"


def test_an_error_while_building_says_so() -> None:
    class Refusing(nn.Module):
        def __init__(self) -> None:
            raise ValueError("no")

    stop = stopped(Refusing, step())
    assert (stop.step, stop.seen) == ("build", {})


def test_error_in_backward_belongs_to_its_step() -> None:
    class Spoilt(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            y = x.exp()
            z = y * 2
            with torch.no_grad():
                y.zero_()
            return z

    stop = stopped(Spoilt, step())
    assert stop.step == 1 and "modified by an inplace operation" in str(stop.__cause__)


def test_an_error_while_reloading_belongs_to_its_step() -> None:
    class Once(nn.Module):
        def load_state_dict(self, *args: Any, **kwargs: Any) -> Any:
            raise RuntimeError("never again")

        def forward(self, x: Tensor) -> Tensor:
            return x

    stop = stopped(Once, step(), step(do="reload"))
    assert stop.step == 2 and "step 1 · output" in stop.seen


def test_layer_is_also_saved_inside_a_network() -> None:
    class Alone(Affine):
        def state_dict(self, *args: Any, **kwargs: Any) -> Any:
            return {"weight": self.weight, "bias": self.bias}  # without the prefix of the network

    stop = stopped(Alone, step(), step(do="reload"))
    assert stop.step == 2 and "Missing key" in str(stop.__cause__)


def test_network_switches_the_mode_of_its_layers() -> None:
    """Check the first switch on the layer itself; later ones go through a network around it, which calls `train` with the mode."""
    asked = list[tuple[object, ...]]()

    class Counting(Affine):
        def train(self, *mode: bool) -> Any:
            asked.append(mode)
            return super().train(*mode)

    story(Counting, step(), step(do="evaluate"), step(do="evaluate"), step(), step(do="evaluate"))
    assert asked == [(False,), (True,), (False,)]

    class NoMode(Affine):
        def train(self) -> Any:  # type: ignore[override]
            return super().train()

    assert stopped(NoMode, step(), step(do="evaluate")).step == 2


def test_system_exit_belongs_to_its_step() -> None:
    class Leaving(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            raise SystemExit(3)

    assert isinstance(stopped(Leaving, step()).__cause__, SystemExit)


def test_missing_class_is_a_build_error() -> None:
    with pytest.raises(Stopped) as caught:
        layer_story(SimpleNamespace(), "Layer", [], {}, {}, [], [])
    assert caught.value.step == "build" and isinstance(caught.value.__cause__, AttributeError)


# Plays that reveal otherwise unnoticed mistakes


def do(what: str, **more: Any) -> dict[str, Any]:
    return {"do": what, **more}


def test_a_layer_as_built_keeps_its_own_numbers() -> None:
    seen = layer_story(SimpleNamespace(Layer=Affine), "Layer", [], {}, STATE, [], [step()], as_built=True)
    assert same(seen["step 1 · output"], X)


def test_swapped_layer_has_reversed_numbers_and_comes_back() -> None:
    seen = story(Affine, step(), do("swap"), step(), do("swap"), step())
    assert same(seen["step 3 · weight"], STATE["weight"].flip(0)) and same(seen["step 5 · output"], seen["step 1 · output"])


@pytest.mark.parametrize("way", ["copy", "pickle", "reload"])
def test_copy_is_independent_of_the_original(way: str) -> None:
    seen = story(Affine, step(), do(way), do("learn", rate=1.0), step(), *([do("swap"), step()] if way == "copy" else []))
    assert same(seen["step 4 · output"], seen["step 1 · output"])  # a copy has no gradients to learn from
    if way == "copy":
        assert same(seen["step 6 · output"], seen["step 1 · output"])


def test_unpicklable_layer_continues_unchanged() -> None:
    class Local(Affine):
        pass

    assert same(story(Local, step(), do("pickle"), step())["step 3 · output"], story(Affine, step())["step 1 · output"])


@pytest.mark.parametrize("way", ["change", "load"])
def test_a_state_can_change_in_between(way: str) -> None:
    new = {"weight": torch.full((3,), 5.0), "bias": torch.zeros(3)}
    assert same(story(Affine, step(), do(way, state=new), step())["step 3 · output"], X * 5)


def test_learning_moves_against_the_gradient() -> None:
    seen = story(Affine, step(), do("learn", rate=0.5), step())
    assert same(seen["step 3 · weight"], STATE["weight"] - 0.5 * seen["step 1 · gradient of weight"])


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_step_without_gradients_disables_grad_mode(mode: str) -> None:
    expected = 2.0 if mode == "inference_mode" else 0.0
    layer = of(lambda x: x * 0 + torch.is_grad_enabled() + 2 * torch.is_inference_mode_enabled())
    assert story(layer, {**step(upstream=None), "gradients": mode}, state={})["step 1 · output"].unique().tolist() == [expected]


def test_frozen_parameters_and_constant_inputs_get_no_gradient() -> None:
    seen = story(Affine, {**step(), "frozen": True}, {**step(), "constant": True}, step())
    assert seen["step 1 · gradient of weight"] is None and seen["step 1 · gradient of input"] is not None
    assert "step 2 · gradient of input" not in seen and seen["step 2 · gradient of weight"] is not None
    assert same(seen["step 3 · gradient of weight"], seen["step 2 · gradient of weight"])


@pytest.mark.parametrize(("number", "frozen"), [("1", "weight"), ("2", "bias"), ("3", "weight"), ("4", "bias")])
def test_single_parameter_can_be_frozen(number: str, frozen: str) -> None:
    seen = story(Affine, {**step(), "frozen": number}, step())
    without = [name for name in ("weight", "bias") if seen[f"step 1 · gradient of {name}"] is None]
    assert without == [frozen] and seen[f"step 2 · gradient of {frozen}"] is not None


@pytest.mark.parametrize("view", ["strided", "expanded"])
def test_an_input_may_be_a_view(view: str) -> None:
    class Strides(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            assert not x.is_contiguous()
            return x * 2

    x = X[:1].expand(X.shape) if view == "expanded" else X
    assert same(story(Strides, {**step(X), "view": view}, state={})["step 1 · output"], x * 2)


def test_input_may_be_channels_last() -> None:
    class Layout(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            assert x.is_contiguous(memory_format=torch.channels_last) and not x.is_contiguous()
            return x * 2

    x = torch.arange(24.0).reshape(1, 2, 3, 4)
    seen = story(Layout, {**step(x, upstream=torch.ones_like(x)), "view": "channels_last"}, state={})
    assert same(seen["step 1 · output"], x * 2) and same(seen["step 1 · gradient of input"], torch.full_like(x, 2.0))


def test_all_inputs_can_be_reused_tensors() -> None:
    given = list[tuple[int, ...]]()

    class Two(nn.Module):
        def forward(self, x: Tensor, other: Tensor) -> Tensor:
            given.append((id(x), id(other)))
            return x * other

    steps = [{**step(X + number, upstream=None), "more": [X - number], "again": True} for number in (1, 2)]
    seen = story(Two, *steps, state={})
    assert given[0] == given[1] and same(seen["step 2 · output"], (X + 2) * (X - 2))


def test_a_gradient_may_be_steep() -> None:
    seen, steep = (story(Affine, {**step(), "steep": steep}) for steep in (False, True))
    assert all(same(steep[f"step 1 · gradient of {name}"], 8192 * seen[f"step 1 · gradient of {name}"]) for name in ("input", "weight"))


@pytest.mark.parametrize(("constant", "learning"), [("1", [2]), ("2", [1]), (True, [])])
def test_single_input_can_be_constant(constant: bool | str, learning: list[int]) -> None:
    class Two(nn.Module):
        def forward(self, x: Tensor, other: Tensor) -> Tensor:
            return x * other

    seen = story(Two, {**step(), "more": [X + 1], "constant": constant}, state={})
    places = {1: "step 1 · gradient of input", 2: "step 1 · gradient of input 2"}
    assert [number for number, place in places.items() if place in seen] == learning


def test_same_tensor_can_return_with_other_numbers() -> None:
    given, versions = list[Tensor](), set[int]()

    class Keeping(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            given.append(x)
            versions.add(x._version)
            return x * 1

    seen = story(Keeping, {**step(upstream=None), "again": True}, {**step(X + 1, upstream=None), "again": True}, state={})
    assert given[0] is given[1] and same(seen["step 1 · output"], X) and same(seen["step 2 · output"], X + 1)
    assert versions == {0}


@pytest.mark.parametrize(
    ("meddle", "place"),
    [
        (lambda: torch.rand(1), "random state left alone"),
        (lambda: torch.manual_seed(0), None),
        (lambda: torch.manual_seed(1), "random state left alone"),
        (lambda: random.random(), "random state left alone"),
        (lambda: torch.set_default_dtype(torch.float64), "default dtype left alone"),
        (lambda: torch.set_grad_enabled(False), "grad mode left alone"),
    ],
)
def test_changed_global_settings_are_shown(meddle: Callable[[], object], place: str | None) -> None:
    class Meddling(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            meddle()
            return x * 1

    torch.manual_seed(0)
    try:
        seen = story(Meddling, step(upstream=None), do("settings"), state={})
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
    assert {where for where in seen if where.startswith("step 2") and seen[where] is not True} == (
        {f"step 2 · {place}"} if place else set()
    )


LIES: dict[str, Any] = {
    "torch.set_grad_enabled": False,
    "torch.set_default_dtype": torch.float64,
    "torch.manual_seed": 9,
    "random.seed": 9,
    "numpy.random.seed": 9,
}


def as_before(answer: Any, *_args: Any, **_kwargs: Any) -> Any:
    return answer


ASKED = ("is_grad_enabled", "is_inference_mode_enabled", "get_default_dtype", "get_rng_state", "get_num_threads")


@pytest.mark.parametrize("change", LIES)
def test_functions_replaced_by_a_layer_are_not_called(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, names in ((torch, ASKED), (random, ("getstate",)), (np.random, ("get_state",))):
        for name in names:
            monkeypatch.setattr(module, name, partial(as_before, getattr(module, name)()))

    class Meddling(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            resolve_name(change)(LIES[change])
            return x * 1

    try:
        seen = story(Meddling, step(upstream=None), do("settings"), state={})
        in_no_grad = story(Meddling, {**step(upstream=None), "gradients": "no_grad"}, state={})
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
    assert [where for where in seen if where.startswith("step 2") and seen[where] is not True] != []
    assert in_no_grad["step 1 · grad mode left alone"] is True


def test_grad_mode_is_not_read_through_patched_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    class Meddling(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            torch.set_grad_enabled(True)
            return x * 1

    monkeypatch.setattr(torch, "is_grad_enabled", lambda: False)
    seen = story(Meddling, {**step(upstream=None), "gradients": "no_grad"}, state={})
    assert seen["step 1 · grad mode left alone"] is False


def test_context_around_calls_is_entered_once_per_call() -> None:
    entered: list[str] = []

    @contextmanager
    def around() -> Iterator[None]:
        entered.append("call")
        yield
        entered.append("end")

    token = layers.CALLING.set(around)
    try:
        story(Affine, step(), step())
        function_call(torch, "mul", [X, 2.0], {}, upstream=UPSTREAM)
    finally:
        layers.CALLING.reset(token)
    assert entered == ["call", "end"] * 3


@pytest.mark.parametrize(
    ("forward", "precision"),
    [
        (lambda x: x / x.float().square().mean(-1, keepdim=True).sqrt(), "float32 or wider"),
        (lambda x: x * x.float().square().mean(-1, keepdim=True).rsqrt().to(x.dtype), "float32 or wider"),
        (lambda x: x - x.mean(-1, keepdim=True, dtype=torch.float32), "float32 or wider"),
        (lambda x: x / x.pow(2).mean(-1, keepdim=True).sqrt(), "half precision"),
        (lambda x: x / x.pow(2).float().mean(-1, keepdim=True).sqrt(), "half precision"),
        (lambda x: x / torch.einsum("ij,ij->i", x, x).sqrt()[:, None], "half precision"),
        (lambda x: x / (x @ torch.ones(3, 1, dtype=x.dtype)), "half precision"),
        (lambda x: x + torch.ones(4, dtype=x.dtype).sum(), "float32 or wider"),
    ],
)
def test_the_precision_of_statistics_is_witnessed(forward: Callable[[Tensor], Tensor], precision: str) -> None:
    assert story(of(forward), {**step(X.bfloat16(), None), "witness": True}, state={})["step 1 · statistics"] == precision


@pytest.mark.parametrize(
    ("forward", "precision"),
    [
        (lambda x, sublayer: sublayer(x * 2), "float32 or wider"),
        (lambda x, sublayer: sublayer(x).float().sum(-1), "float32 or wider"),
        (lambda x, sublayer: sublayer(x).sum(-1), "half precision"),
        (lambda x, sublayer: sublayer(x / x.mean(-1, keepdim=True)), "half precision"),
    ],
)
@pytest.mark.parametrize(
    "sublayer", [{"callable": "linear", "args": [4, 4]}, *({"callable": name, "args": [3.0]} for name in ("scaled", "plain"))]
)
def test_computations_of_a_given_sublayer_are_not_witnessed(
    forward: Callable[[Tensor, Callable[[Tensor], Tensor]], Tensor], precision: str, sublayer: dict[str, Any]
) -> None:
    class Layer(nn.Module):
        def __init__(self, sublayer: Callable[[Tensor], Tensor]) -> None:
            super().__init__()
            self.sublayer = sublayer

        def forward(self, x: Tensor) -> Tensor:
            return forward(x, self.sublayer)

    asked = {**step(torch.ones(2, 4, dtype=torch.bfloat16), None), "witness": True}
    assert story(Layer, asked, args=[sublayer], state={})["step 1 · statistics"] == precision


# A new layer


def test_a_new_layer_is_read_by_its_state_dict() -> None:
    class Normed(nn.Module):
        def __init__(self, size: int, affine: bool = True) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(size))
            self.register_parameter("bias", nn.Parameter(torch.zeros(size)) if affine else None)
            self.register_buffer("moving_var", torch.ones(size))

    names = ["weight", "bias", "running_var"]
    seen = new_layer(SimpleNamespace(Layer=Normed), "Layer", [2], {"affine": False}, names)
    assert [seen[f"key of {name}"] for name in names] == ["weight", None, "moving_var"]
    assert [seen[f"{name} is a parameter"] for name in names] == [True, None, False]
    assert same(seen["state_dict · weight"].detach(), torch.ones(2)) and seen["state_dict · bias"] is None
    assert same(seen["state_dict · running_var"], torch.ones(2)) and len(seen) == 14


def test_names_that_were_not_asked_count_as_further() -> None:
    assert new_layer(SimpleNamespace(Layer=Affine), "Layer", [], {}, ["weight", "bias"])["further parameters"] == ""
    seen = new_layer(SimpleNamespace(Layer=Affine), "Layer", [], {}, ["weight"])
    assert (seen["further keys of the state dict"], seen["further parameters"]) == ("bias", "bias") and len(seen) == 6


# Functions


def called(function: Any, *args: Any, upstream: Tensor | None = None, **kwargs: Any) -> dict[str, Any]:
    return function_call(SimpleNamespace(f=function), "f", args, kwargs, upstream)


def test_patched_torch_equal_hides_no_changed_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "equal", lambda *tensors: True)
    assert not story(of(lambda x: 2 * x + x.zero_()), step(X), state={})["step 1 · input left alone"].any()


def test_call_shows_result_arguments_and_gradients() -> None:
    seen = called(lambda x, y, n: x * y * n, X, 2 * X, 3, upstream=UPSTREAM)
    assert list(seen) == [
        "argument 1 left alone", "argument 2 left alone", "result", "gradient of argument 1", "gradient of argument 2",
    ]  # fmt: skip
    assert same(seen["argument 1 left alone"], X) and same(seen["result"].detach(), 6 * X * X)
    assert same(seen["gradient of argument 1"], UPSTREAM * 6 * X) and same(seen["gradient of argument 2"], UPSTREAM * 3 * X)


def test_an_argument_that_was_changed_is_noticed() -> None:
    given = X.clone()
    seen = called(lambda x, y: y.sub_(x), X, given)
    assert same(seen["argument 1 left alone"], X) and same(seen["argument 2 left alone"], 0 * X) and torch.equal(given, X)


def test_keyword_arguments_are_handed_over() -> None:
    assert same(called(lambda x, dim: x.sum(dim), X, dim=1)["result"], X.sum(1))


def test_whole_numbers_have_no_gradient() -> None:
    seen = called(lambda x, index: x[index], X, torch.tensor([0, 1]), upstream=UPSTREAM)
    assert "gradient of argument 1" in seen and "gradient of argument 2" not in seen


def test_unused_argument_has_no_gradient() -> None:
    assert called(lambda x, y: x * 1, X, X, upstream=UPSTREAM)["gradient of argument 2"] is None


Moments = namedtuple("Moments", "mean var")


@pytest.mark.parametrize(
    ("value", "places"),
    [
        (3, {"result": 3}),
        (None, {"result": None}),
        ([1, 2], {"result": [1, 2]}),
        ((1, 2), {"result[0]": 1, "result[1]": 2}),
        ((1,), {"result[0]": 1}),
        (Moments(1, 2), {"result.mean": 1, "result.var": 2}),
        ((), {}),
    ],
)
def test_every_part_of_a_tuple_has_a_place(value: object, places: dict[str, object]) -> None:
    assert called(lambda: value) == places


# Another layer, and the grad mode


class Scaling(nn.Module):
    """A layer that multiplies by the factor given to its constructor."""

    def __init__(self, factor: float, turns_gradients_on: bool = False) -> None:
        super().__init__()
        self.factor, self.turns_gradients_on = factor, turns_gradients_on

    def forward(self, x: Tensor) -> Tensor:
        if self.turns_gradients_on:
            torch.set_grad_enabled(True)
        return x * self.factor


def played(args: Sequence[Any], *steps: Mapping[str, Any]) -> dict[str, Any]:
    return layer_story(SimpleNamespace(Scaling=Scaling), "Scaling", args, {}, {}, [], steps)


def evaluation(**special: Any) -> dict[str, Any]:
    return {"do": "evaluate", "x": torch.ones(2), "upstream": None, "scattered": False, **special}


@pytest.mark.parametrize(
    ("others", "factor"),
    [
        ({}, 2.0),
        ({"args": [5.0]}, 5.0),
        ({"kwargs": {"factor": 7.0}}, 7.0),
        ({"args": [5.0], "kwargs": {"turns_gradients_on": False}}, 5.0),
    ],
)
def test_swapped_layer_can_have_other_arguments(others: Mapping[str, Any], factor: float) -> None:
    seen = played([2.0], evaluation(), {"do": "swap", **others}, evaluation(), {"do": "swap"}, evaluation())
    assert [seen[f"step {number} · output"].tolist() for number in (1, 3, 5)] == [[2.0, 2.0], [factor, factor], [2.0, 2.0]]


@pytest.mark.parametrize("gradients", ["no_grad", "inference_mode"])
@pytest.mark.parametrize("turned_on", [False, True])
def test_grad_mode_turned_on_by_the_layer_is_shown(gradients: str, turned_on: bool) -> None:
    seen = played([2.0, turned_on], evaluation(gradients=gradients))
    assert seen["step 1 · grad mode left alone"] is not turned_on


# The docstrings


# Functions, and callables given to a layer


def test_function_gets_inputs_before_its_arguments() -> None:
    def blend(a: Tensor, b: Tensor, share: float, power: int = 1) -> Tensor:
        return a + share * b**power

    layer = layers.build(SimpleNamespace(blend=blend), "function", ["blend", 0.5], {"power": 2})
    seen = layers.take_step(layer, torch.ones(2), torch.tensor([1.0, 10.0]), False, {}, StepOptions(more=[torch.tensor([2.0, 4.0])]))
    assert {place: value.tolist() for place, value in seen.items()} == {
        "output": [3.0, 9.0],
        "input left alone": [1.0, 1.0],
        "input 2 left alone": [2.0, 4.0],
        "gradient of input": [1.0, 10.0],
        "gradient of input 2": [2.0, 40.0],
    }


@pytest.mark.parametrize(("scattered", "view"), [(True, None), (False, "strided")])
def test_further_inputs_have_the_first_ones_layout(scattered: bool, view: str | None) -> None:
    contiguous: list[bool] = []

    def look(*inputs: Tensor) -> Tensor:
        contiguous.extend(each.is_contiguous() for each in inputs)
        return inputs[0]

    layer = layers.build(SimpleNamespace(look=look), "function", ["look"], {})
    layers.take_step(layer, torch.ones(2, 3), None, scattered, {}, StepOptions(view=view, more=[torch.ones(2, 5)]))
    assert contiguous == [False, False]


class Branching(nn.Module):
    """A layer that computes x + α · branch(x) and has its own name for the branch."""

    def __init__(self, branch: Any, alpha: float = 0.5) -> None:
        super().__init__()
        self.inner = branch
        self.alpha = nn.Parameter(torch.tensor(alpha))

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = x + self.alpha * self.inner(x)
        return result


LINEAR = {"callable": "linear", "args": [3, 3]}


def test_given_sublayer_is_filled_and_watched_under_any_name() -> None:
    layer = layers.build(SimpleNamespace(Branching=Branching), "Branching", [LINEAR], {})
    assert (layers.given_names(layer), layers.own_names(layer)) == (["sublayer.weight", "sublayer.bias"], ["alpha"])
    state = {"sublayer.weight": torch.eye(3), "sublayer.bias": torch.zeros(3), "alpha": torch.tensor(2.0)}
    layers.fill(layer, state)
    seen: dict[Any, Any] = {**layers.take_step(layer, torch.ones(1, 3), torch.ones(1, 3), False, state)}
    assert seen["output"].tolist() == [[3.0, 3.0, 3.0]]
    assert seen["gradient of sublayer.bias"].tolist() == [2.0, 2.0, 2.0]
    assert seen["gradient of alpha"].item() == 3.0


def test_state_dict_is_shown_without_given_sublayers() -> None:
    seen = layers.new_layer(SimpleNamespace(Branching=Branching), "Branching", [LINEAR], {}, ["alpha"], as_scalars=["alpha"])
    assert seen["state_dict · alpha"].shape == (1,)
    assert (seen["further keys of the state dict"], seen["further parameters"]) == ("", "")


@pytest.mark.parametrize(("shape", "shown"), [((), (1,)), ((1,), (1,)), ((1, 1), (1, 1))])
def test_a_scalar_has_no_dimension_or_one(shape: tuple[int, ...], shown: tuple[int, ...]) -> None:
    impl = SimpleNamespace(Scaled=holding(lambda _layer, x: x, alpha=nn.Parameter(torch.ones(shape))))
    seen = layers.new_layer(impl, "Scaled", [], {}, ["alpha"], as_scalars=["alpha"])
    assert seen["state_dict · alpha"].shape == shown


def test_random_first_numbers_are_not_shown() -> None:
    seen = layers.new_layer(nn, "Linear", [3, 2], {"dtype": torch.float64}, ["weight", "bias", "scale"], drawn=["weight", "scale"])
    assert torch.equal(seen["state_dict · weight"], torch.zeros(2, 3, dtype=torch.float64))
    assert seen["state_dict · bias"].any() and seen["state_dict · scale"] is None


def test_second_backward_does_not_change_first_gradient() -> None:
    moved = holding(lambda layer, x: (x + layer.bias).movedim(0, -1), bias=nn.Parameter(torch.zeros(3)))
    upstream = torch.tensor([1.0, 2.0, 3.0])
    seen = story(moved, {**step(torch.ones(3), upstream), "twice": True}, state={"bias": torch.zeros(3)})
    assert same(seen["step 1 · gradient of bias"], torch.tensor([1.0, 2.0, 3.0]) + torch.tensor([3.0, 2.0, 1.0]))


def test_cached_gradient_shows_in_the_second_backward_pass() -> None:
    class Keeping(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, gradient: Tensor) -> Tensor:
            kept: Tensor = getattr(ctx, "kept", 2 * gradient)
            ctx.kept = kept
            return kept

    class Doubled(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            doubled: Tensor = Keeping.apply(x)  # type: ignore[no-untyped-call]
            return doubled

    upstream = torch.tensor([1.0, 2.0, 3.0])
    seen = story(Doubled, {**step(torch.ones(3), upstream), "twice": True})
    assert same(seen["step 1 · gradient of input"], 4 * upstream.flip(0))  # of 2 · (upstream + its reverse)


def test_the_call_in_between_has_other_further_inputs() -> None:
    class Styled(nn.Module):
        def forward(self, x: Tensor, style: Tensor) -> Tensor:
            self.style = style
            return x * style

    x, style = torch.ones(3), torch.tensor([1.0, 2.0, 3.0])
    layer = Styled()
    layers.take_step(layer, x, None, False, {}, StepOptions(between=x, more=[style]))
    assert same(layer.style, style.flip(0))


def test_changed_requires_grad_of_an_input_is_shown() -> None:
    seen = story(of(lambda x: x.requires_grad_() * 2), {**step(), "constant": True}, step(), state={})
    assert seen["step 1 · input left alone"] == "its requires_grad was changed" and same(seen["step 2 · input left alone"], X)


def test_fill_does_not_change_the_version_counter() -> None:
    layer = Affine()
    before = layer.weight._version
    layers.fill(layer, {"weight": torch.tensor([5.0, 6.0, 7.0])})
    assert layer.weight.tolist() == [5.0, 6.0, 7.0] and layer.weight._version == before


def test_several_callables_have_names_of_their_own() -> None:
    layer = layers.build(nn, "Sequential", [LINEAR, LINEAR], {})
    assert layers.given_names(layer) == ["sublayer.weight", "sublayer.bias", "sublayer_2.weight", "sublayer_2.bias"]
    assert layers.own_names(layer) == []


def test_layer_given_only_functions_is_not_wrapped() -> None:
    layer = layers.build(SimpleNamespace(Branching=Branching), "Branching", [{"callable": "plain", "args": [3.0]}], {"alpha": 1.0})
    assert type(layer) is Branching and layer(torch.ones(2)).tolist() == [4.0, 4.0]
    layer = layers.build(SimpleNamespace(Branching=Branching), "Branching", [{"callable": "identity"}], {"alpha": 1.0})
    assert layer(torch.ones(2)).tolist() == [2.0, 2.0]


def test_copied_layer_has_its_own_sublayer() -> None:
    layer = layers.build(SimpleNamespace(Branching=Branching), "Branching", [LINEAR], {})
    copy = deepcopy(layer)
    layers.fill(copy, {"sublayer.weight": torch.zeros(3, 3), "sublayer.bias": torch.ones(3)})
    assert copy(torch.zeros(1, 3)).tolist() == [[0.5, 0.5, 0.5]]
    assert layer(torch.zeros(1, 3)).tolist() != [[0.5, 0.5, 0.5]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_given_linear_layer_takes_every_dtype(dtype: torch.dtype) -> None:
    for layer in (layers.Linear(3, 2), layers.feed_forward(3).double(), layers.Linear(3, 2).half()):
        assert layer(torch.ones(4, 3, dtype=dtype)).dtype is dtype


def test_creating_sublayers_draws_no_random_numbers() -> None:
    before = torch.get_rng_state()
    layers.with_callables([LINEAR, {"callable": "feed_forward", "args": [4]}])
    assert torch.equal(torch.get_rng_state(), before)


def test_a_function_may_be_called_on_scattered_arguments() -> None:
    seen = layers.function_call(SimpleNamespace(look=lambda x: x.is_contiguous()), "look", [torch.ones(2, 3)], {}, scattered=True)
    assert seen["result"] is False


def test_contract_name_is_no_alias_of_another() -> None:
    impl = SimpleNamespace(Sloped=holding(lambda _layer, x: x, alpha=nn.Parameter(torch.ones(1))))
    seen = new_layer(impl, "Sloped", [], {}, ["weight", "alpha"])
    assert (seen["key of weight"], seen["attribute weight"], seen["key of alpha"]) == (None, "missing", "alpha")
    assert new_layer(impl, "Sloped", [], {}, ["weight"])["key of weight"] == "alpha"
