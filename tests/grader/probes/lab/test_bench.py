"""Tests of the benches: their examples are drawn anew, and networks begin alike."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from normgrade.probes.lab.bench import Bench, classifier, language_model, loss, right
from normgrade.probes.lab.networks import WIDTH, Residual

BENCHES = [language_model(lambda impl, sublayers: Residual(sublayers, impl)), classifier(lambda impl, sublayers: Residual(sublayers, impl))]


@pytest.mark.parametrize("bench", BENCHES, ids=lambda bench: bench.kind)
def test_batches_are_drawn_one_after_the_other(bench: Bench) -> None:
    numbers = torch.Generator().manual_seed(0)
    (x, targets), (other, _targets) = bench.examples.batch(5, numbers), bench.examples.batch(5, numbers)
    assert len(x) == len(targets) == 5 and not torch.equal(x, other)
    again, _targets = bench.examples.batch(5, torch.Generator().manual_seed(0))
    assert torch.equal(x, again)


def test_the_targets_of_a_text_are_the_next_letters() -> None:
    x, targets = BENCHES[0].examples.batch(4, torch.Generator().manual_seed(1))
    assert torch.equal(x[:, 1:], targets[:, :-1])


@pytest.mark.parametrize("bench", BENCHES, ids=lambda bench: bench.kind)
def test_networks_begin_alike(bench: Bench) -> None:
    one, two, bare = bench.network(nn.Identity), bench.network(nn.Identity), bench.network(None)
    assert all(torch.equal(mine, yours) for mine, yours in zip(one.parameters(), two.parameters(), strict=True))
    assert all(torch.equal(mine, yours) for mine, yours in zip(one.parameters(), bare.parameters(), strict=True))


def test_the_layers_are_those_of_the_module_given() -> None:
    network = language_model(lambda impl, sublayers: Residual(sublayers, lambda: impl.LayerNorm(WIDTH))).network(nn)
    assert sum(isinstance(each, nn.LayerNorm) for each in network.modules()) == 9


def test_loss_and_share_of_right_answers() -> None:
    scores = torch.tensor([[0.0, 0.0], [9.0, 0.0]])
    assert loss(scores, torch.tensor([0, 0])).item() == pytest.approx((torch.log(torch.tensor(2.0)).item() + 1.2e-4) / 2, rel=1e-3)
    assert right(scores, torch.tensor([1, 0])) == 0.5
