"""Tests of QK-norm against the formula in plain NumPy, one logit at a time, and against PyTorch's RMS norm and attention, in float64."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from references import reference_module
from torch import Tensor, nn
from torch.nn import functional as F

EPS = 1e-6


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def drawn(dim: int, heads: int, per_head: bool) -> nn.Module:
    layer: nn.Module = reference_module("qk_norm").QKNormAttention(dim, heads, per_head)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_()
    return layer


def angles(length: int, size: int) -> np.ndarray:
    return np.arange(length)[:, None] * 0.3 ** np.arange(size // 2)


def one_by_one(state: dict[str, np.ndarray], x: np.ndarray, heads: int, per_head: bool, rotary: bool) -> np.ndarray:
    """Return the output of one sample, in loops: a pair of numbers is turned as one complex number."""
    length, dim = x.shape
    size, mixed = dim // heads, np.zeros_like(x)

    def made(name: str, position: int, head: int) -> np.ndarray:
        whole = state[f"{name}_proj.weight"] @ x[position]
        part, weight = whole[head * size : (head + 1) * size], state[f"{name}_norm.weight"]
        normed = part / np.sqrt(((part if per_head else whole) ** 2).mean() + EPS)
        normed = normed * (weight if per_head else weight[head * size : (head + 1) * size])
        if not rotary:
            return np.asarray(normed)
        turned = (normed[: size // 2] + 1j * normed[size // 2 :]) * np.exp(1j * angles(length, size)[position])
        return np.concatenate([turned.real, turned.imag])

    for head in range(heads):
        for position in range(length):
            query = made("q", position, head)
            powers = np.exp([query @ made("k", other, head) / np.sqrt(size) for other in range(length)])
            for other in range(length):
                value = (state["v_proj.weight"] @ x[other])[head * size : (head + 1) * size]
                mixed[position, head * size : (head + 1) * size] += powers[other] / powers.sum() * value
    result: np.ndarray = mixed @ state["out_proj.weight"].T
    return result


@pytest.mark.parametrize("per_head", [True, False])
@pytest.mark.parametrize("rotary", [True, False])
@pytest.mark.parametrize(("dim", "heads"), [(12, 3), (4, 1), (8, 4)])
def test_attention_follows_its_formula(per_head: bool, rotary: bool, dim: int, heads: int) -> None:
    layer, x, size = drawn(dim, heads, per_head), torch.randn(2, 5, dim), dim // heads
    tables = [torch.from_numpy(np.tile(function(angles(5, size)), 2)) for function in (np.cos, np.sin)]
    output = layer(x, *tables) if rotary else layer(x)
    state = {key: tensor.numpy() for key, tensor in layer.state_dict().items()}
    expected = [one_by_one(state, sample.numpy(), heads, per_head, rotary) for sample in x]
    np.testing.assert_allclose(output.detach().numpy(), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("per_head", [True, False])
def test_gradients_are_those_of_pytorchs_norm_and_attention(per_head: bool) -> None:
    layer, x, upstream = drawn(12, 3, per_head), torch.randn(2, 5, 12, requires_grad=True), torch.randn(2, 5, 12)
    state = dict(layer.named_parameters())

    def split(each: Tensor) -> Tensor:
        return each.reshape(*each.shape[:2], 3, 4).transpose(1, 2)

    def normed(name: str) -> Tensor:
        made, weight = F.linear(x, state[f"{name}_proj.weight"]), state[f"{name}_norm.weight"]
        if per_head:
            return F.rms_norm(split(made), (4,), weight, EPS)
        return split(F.rms_norm(made, (12,), weight, EPS))

    mixed = F.scaled_dot_product_attention(normed("q"), normed("k"), split(F.linear(x, state["v_proj.weight"])))
    theirs = F.linear(mixed.transpose(1, 2).flatten(2), state["out_proj.weight"])
    inputs = [x, *layer.parameters()]
    for ours, expected in zip(torch.autograd.grad(layer(x), inputs, upstream), torch.autograd.grad(theirs, inputs, upstream), strict=True):
        torch.testing.assert_close(ours, expected, rtol=1e-8, atol=1e-9)


def test_a_logit_depends_on_the_distance_only() -> None:
    module, size = reference_module("qk_norm"), 8
    norm, q, k = module.RMSNorm(size, EPS), torch.randn(size), torch.randn(size)
    with torch.no_grad():
        norm.weight.normal_()
    cos, sin = (torch.from_numpy(np.tile(function(angles(9, size)), 2)) for function in (np.cos, np.sin))
    turned = [module.rotate(norm(each).expand(9, size), cos, sin) for each in (q, k)]
    logits = turned[0] @ turned[1].mT
    torch.testing.assert_close(logits[:6, 3:].diagonal(), logits[0, 3].expand(6), rtol=1e-10, atol=1e-10)
