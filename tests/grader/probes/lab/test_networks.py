"""Tests of the networks of the lab: their shapes, what they may look at, and the stack that is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import nn

from normgrade.probes.lab.data import LETTERS, PIXELS, SHAPES
from normgrade.probes.lab.networks import CHANNELS, LENGTH, WIDTH, Classifier, LanguageModel, Residual, begin


def test_shapes_are_as_described() -> None:
    assert LanguageModel(Residual, 4)(torch.zeros(3, 7, dtype=torch.int64)).shape == (3, 7, len(LETTERS))
    assert Classifier(Residual, 4)(torch.zeros(3, 1, PIXELS, PIXELS)).shape == (3, len(SHAPES))


def test_the_language_model_does_not_see_later_letters() -> None:
    model, text = LanguageModel(Residual, 4), torch.randint(len(LETTERS), (2, LENGTH))
    changed = text.clone()
    changed[:, 9:] = 0
    with torch.no_grad():
        before, after = model(text), model(changed)
    assert torch.allclose(before[:, :9], after[:, :9], atol=1e-6) and not torch.allclose(before[:, 9:], after[:, 9:])


def test_each_norm_stands_before_its_sublayer() -> None:
    seen: list[str] = []

    class Noting(nn.Module):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            seen.append(self.name)
            return x

    names = iter(["n1", "n2", "last"])
    x = torch.ones(2)
    assert Residual([Noting("f1"), Noting("f2")], lambda: Noting(next(names)))(x).tolist() == [4, 4]
    assert seen == ["n1", "f1", "n2", "f2", "last"]


@pytest.mark.parametrize(("network", "width", "kind"), [(LanguageModel, WIDTH, nn.Linear), (Classifier, CHANNELS, nn.Conv2d)])
def test_a_stack_may_change_the_first_weights(network: Callable[..., Any], width: int, kind: type[nn.Module]) -> None:
    def zero(sublayers: Sequence[Any]) -> nn.Module:
        for each in (inner for outer in sublayers for inner in outer.modules() if isinstance(inner, nn.Linear | nn.Conv2d)):
            nn.init.zeros_(each.weight)
        return Residual(sublayers)

    made = network(zero, 2)
    weights = [each.get_parameter("weight") for each in made.sublayers[0].modules() if isinstance(each, kind)]
    assert weights and not any(bool(weight.any()) for weight in weights)


def test_first_weights_keep_the_variance_of_a_convolution() -> None:
    torch.manual_seed(0)
    layer = nn.Conv2d(64, 64, 3)
    begin([layer])
    assert (
        layer.weight.var().item() == pytest.approx(2 / (64 * 9), rel=0.05) and layer.bias is not None and not bool(layer.bias.any())
    )  # He's, for ReLU
