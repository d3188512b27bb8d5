"""Tests of the four placements of a norm against the formulas in plain NumPy, and against PyTorch's Transformer layers, in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from references import reference_module
from torch import nn

Map = Callable[[np.ndarray], np.ndarray]
DIM, EPS = 6, 1e-5


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def drawn(block: nn.Module) -> nn.Module:
    with torch.no_grad():
        for parameter in block.parameters():
            parameter.normal_()
    return block


def normalised(x: np.ndarray, state: dict[str, np.ndarray], name: str) -> np.ndarray:
    """Return the layer norm of each row: by the length of the centred row, not by its variance."""
    centred = x - x.mean(-1, keepdims=True)
    length = np.sqrt((centred**2).sum(-1, keepdims=True) + EPS * x.shape[-1])
    return np.asarray(centred * np.sqrt(x.shape[-1]) / length * state[f"{name}.weight"] + state[f"{name}.bias"])


def formula(placement: str, state: dict[str, np.ndarray]) -> Map:
    def branch(x: np.ndarray) -> np.ndarray:
        return np.asarray(np.tanh(x @ state["sublayer.0.weight"].T + state["sublayer.0.bias"]))

    formulas: dict[str, Map] = {
        "pre": lambda x: x + branch(normalised(x, state, "norm_in")),
        "post": lambda x: normalised(x + branch(x), state, "norm_out"),
        "output": lambda x: x + normalised(branch(x), state, "norm_out"),
        "peri": lambda x: x + normalised(branch(normalised(x, state, "norm_in")), state, "norm_out"),
    }
    return formulas[placement]


@pytest.mark.parametrize("placement", ["pre", "post", "output", "peri"])
@pytest.mark.parametrize("shape", [(DIM,), (3, DIM), (2, 4, DIM)])
def test_a_placement_follows_its_formula(placement: str, shape: tuple[int, ...]) -> None:
    sublayer = nn.Sequential(nn.Linear(DIM, DIM), nn.Tanh())
    block = drawn(reference_module("peri_norm").NormBlock(DIM, sublayer, placement))
    state = {key: tensor.numpy() for key, tensor in block.state_dict().items()}
    x, upstream = torch.randn(shape, requires_grad=True), torch.randn(shape)
    output = block(x)
    output.backward(upstream)
    expected, given = formula(placement, state), x.detach().numpy()
    np.testing.assert_allclose(output.detach().numpy(), expected(given), rtol=1e-10, atol=1e-11)
    assert x.grad is not None
    for index in np.ndindex(shape):
        step = np.zeros(shape)
        step[index] = 1e-6
        slope = ((expected(given + step) - expected(given - step)) * upstream.numpy()).sum() / 2e-6
        np.testing.assert_allclose(x.grad[index], slope, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_two_blocks_are_a_transformer_layer_of_pytorch(placement: str) -> None:
    layer = nn.TransformerEncoderLayer(DIM, 2, 11, dropout=0.0, batch_first=True, norm_first=placement == "pre")
    drawn(layer)
    parts = (
        lambda x: layer.self_attn(x, x, x, need_weights=False)[0],
        lambda x: layer.linear2(torch.relu(layer.linear1(x))),
    )
    x = y = torch.randn(3, 4, DIM)
    for part, norm in zip(parts, (layer.norm1, layer.norm2), strict=True):
        block = reference_module("peri_norm").NormBlock(DIM, part, placement)
        (block.norm_in if placement == "pre" else block.norm_out).load_state_dict(norm.state_dict())
        y = block(y)
    torch.testing.assert_close(y, layer(x), rtol=1e-10, atol=1e-11)


def test_blocks_are_those_of_pre_post_norm() -> None:
    module, neighbour, sublayer = reference_module("peri_norm"), reference_module("pre_post_norm"), nn.Linear(DIM, DIM)
    x = torch.randn(5, DIM)
    for placement, kind in (("pre", "PreNorm"), ("post", "PostNorm")):
        torch.testing.assert_close(module.NormBlock(DIM, sublayer, placement)(x), getattr(neighbour, kind)(DIM, sublayer)(x))
