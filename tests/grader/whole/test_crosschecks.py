"""Tests of the references against PyTorch's layers on PyTorch's own sample inputs, in float64.

If PyTorch follows another convention, the prompt of the exercise says so.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

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


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture(scope="module")
def database() -> ModuleType:
    """Return the modules of PyTorch's own tests, with sample inputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal import common_modules
    return common_modules


def samples(slug: str, database: ModuleType) -> Iterator[Sample]:
    for info in database.module_db:
        if info.name in LAYERS[slug]:
            for given in info.module_inputs_func(info, device="cpu", dtype=torch.float64, requires_grad=False, training=True):
                args, kwargs = given.constructor_input.args, given.constructor_input.kwargs
                yield Sample(info.module_cls(*args, **kwargs), args, kwargs, given.forward_input.args[0], f"{info.name} {given.desc}")


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


def fill(layer: nn.Module) -> None:
    """Fill a layer's state with random numbers, so that no error is hidden."""
    random = torch.Generator().manual_seed(0)
    for tensor in layer.state_dict().values():
        if tensor.is_floating_point():
            tensor.copy_(torch.rand(tensor.shape, generator=random) + 0.5)


@pytest.mark.parametrize(
    ("slug", "compared", "excused"),
    [
        ("layer_norm", 6, {EMPTY: 1}),
        ("batch_norm", 11, {EMPTY: 2, NO_BIAS: 2}),
        ("group_norm", 8, {NO_BIAS: 2}),
        ("instance_norm", 6, {NO_BATCH: 4, NO_BIAS: 2}),
        ("rms_norm", 2, {NO_WEIGHT: 1, SEVERAL: 2, EMPTY: 1}),
    ],
)
def test_a_reference_agrees_with_pytorch_on_pytorchs_own_samples(
    slug: str, compared: int, excused: dict[str, int], database: ModuleType
) -> None:
    excuses: Counter[str] = Counter()
    agreed = 0
    for sample in samples(slug, database):
        if why := convention(slug, sample):
            excuses[why] += 1
            continue
        own = build(slug, sample)
        fill(sample.theirs)
        own.load_state_dict(sample.theirs.state_dict())
        theirs, ours = story(sample.theirs, sample.x), story(own, sample.x)
        assert ours.keys() == theirs.keys(), sample.described
        for place, value in theirs.items():
            where = f"{sample.described}: {place}"
            torch.testing.assert_close(ours[place], value, rtol=1e-9, atol=1e-11, equal_nan=True, msg=where)
        agreed += 1
    assert (agreed, dict(excuses)) == (compared, excused)


@pytest.mark.parametrize("slug", LAYERS)
def test_the_prompt_lists_the_conventions_of_others(slug: str) -> None:
    prompt = Path(COURSE.exercise(slug).prompt).read_text(encoding="utf-8")
    section = prompt.split("## Conventions")[1].split("\n## ")[0]
    assert "PyTorch" in section and "ONNX" in section
