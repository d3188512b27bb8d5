"""Tests of the unusual ways to call a layer and to pass gradients, in PyTorch and in NumPy."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from normgrade.probes import arrays, layers
from normgrade.probes.layers import layer_story
from normgrade.probes.step_options import StepOptions

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
UPSTREAM = torch.tensor([[1.0, -1.0, 2.0], [0.5, 3.0, -2.0]])
STATE = {"weight": torch.tensor([2.0, 3.0, 5.0])}


class Scale(nn.Module):
    """A layer that records the calls of `train`, and of every call the mode, the default dtype and the input."""

    alive: list[Scale] = []  # noqa: RUF012 (all of them, on purpose)

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.asked: list[bool] = []
        self.modes: list[bool] = []
        self.dtypes: list[torch.dtype] = []
        self.inputs: list[Tensor] = []
        self.alive.append(self)

    def train(self, mode: bool = True) -> Scale:
        self.asked.append(mode)
        return super().train(mode)

    def forward(self, x: Tensor) -> Tensor:
        self.modes.append(self.training)
        self.dtypes.append(torch.get_default_dtype())
        self.inputs.append(x)
        if x.ndim != 2:
            raise ValueError("two dimensions")
        return x * self.weight


@pytest.fixture(autouse=True)
def _nobody_alive() -> None:
    Scale.alive.clear()


def told(*steps: dict[str, Any]) -> dict[str, Any]:
    return layer_story(SimpleNamespace(Scale=Scale), "Scale", [], {}, STATE, ["weight"], steps)


def step(do: str = "train", upstream: Tensor | None = UPSTREAM, **special: Any) -> dict[str, Any]:
    return {"do": do, "x": X, "upstream": upstream, "scattered": False, **special}


@pytest.mark.parametrize("way", layers.ARRIVING)
def test_input_gradient_follows_the_arriving_gradient(way: str | None) -> None:
    arrived = layers.ARRIVING[way](UPSTREAM)
    seen = told(step(arriving=way))
    assert torch.equal(seen["step 1 · gradient of input"], arrived * STATE["weight"])
    assert arrived.shape == UPSTREAM.shape


def test_gradients_arrive_in_every_way() -> None:
    arrived = {way: arrive(UPSTREAM) for way, arrive in layers.ARRIVING.items()}
    assert (arrived["one hot"] != 0).sum() == 1 and (arrived["with zeros"] == 0).sum() == 2
    assert arrived["ones"].stride() == (0, 0) and arrived["expanded"].stride(0) == 0 and not arrived["strided"].is_contiguous()
    assert torch.equal(arrived["huge"], UPSTREAM * 2**20) and torch.equal(arrived["tiny"], UPSTREAM * 2**-30)


def test_gradients_of_several_calls_add_up() -> None:
    seen = told(step(calls=3))
    inputs = [layers.varied(X, number) for number in range(3)]
    assert torch.equal(seen["step 1 · output"], inputs[2] * STATE["weight"])
    assert torch.allclose(seen["step 1 · gradient of weight"], torch.stack([each * UPSTREAM for each in inputs]).sum((0, 1)))


def test_mode_is_set_in_other_ways() -> None:
    told(step("evaluate", mode="attribute"), step("train", mode="twice"), step("train", mode="twice"), step("evaluate"))
    (layer,) = Scale.alive
    assert layer.modes == [False, True, True, False]
    assert layer.asked == [True] * 4 + [False]


def test_seven_other_layers_are_called_before_the_backward_pass() -> None:
    seen = told(step(beside=True), step(beside=True))
    layer, *others = Scale.alive
    assert len(others) == 7 and all(len(each.modes) == 2 for each in (layer, *others))
    assert torch.equal(seen["step 1 · gradient of input"], UPSTREAM * STATE["weight"])


def test_an_input_may_be_a_leaf() -> None:
    told(step(leaf=True), step())
    assert [each.is_leaf for each in Scale.alive[0].inputs] == [True, False]


def test_gradients_may_be_kept() -> None:
    seen = told(step(), step(keep=True), step())
    once, twice, again = (seen[f"step {number} · gradient of weight"] for number in (1, 2, 3))
    assert torch.equal(twice, 2 * once) and torch.equal(again, once)


def test_gradients_may_have_gradients() -> None:
    seen = told(step(graph=True))
    assert torch.equal(seen["step 1 · gradient of input"], UPSTREAM * STATE["weight"])
    assert not seen["step 1 · gradient of input"].requires_grad and not seen["step 1 · gradient of weight"].requires_grad


def test_default_dtype_changes_only_during_the_call() -> None:
    told(step(default="float64"), step())
    assert Scale.alive[0].dtypes == [torch.float64, torch.float32] and torch.get_default_dtype() is torch.float32


def test_refused_call_does_not_end_the_story() -> None:
    seen = told(step(), {"do": "attempt", "x": X[0], "upstream": None, "scattered": False}, step())
    assert len(Scale.alive[0].modes) == 3 and "step 3 · output" in seen and "step 2 · output" not in seen


@pytest.mark.parametrize(
    ("meddle", "place"),
    [
        (lambda: torch.use_deterministic_algorithms(True), "choice of algorithms left alone"),
        (lambda: torch.set_float32_matmul_precision("medium"), "choice of algorithms left alone"),
        (lambda: torch.set_flush_denormal(True), "subnormal numbers left alone"),
        (lambda: torch.set_printoptions(precision=2), "warnings and printing left alone"),  # type: ignore[no-untyped-call]
        (lambda: np.set_printoptions(precision=2), "warnings and printing left alone"),
    ],
)
def test_changed_process_settings_are_shown(meddle: Any, place: str) -> None:
    class Meddling(Scale):
        def forward(self, x: Tensor) -> Tensor:
            meddle()
            return super().forward(x)

    with np.printoptions():
        try:
            seen = layer_story(SimpleNamespace(Scale=Meddling), "Scale", [], {}, STATE, ["weight"], [step(), {"do": "settings"}])
        finally:
            torch.use_deterministic_algorithms(False)
            torch.set_float32_matmul_precision("highest")
            torch.set_flush_denormal(False)
            torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]
    assert f"step 2 · {place}" in [name for name, value in seen.items() if value is False]


# NumPy


DY = UPSTREAM.numpy()


def square(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return x * x, x


@pytest.mark.parametrize("way", arrays.ARRIVING)
def test_the_gradient_arrives_in_numpy_too(way: str | None) -> None:
    seen: dict[Any, Any] = dict(arrays.call_step(square, lambda dy, x: (2 * x * dy,), X.numpy(), DY, options=StepOptions(arriving=way)))
    assert np.array_equal(seen["gradient of input"], 2 * X.numpy() * arrays.ARRIVING[way](DY))
    assert isinstance(seen["gradient of the output left alone"], np.ndarray)


def test_several_calls_wait_in_numpy_too() -> None:
    caches: list[np.ndarray] = []

    def backward(dy: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
        caches.append(x)
        return (2 * x * dy,)

    seen: dict[Any, Any] = dict(arrays.call_step(square, backward, X.numpy(), DY, options=StepOptions(calls=3)))
    inputs = [arrays.varied(X.numpy(), number) for number in range(3)]
    assert all(map(np.array_equal, caches, reversed(inputs)))
    assert np.allclose(seen["gradient of input"], sum(2 * each * DY for each in inputs))


def test_writing_to_a_read_only_gradient_raises() -> None:
    def backward(dy: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
        dy *= 2 * x
        return (dy,)

    with pytest.raises(ValueError, match="read-only"):
        arrays.call_step(square, backward, X.numpy(), DY, options=StepOptions(arriving="read-only"))
