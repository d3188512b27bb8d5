"""Tests of the reference of Fixup: its formula in NumPy with SciPy's convolution, and the paper's claims on its initial weights."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor, nn

SCALARS = ("bias1a", "bias1b", "bias2a", "bias2b", "scale")


def drawn(channels: int) -> Any:
    """Return a block in float64 with random parameters."""
    torch.manual_seed(0)
    block = reference("fixup")(channels).double()
    with torch.no_grad():
        for parameter in block.parameters():
            parameter.normal_()
    return block


def init(blocks: Any, classifier: nn.Linear) -> None:
    reference("fixup").__init__.__globals__["fixup_init_"](blocks, classifier)


def convolved(x: np.ndarray, kernel: np.ndarray, correlate: Any) -> np.ndarray:
    """Convolve (N, C, H, W), padded with zeros, with a kernel (out, in, 3, 3)."""
    rows = [[sum(correlate(plane, one, mode="constant") for plane, one in zip(image, of, strict=True)) for of in kernel] for image in x]
    return np.array(rows)


@pytest.mark.parametrize("shape", [(2, 3, 5, 4), (1, 2, 1, 6), (3, 1, 1, 1)])
def test_block_equals_its_formula_with_scipys_convolution(shape: tuple[int, ...]) -> None:
    ndimage: ModuleType = pytest.importorskip("scipy.ndimage")
    block, x = drawn(shape[1]), torch.randn(shape, dtype=torch.float64).numpy()
    b1a, b1b, b2a, b2b, scale = (getattr(block, name).item() for name in SCALARS)
    first, second = (conv.weight.detach().numpy() for conv in (block.conv1, block.conv2))
    h = np.maximum(convolved(x + b1a, first, ndimage.correlate) + b1b, 0)
    y = np.maximum(x + scale * convolved(h + b2a, second, ndimage.correlate) + b2b, 0)
    np.testing.assert_allclose(block(torch.from_numpy(x)).detach().numpy(), y, rtol=1e-12, atol=1e-12)


def test_gradients_equal_finite_differences() -> None:
    block, x = drawn(2), torch.randn(2, 2, 3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, *_parameters: block(x), (x, *block.parameters()))


def test_initialised_blocks_are_a_relu() -> None:
    blocks = nn.Sequential(*(reference("fixup")(4) for _ in range(10)))
    classifier = nn.Linear(4, 3)
    init(blocks, classifier)
    x = torch.randn(2, 4, 5, 5)
    assert torch.equal(blocks(x), x.relu())
    assert not classifier(torch.randn(2, 4)).any()


@pytest.mark.parametrize("number", [1, 4, 9])
def test_the_first_convolutions_have_the_variance_of_the_paper(number: int) -> None:
    torch.manual_seed(0)
    blocks = [reference("fixup")(48) for _ in range(number)]
    init(blocks, nn.Linear(4, 3))
    for block in blocks:
        assert block.conv1.weight.var().item() == pytest.approx(2 / (9 * 48) / number, rel=0.05)


def step_of(number: int, factor: bool) -> float:
    """Return the change of the output by a step of gradient descent, for a network of `number` blocks and a loss with a fixed gradient."""
    torch.manual_seed(1)
    blocks: Any = nn.Sequential(*(reference("fixup")(8) for _ in range(number)))
    init(blocks, nn.Linear(4, 3))
    if not factor:
        for block in blocks:
            nn.init.kaiming_normal_(block.conv1.weight, nonlinearity="relu")
    x = torch.rand(2, 8, 6, 6)
    direction = torch.randn(2, 8, 6, 6) / 100
    before: Tensor = blocks(x)
    (before * direction).sum().backward()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        for name, parameter in blocks.named_parameters():
            if "conv" in name:
                parameter.sub_(0.01 * parameter.grad)
        return float(((blocks(x) - before) * direction).sum().abs())


def test_size_of_a_step_does_not_depend_on_depth() -> None:
    with_factor = [step_of(number, factor=True) for number in (4, 64)]
    without = [step_of(number, factor=False) for number in (4, 64)]
    assert with_factor[1] / with_factor[0] == pytest.approx(1, abs=0.35)
    assert without[1] / without[0] > 8
