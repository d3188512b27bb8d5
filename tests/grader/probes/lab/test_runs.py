"""Tests of the runs of the lab: training lowers the loss, and a layer's company is noticed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from normgrade.probes.lab.bench import classifier, language_model
from normgrade.probes.lab.networks import CHANNELS, WIDTH, Residual
from normgrade.probes.lab.runs import begun, benches, compared, trained

IMPL = SimpleNamespace(LayerNorm=nn.LayerNorm, BatchNorm=nn.BatchNorm2d)
LAB = [
    language_model(lambda impl, sublayers: Residual(sublayers, lambda: impl.LayerNorm(WIDTH)), "Pre-LN", sublayers=2, steps=12),
    classifier(lambda impl, sublayers: Residual(sublayers, lambda: impl.BatchNorm(CHANNELS)), sublayers=2, steps=12),
]


def test_benches_are_told() -> None:
    assert benches(IMPL, LAB) == {"kind 0": "language model", "kind 1": "classifier", "name 0": "Pre-LN", "name 1": ""}


@pytest.mark.parametrize("number", [0, 1])
def test_a_network_learns(number: int) -> None:
    seen = trained(IMPL, LAB, number)
    assert seen["loss"].shape == (12,) and seen["loss"][-1] < seen["loss"][0] - 0.05
    assert 0 <= seen["right"] <= 1 and seen["numbers"] > 1000
    for what in ("activations", "gradients"):
        for when in ("first", "last"):
            assert seen[f"{what} {when}"].shape == (2,) and (seen[f"{what} {when}"] > 0).all()


def test_runs_are_repeatable() -> None:
    assert torch.equal(trained(IMPL, LAB, 0)["loss"], trained(IMPL, LAB, 0)["loss"])
    assert not torch.equal(trained(IMPL, LAB, 0)["loss"], trained(IMPL, LAB, 0, bare=True)["loss"])
    assert not torch.equal(trained(IMPL, LAB, 0)["loss"], trained(IMPL, LAB, 0, batch=2)["loss"])


def test_a_run_begins_with_the_given_numbers() -> None:
    class Random(nn.LayerNorm):
        def __init__(self, width: int) -> None:
            super().__init__(width)
            nn.init.normal_(self.weight)  # draws random numbers, so that all weights after it differ

    start, other = begun(IMPL, LAB, 0), SimpleNamespace(LayerNorm=Random)
    assert torch.equal(trained(IMPL, LAB, 0)["loss"], trained(other, LAB, 0, start=start)["loss"])
    assert not torch.equal(trained(IMPL, LAB, 0)["loss"], trained(other, LAB, 0)["loss"])


def test_company_matters_to_batch_norm_in_training_only() -> None:
    alone = compared(IMPL, LAB, 1, begun(IMPL, LAB, 1), 2, 64)
    assert alone["alone in training"] > 1e-3 > 1e-5 > alone["alone in evaluation"] and "one letter" not in alone


def test_company_does_not_matter_to_layer_norm() -> None:
    alone = compared(IMPL, LAB, 0, begun(IMPL, LAB, 0), 2, 64)
    assert max(alone["alone in training"], alone["alone in evaluation"], alone["one letter"]) < 1e-5


def test_a_norm_over_positions_is_noticed() -> None:
    class OverPositions(nn.Module):
        def __init__(self, _width: int) -> None:
            super().__init__()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x - x.mean(dim=1, keepdim=True)

    seen = compared(SimpleNamespace(LayerNorm=OverPositions), LAB, 0, {}, 2, 64)
    assert seen["one letter"] > 1e-3 > 1e-5 > seen["alone in training"]


def test_own_layers_of_a_stack_are_looked_at() -> None:
    own = [language_model(lambda impl, sublayers: nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH)), steps=2)]
    assert trained(IMPL, own, 0)["activations first"].shape == (3,)


def test_outputs_are_compared_before_and_after_learning() -> None:
    class Weightless(nn.LayerNorm):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.functional.layer_norm(x, self.normalized_shape)

    start = begun(IMPL, LAB, 0)
    right, wrong = (compared(impl, LAB, 0, start, 2, 64) for impl in (IMPL, SimpleNamespace(LayerNorm=Weightless)))
    assert torch.equal(right["outputs"], wrong["outputs"]) and torch.equal(right["outputs in training"], wrong["outputs in training"])
    assert not torch.allclose(right["outputs after learning"], wrong["outputs after learning"], atol=1e-3)


def test_what_is_free_in_training_is_not_compared_there() -> None:
    lab = [classifier(lambda impl, sublayers: Residual(sublayers), sublayers=2, free_in_training=True)]
    assert {place for place in compared(IMPL, lab, 0, {}, 2, 64) if place.startswith("outputs")} == {"outputs"}
