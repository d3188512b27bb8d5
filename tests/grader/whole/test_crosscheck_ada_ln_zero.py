"""Tests of the reference of `ada_ln_zero`: loops in NumPy, PyTorch's own Pre-LN layer, finite differences, and the start of training."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor, nn


class Mixer(nn.Module):
    """A sublayer that mixes positions and features."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.linear = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.linear(x + x.mean(1, keepdim=True)).tanh()
        return result


def drawn(batch: int, length: int, dim: int, cond_dim: int) -> tuple[Any, Tensor, Tensor]:
    """Return a block in float64 with random parameters, an input and a condition."""
    torch.manual_seed(0)
    block = reference("ada_ln_zero")(dim, cond_dim, Mixer(dim), nn.Linear(dim, dim)).double()
    with torch.no_grad():
        for parameter in block.parameters():
            parameter.normal_(std=0.7)
    return block, torch.randn(batch, length, dim, dtype=torch.float64), torch.randn(batch, cond_dim, dtype=torch.float64)


def applied(function: nn.Module, x: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        result: np.ndarray = function(torch.from_numpy(x)).numpy()
        return result


def normed(x: np.ndarray) -> np.ndarray:
    mean = x.mean(-1, keepdims=True)
    result: np.ndarray = (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-6)
    return result


@pytest.mark.parametrize("sizes", [(2, 3, 4, 5), (3, 3, 2, 1), (1, 6, 3, 2), (4, 1, 3, 4)])
def test_block_is_its_formula_in_numpy(sizes: tuple[int, int, int, int]) -> None:
    block, x, c = drawn(*sizes)
    dim = sizes[2]
    weight, bias = block.modulation.weight.detach().numpy(), block.modulation.bias.detach().numpy()
    parts = np.empty((6, sizes[0], 1, dim))
    for n, condition in enumerate(c.numpy()):
        activated = [number / (1 + math.exp(-number)) for number in condition]
        for row in range(6 * dim):
            parts[row // dim, n, 0, row % dim] = sum(w * a for w, a in zip(weight[row], activated, strict=True)) + bias[row]
    y = x.numpy()
    for sublayer, (shift, scale, gate) in ((block.attn, parts[:3]), (block.mlp, parts[3:])):
        y = y + gate * applied(sublayer, normed(y) * (1 + scale) + shift)
    np.testing.assert_allclose(block(x, c).detach().numpy(), y, rtol=1e-11, atol=1e-12)


def test_gradients_are_finite_differences() -> None:
    block, x, c = drawn(2, 3, 4, 2)
    inputs = (x.requires_grad_(), c.requires_grad_(), *block.parameters())
    assert torch.autograd.gradcheck(lambda x, c, *_parameters: block(x, c), inputs)


def test_open_gates_make_a_pre_norm_layer_of_pytorch() -> None:
    """With gates of 1, and with scale and shift for weight and bias, it is a TransformerEncoderLayer with `norm_first`."""
    torch.manual_seed(1)
    dim, x = 4, torch.randn(2, 5, 4, dtype=torch.float64)
    layer: Any = nn.TransformerEncoderLayer(
        dim, 2, 8, dropout=0.0, norm_first=True, batch_first=True, layer_norm_eps=1e-6, dtype=torch.float64
    )
    with torch.no_grad():
        for norm in (layer.norm1, layer.norm2):
            norm.weight.normal_()
            norm.bias.normal_()

    def mlp(n: Tensor) -> Tensor:
        output: Tensor = layer.linear2(layer.linear1(n).relu())
        return output

    block = reference("ada_ln_zero")(dim, 3, lambda n: layer.self_attn(n, n, n)[0], mlp).double()
    ones = torch.ones(dim, dtype=torch.float64)
    parts = (layer.norm1.bias, layer.norm1.weight - 1, ones, layer.norm2.bias, layer.norm2.weight - 1, ones)
    with torch.no_grad():
        block.modulation.bias.copy_(torch.cat(parts))
    torch.testing.assert_close(block(x, torch.randn(2, 3, dtype=torch.float64)), layer(x), rtol=1e-11, atol=1e-12)


def test_the_gates_of_a_new_block_learn_first() -> None:
    block = reference("ada_ln_zero")(4, 3, Mixer(4), nn.Linear(4, 4))
    x = torch.randn(2, 5, 4)
    y = block(x, torch.randn(2, 3))
    assert torch.equal(y, x)
    y.square().sum().backward()
    moved = block.modulation.weight.grad.view(6, 4, 3).abs().amax((1, 2)) > 0
    assert moved.tolist() == [False, False, True, False, False, True]
    assert not any(parameter.grad.any() for sublayer in (block.attn, block.mlp) for parameter in sublayer.parameters())


def test_modulation_of_the_largest_dit_has_223_million_parameters() -> None:
    with torch.device("meta"):
        block = reference("ada_ln_zero")(1152, 1152, torch.relu, torch.relu)
    assert 28 * sum(parameter.numel() for parameter in block.parameters()) == 223_147_008
