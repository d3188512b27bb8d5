"""Tests of the references against independent code: PyTorch on its own sample inputs, and ONNX's reference evaluator, in float64.

If one of them follows another convention, the prompt of the exercise says so.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor, nn

from normgrade.course.course import Course

COURSE = Course.find()
LAYERS = {
    "layer_norm": ("nn.LayerNorm",),
    "batch_norm": ("nn.BatchNorm1d", "nn.BatchNorm2d"),
    "group_norm": ("nn.GroupNorm",),
    "instance_norm": ("nn.InstanceNorm1d", "nn.InstanceNorm2d"),
    "rms_norm": ("nn.RMSNorm",),
}
EMPTY, NO_BIAS, NO_BATCH = "an empty batch", "a weight without a bias", "no batch dimension"
SEVERAL, NO_WEIGHT = "several normalised dimensions", "no weight"


@dataclass(frozen=True)
class Sample:
    """A layer of PyTorch, the arguments for a reference that matches it, and an input."""

    theirs: nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    x: Tensor
    described: str
    state: dict[str, Tensor] = field(default_factory=dict)


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


# PyTorch


@pytest.fixture(scope="module")
def databases() -> tuple[ModuleType, ModuleType]:
    """Return the modules and functions of PyTorch's own tests, with sample inputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal import common_methods_invocations, common_modules
    return common_modules, common_methods_invocations


def of_modules(slug: str, database: ModuleType) -> Iterator[Sample]:
    for info in database.module_db:
        if info.name in LAYERS[slug]:
            for given in info.module_inputs_func(info, device="cpu", dtype=torch.float64, requires_grad=False, training=True):
                args, kwargs = given.constructor_input.args, given.constructor_input.kwargs
                yield Sample(info.module_cls(*args, **kwargs), args, kwargs, given.forward_input.args[0], f"{info.name} {given.desc}")


def of_functions(slug: str, database: ModuleType) -> Iterator[Sample]:
    for info in database.op_db:
        if info.name == f"nn.functional.{slug}":
            for given in info.sample_inputs("cpu", torch.float64, requires_grad=False):
                if given.input.dim() > 1 or slug in ("layer_norm", "rms_norm"):  # BatchNorm1d refuses the only sample without channels
                    yield as_layer(slug, given)


def as_layer(slug: str, given: Any) -> Sample:
    """Return the layer for a call of the function with the same name."""
    names = {
        "layer_norm": ("shape", "weight", "bias"),
        "rms_norm": ("shape", "weight"),
        "batch_norm": ("running_mean", "running_var", "weight", "bias"),
        "instance_norm": (),
        "group_norm": ("groups",),
    }[slug]
    said = dict(zip(names, given.args, strict=False)) | given.kwargs
    state = {name: said[name] for name in ("weight", "bias", "running_mean", "running_var") if said.get(name) is not None}
    options = {name: said[name] for name in ("eps", "momentum") if name in said}
    affine, tracked, channels = "weight" in state, "running_mean" in state, given.input.shape[1] if given.input.dim() > 1 else 0
    flat = given.input.dim() < 4
    match slug:
        case "layer_norm":
            options |= {"elementwise_affine": affine}
            library: nn.Module = nn.LayerNorm(said["shape"], **options)
            args: tuple[Any, ...] = (said["shape"],)
        case "rms_norm":
            library, args = nn.RMSNorm(said["shape"], **options, elementwise_affine=affine), (said["shape"],)
            options |= {"elementwise_affine": affine}
        case "group_norm":
            options |= {"affine": affine}
            library, args = nn.GroupNorm(said["groups"], channels, **options), (said["groups"], channels)
        case "batch_norm":
            options |= {"affine": affine, "track_running_stats": tracked}
            library, args = (nn.BatchNorm1d if flat else nn.BatchNorm2d)(channels, **options), (channels,)
        case _:
            options |= {"affine": affine, "track_running_stats": tracked}
            library, args = (nn.InstanceNorm1d if flat else nn.InstanceNorm2d)(channels, **options), (channels,)
    if affine and "bias" not in state and slug != "rms_norm":
        options |= {"bias": False}
    return Sample(library, args, options, given.input, f"functional {slug} of {tuple(given.input.shape)}, {options}", state)


def convention(slug: str, sample: Sample) -> str | None:
    """Return the reason why a sample is outside the contract; None if it has to agree."""
    if sample.x.numel() == 0:
        return EMPTY
    if sample.kwargs.get("bias") is False and slug != "layer_norm":
        return NO_BIAS
    if slug == "instance_norm" and "no_batch_dim" in sample.described:
        return NO_BATCH
    if slug == "rms_norm" and len(sample.args[0]) > 1:
        return SEVERAL
    if slug == "rms_norm" and (sample.kwargs.get("elementwise_affine") is False or False in sample.args):
        return NO_WEIGHT
    return None


def build(slug: str, sample: Sample) -> nn.Module:
    """Build the reference's layer. RMSNorm's contract has one dimension, and an eps that is a number."""
    if slug != "rms_norm":
        return reference(slug)(*sample.args, **sample.kwargs)  # type: ignore[no-any-return]
    assert isinstance(sample.theirs, nn.RMSNorm)
    [dim], eps = sample.theirs.normalized_shape, sample.theirs.eps
    return reference(slug)(dim, torch.finfo(torch.float64).eps if eps is None else eps)  # type: ignore[no-any-return]


def story(layer: nn.Module, x: Tensor) -> dict[str, Tensor | None]:
    """Return a layer's results in a training step and in an evaluation after it, and its state dict at the end."""
    seen: dict[str, Tensor | None] = {}
    for mode in (True, False):
        leaf = x.detach().clone().requires_grad_()
        output = layer.train(mode)(leaf)
        upstream = torch.randn(output.shape, generator=torch.Generator().manual_seed(1))
        layer.zero_grad()
        output.backward(upstream)
        seen |= {f"output {mode}": output.detach(), f"gradient {mode}": leaf.grad}
        seen |= {f"gradient {mode} of {name}": parameter.grad for name, parameter in layer.named_parameters()}
    return seen | dict(layer.state_dict())


def fill(layer: nn.Module, given: dict[str, Tensor]) -> None:
    """Fill a layer's state with the given tensors, and with random numbers for the rest, so that no error is hidden."""
    random = torch.Generator().manual_seed(0)
    for name, tensor in layer.state_dict().items():
        if tensor.is_floating_point():
            tensor.copy_(given.get(name, torch.rand(tensor.shape, generator=random) + 0.5).detach())


@pytest.mark.parametrize(
    ("slug", "compared", "excused"),
    [
        ("layer_norm", 11, {EMPTY: 2}),
        ("batch_norm", 31, {EMPTY: 2, NO_BIAS: 2}),
        ("group_norm", 25, {EMPTY: 4, NO_BIAS: 2}),
        ("instance_norm", 14, {NO_BATCH: 4, NO_BIAS: 3}),
        ("rms_norm", 4, {EMPTY: 2, SEVERAL: 4, NO_WEIGHT: 2}),
    ],
)
def test_a_reference_agrees_with_pytorch_on_pytorchs_own_samples(
    slug: str, compared: int, excused: dict[str, int], databases: tuple[ModuleType, ModuleType]
) -> None:
    modules, functions = databases
    excuses: Counter[str] = Counter()
    agreed = 0
    for sample in (*of_modules(slug, modules), *of_functions(slug, functions)):
        if why := convention(slug, sample):
            excuses[why] += 1
            continue
        own = build(slug, sample)
        fill(sample.theirs, sample.state)
        own.load_state_dict(sample.theirs.state_dict())
        theirs, ours = story(sample.theirs, sample.x), story(own, sample.x)
        assert ours.keys() == theirs.keys(), sample.described
        for place, value in theirs.items():
            where = f"{sample.described}: {place}"
            torch.testing.assert_close(ours[place], value, rtol=1e-9, atol=1e-11, equal_nan=True, msg=where)
        agreed += 1
    assert (agreed, dict(excuses)) == (compared, excused)


# ONNX, whose attributes are float32

EPS = 0.125


def evaluated(operator: str, version: int, inputs: dict[str, np.ndarray], outputs: int = 1, **attributes: Any) -> list[np.ndarray]:
    """Return the outputs of one node in ONNX's reference evaluator."""
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    names = [f"result{number}" for number in range(outputs)]
    node = helper.make_node(operator, list(inputs), names, **attributes)
    given = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, values.shape) for name, values in inputs.items()]
    results = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, None) for name in names]
    graph = helper.make_graph([node], "one node", given, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)])
    return list(ReferenceEvaluator(model).run(None, inputs))


def numbers(*shape: int, low: float = -2.0) -> np.ndarray:
    return np.random.default_rng(shape).uniform(low, 2.0, shape)


def own(
    slug: str, x: np.ndarray, *args: Any, training: bool = True, state: dict[str, np.ndarray], **kwargs: Any
) -> tuple[np.ndarray, nn.Module]:
    """Return the reference's output for the same input and state, and the layer afterwards."""
    layer = reference(slug)(*args, **kwargs).train(training)
    layer.load_state_dict({name: torch.from_numpy(values) for name, values in state.items()}, strict=False)
    return layer(torch.from_numpy(x)).detach().numpy(), layer


def agree(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(("shape", "axis"), [((4, 7), -1), ((2, 3, 5), -1), ((2, 3, 5), 1)])
def test_layer_norm_agrees_with_onnx(shape: tuple[int, ...], axis: int) -> None:
    x, weight, bias = numbers(*shape), numbers(*shape[axis:]), numbers(*shape[axis:], low=-1.0)
    [theirs] = evaluated("LayerNormalization", 17, {"X": x, "Scale": weight, "B": bias}, axis=axis, epsilon=EPS)
    agree(own("layer_norm", x, shape[axis:], EPS, state={"weight": weight, "bias": bias})[0], theirs)


@pytest.mark.parametrize("shape", [(5, 3), (4, 3, 2), (2, 3, 4, 5)])
def test_batch_norm_agrees_with_onnx_in_training_and_evaluation(shape: tuple[int, ...]) -> None:
    x, n = numbers(*shape), int(np.prod(shape)) // 3
    state = {"weight": numbers(3), "bias": numbers(3, low=-1.0), "running_mean": numbers(3, low=-1.5), "running_var": numbers(3, low=0.5)}
    inputs = dict(zip(("X", "scale", "B", "input_mean", "input_var"), (x, *state.values()), strict=True))
    [evaluation] = evaluated("BatchNormalization", 15, inputs, epsilon=EPS)
    agree(own("batch_norm", x, 3, EPS, training=False, state=state)[0], evaluation)

    # ONNX's momentum is the share that is kept, and its running variance is biased
    training, mean, var = evaluated("BatchNormalization", 15, inputs, outputs=3, epsilon=EPS, momentum=0.75, training_mode=1)
    ours, layer = own("batch_norm", x, 3, EPS, 0.25, state=state)
    agree(ours, training)
    agree(layer.get_buffer("running_mean").numpy(), mean)
    unbiased = (var - 0.75 * state["running_var"]) * n / (n - 1) + 0.75 * state["running_var"]
    agree(layer.get_buffer("running_var").numpy(), unbiased)


@pytest.mark.parametrize("shape", [(2, 3, 7), (2, 3, 4, 5)])
def test_instance_norm_agrees_with_onnx(shape: tuple[int, ...]) -> None:
    x, state = numbers(*shape), {"weight": numbers(3), "bias": numbers(3, low=-1.0)}
    [theirs] = evaluated("InstanceNormalization", 6, {"input": x, "scale": state["weight"], "B": state["bias"]}, epsilon=EPS)
    agree(own("instance_norm", x, 3, EPS, affine=True, state=state)[0], theirs)


@pytest.mark.parametrize(("shape", "groups"), [((2, 6, 5), 3), ((2, 6, 4, 5), 2), ((3, 4, 2, 5), 1), ((3, 4, 2, 5), 4)])
def test_group_norm_agrees_with_onnx(shape: tuple[int, ...], groups: int) -> None:
    x, state = numbers(*shape), {"weight": numbers(shape[1]), "bias": numbers(shape[1], low=-1.0)}
    inputs = {"X": x, "scale": state["weight"], "bias": state["bias"]}
    [theirs] = evaluated("GroupNormalization", 21, inputs, epsilon=EPS, num_groups=groups, stash_type=11)
    agree(own("group_norm", x, groups, shape[1], EPS, state=state)[0], theirs)


@pytest.mark.parametrize("shape", [(4, 7), (2, 3, 5)])
def test_rms_norm_agrees_with_onnx(shape: tuple[int, ...]) -> None:
    x, weight = numbers(*shape), numbers(shape[-1])
    [theirs] = evaluated("RMSNormalization", 23, {"X": x, "scale": weight}, axis=-1, epsilon=EPS)
    agree(own("rms_norm", x, shape[-1], EPS, state={"weight": weight})[0], theirs)


@pytest.mark.parametrize("slug", LAYERS)
def test_the_prompt_lists_the_conventions_of_others(slug: str) -> None:
    prompt = Path(COURSE.exercise(slug).prompt).read_text(encoding="utf-8")
    section = prompt.split("## Conventions")[1].split("\n## ")[0]
    assert "PyTorch" in section and "ONNX" in section
