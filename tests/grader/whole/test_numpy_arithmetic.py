"""Tests that the two Monte Carlo arithmetics agree: the five backward passes are played in NumPy's and, on tensors, in PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.oracle import rounded_array, rounding
from normgrade.oracle.rounded_array import of

U = 2.0**-24
PLAYS = 48
PASSES: dict[str, tuple[int, tuple[int, ...], tuple[int, ...]]] = {  # the number of parameters, further arguments, the shape of x
    "softmax_backward": (0, (), (5, 7)),
    "rms_norm_backward": (1, (), (5, 7)),
    "layer_norm_backward": (2, (), (5, 7)),
    "batch_norm_backward": (2, (), (5, 4, 3)),
    "group_norm_backward": (2, (2,), (5, 4, 3)),
}
AS_NUMPY = SimpleNamespace(
    ndarray=torch.Tensor, float32=torch.float32, promote_types=torch.promote_types, sqrt=torch.sqrt, exp=torch.exp, asarray=torch.asarray
)


def reference(slug: str, library: Any) -> SimpleNamespace:
    """Return the reference with this library in the place of NumPy."""
    source = read_text(Course.find().exercise(slug).reference).replace("import numpy as np\n", "")
    names: dict[str, Any] = {"np": library}
    exec(source if library is np else source.replace(".max(", ".amax("), names)  # tensors have another `max`
    return SimpleNamespace(**names)


def spreads(
    module: SimpleNamespace,
    made: Callable[[], list[Any]],
    others: tuple[int, ...],
    arithmetic: Callable[..., AbstractContextManager[object]],
) -> list[np.ndarray]:
    """Return how far every number of every result moves, as the root mean square over PLAYS plays."""

    def play() -> list[np.ndarray]:
        *inputs, dy = made()
        y, cache = module.forward(*inputs, *others)
        return [np.asarray(each) for each in (y, *module.backward(dy, cache))]

    exact, moved = play(), []
    for seed in range(PLAYS):
        with arithmetic(U, seed):
            moved.append(play())
    return [np.sqrt(np.mean([(each[place] - exact[place]) ** 2 for each in moved], axis=0)) for place in range(len(exact))]


@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("slug", PASSES)
def test_numbers_move_alike(slug: str, offset: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The median ratio of each result is within a factor of 2, and no ratio is below a tenth."""
    monkeypatch.setattr(torch.Tensor, "astype", torch.Tensor.to, raising=False)
    parameters, others, shape = PASSES[slug]
    random = np.random.default_rng(1)
    numbers = shape[1] if len(shape) == 3 else shape[-1]
    inputs = [random.standard_normal(shape) + offset, *(random.uniform(0.5, 2, numbers) for _ in range(parameters))]
    inputs.append(random.standard_normal(shape))
    own = spreads(reference(slug, np), lambda: [of(each.copy()) for each in inputs], others, rounded_array.RandomRounding)
    tensors = spreads(reference(slug, AS_NUMPY), lambda: [torch.tensor(each) for each in inputs], others, rounding.RandomRounding)
    for place, (one, other) in enumerate(zip(own, tensors, strict=True)):
        ratio = one / other
        assert 0.5 < np.median(ratio) < 2 and ratio.min() > 0.1, place
