"""The lab that the exercises of the course share: its data, its networks, and its runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from normgrade.course.package import carried


def loaded() -> Any:
    """Return the module as the labs of exercises import it; they are not here."""
    spec = spec_from_file_location("shared_lab", carried() / "exercises/shared_lab.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["shared_lab"] = module  # its data classes look for it there
    spec.loader.exec_module(module)
    del sys.modules["shared_lab"]
    return module


lab = loaded()
CHANNELS, WIDTH, LENGTH, LETTERS, PIXELS, SHAPES = lab.CHANNELS, lab.WIDTH, lab.LENGTH, lab.LETTERS, lab.PIXELS, lab.SHAPES

# Data


def test_sentences_are_made_of_letters() -> None:
    letters = lab.sentences(50, seed=3)
    assert letters.dtype is torch.int64 and letters.dim() == 1
    text = "".join(LETTERS[each] for each in letters.tolist())
    assert text.count(". ") == 50 and all(each.startswith("the ") for each in text.split(". ")[:-1])


def test_verbs_agree_with_their_subjects() -> None:
    text = "".join(LETTERS[each] for each in lab.sentences(400, seed=4).tolist())
    for sentence in text.split(". "):
        words = sentence.split()
        subject = next((word for word in words[1:] if word.rstrip("s") in {"dog", "bird", "river", "teacher"} or word[:5] == "child"), "")
        if subject and "that" not in words:
            verb = words[words.index(subject) + 1]
            assert verb.endswith("s") != (subject.endswith("s") or subject == "children")


def test_data_depend_on_the_seed_only() -> None:
    assert torch.equal(lab.sentences(9, 1), lab.sentences(9, 1)) and not torch.equal(lab.sentences(9, 1)[:50], lab.sentences(9, 2)[:50])
    state = torch.get_rng_state()
    (x, kinds), (again, _kinds), (other, _others) = lab.pictures(20, 1), lab.pictures(20, 1), lab.pictures(20, 2)
    assert torch.equal(x, again) and not torch.equal(x, other)
    assert torch.equal(torch.get_rng_state(), state)
    assert x.shape == (20, 1, PIXELS, PIXELS) and kinds.shape == (20,)


def test_every_shape_can_be_told_from_the_others() -> None:
    x, kinds = lab.pictures(2000, 0)
    plain = x - x.mean(dim=(2, 3), keepdim=True)
    means = torch.stack([plain[kinds == kind].mean(dim=0) for kind in range(len(SHAPES))])
    others, of_others = lab.pictures(500, 1)
    others = others - others.mean(dim=(2, 3), keepdim=True)
    nearest = (others[:, None] - means).square().sum(dim=(2, 3, 4)).argmin(dim=1)
    share = (nearest == of_others).float().mean().item()
    assert 0.3 < share < 0.9  # the nearest mean finds many, and not nearly all


# Networks


def test_shapes_are_as_described() -> None:
    assert lab.LanguageModel(lab.Residual, 4)(torch.zeros(3, 7, dtype=torch.int64)).shape == (3, 7, len(LETTERS))
    assert lab.Classifier(lab.Residual, 4)(torch.zeros(3, 1, PIXELS, PIXELS)).shape == (3, len(SHAPES))


def test_the_language_model_does_not_see_later_letters() -> None:
    model, text = lab.LanguageModel(lab.Residual, 4), torch.randint(len(LETTERS), (2, LENGTH))
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
    assert lab.Residual([Noting("f1"), Noting("f2")], lambda: Noting(next(names)))(x).tolist() == [4, 4]
    assert seen == ["n1", "f1", "n2", "f2", "last"]


@pytest.mark.parametrize(("network", "width", "kind"), [(lab.LanguageModel, WIDTH, nn.Linear), (lab.Classifier, CHANNELS, nn.Conv2d)])
def test_a_stack_may_change_the_first_weights(network: Callable[..., Any], width: int, kind: type[nn.Module]) -> None:
    def zero(sublayers: Sequence[Any]) -> nn.Module:
        for each in (inner for outer in sublayers for inner in outer.modules() if isinstance(inner, nn.Linear | nn.Conv2d)):
            nn.init.zeros_(each.weight)
        made: nn.Module = lab.Residual(sublayers)
        return made

    made = network(zero, 2)
    weights = [each.get_parameter("weight") for each in made.sublayers[0].modules() if isinstance(each, kind)]
    assert weights and not any(bool(weight.any()) for weight in weights)


def test_first_weights_keep_the_variance_of_a_convolution() -> None:
    torch.manual_seed(0)
    layer = nn.Conv2d(64, 64, 3)
    lab.begin([layer])
    assert (
        layer.weight.var().item() == pytest.approx(2 / (64 * 9), rel=0.05) and layer.bias is not None and not bool(layer.bias.any())
    )  # He's, for ReLU


# Benches

BENCHES = [
    lab.language_model(lambda impl, sublayers: lab.Residual(sublayers, impl)),
    lab.classifier(lambda impl, sublayers: lab.Residual(sublayers, impl)),
]


@pytest.mark.parametrize("bench", BENCHES, ids=lambda bench: bench.kind)
def test_batches_are_drawn_one_after_the_other(bench: Any) -> None:
    numbers = torch.Generator().manual_seed(0)
    (x, targets), (other, _targets) = bench.examples.batch(5, numbers), bench.examples.batch(5, numbers)
    assert len(x) == len(targets) == 5 and not torch.equal(x, other)
    again, _targets = bench.examples.batch(5, torch.Generator().manual_seed(0))
    assert torch.equal(x, again)


def test_the_targets_of_a_text_are_the_next_letters() -> None:
    x, targets = BENCHES[0].examples.batch(4, torch.Generator().manual_seed(1))
    assert torch.equal(x[:, 1:], targets[:, :-1])


@pytest.mark.parametrize("bench", BENCHES, ids=lambda bench: bench.kind)
def test_networks_begin_alike(bench: Any) -> None:
    one, two, bare = bench.network(nn.Identity), bench.network(nn.Identity), bench.network(None)
    assert all(torch.equal(mine, yours) for mine, yours in zip(one.parameters(), two.parameters(), strict=True))
    assert all(torch.equal(mine, yours) for mine, yours in zip(one.parameters(), bare.parameters(), strict=True))


def test_the_layers_are_those_of_the_module_given() -> None:
    network = lab.language_model(lambda impl, sublayers: lab.Residual(sublayers, lambda: impl.LayerNorm(WIDTH))).network(nn)
    assert sum(isinstance(each, nn.LayerNorm) for each in network.modules()) == 9


def test_loss_and_share_of_right_answers() -> None:
    scores = torch.tensor([[0.0, 0.0], [9.0, 0.0]])
    assert lab.loss(scores, torch.tensor([0, 0])).item() == pytest.approx((torch.log(torch.tensor(2.0)).item() + 1.2e-4) / 2, rel=1e-3)
    assert lab.right(scores, torch.tensor([1, 0])) == 0.5


# Runs

IMPL = SimpleNamespace(LayerNorm=nn.LayerNorm, BatchNorm=nn.BatchNorm2d)
RUN = [
    lab.language_model(lambda impl, sublayers: lab.Residual(sublayers, lambda: impl.LayerNorm(WIDTH)), "Pre-LN", sublayers=2, steps=12),
    lab.classifier(lambda impl, sublayers: lab.Residual(sublayers, lambda: impl.BatchNorm(CHANNELS)), sublayers=2, steps=12),
]


def test_benches_are_told() -> None:
    assert lab.benches(IMPL, RUN) == {"kind 0": "language model", "kind 1": "classifier", "name 0": "Pre-LN", "name 1": ""}


@pytest.mark.parametrize("number", [0, 1])
def test_a_network_learns(number: int) -> None:
    seen = lab.trained(IMPL, RUN, number)
    assert seen["loss"].shape == (12,) and seen["loss"][-1] < seen["loss"][0] - 0.05
    assert 0 <= seen["right"] <= 1 and seen["numbers"] > 1000
    for what in ("activations", "gradients"):
        for when in ("first", "last"):
            assert seen[f"{what} {when}"].shape == (2,) and (seen[f"{what} {when}"] > 0).all()


def test_runs_are_repeatable() -> None:
    assert torch.equal(lab.trained(IMPL, RUN, 0)["loss"], lab.trained(IMPL, RUN, 0)["loss"])
    assert not torch.equal(lab.trained(IMPL, RUN, 0)["loss"], lab.trained(IMPL, RUN, 0, bare=True)["loss"])
    assert not torch.equal(lab.trained(IMPL, RUN, 0)["loss"], lab.trained(IMPL, RUN, 0, batch=2)["loss"])


def test_a_run_begins_with_the_given_numbers() -> None:
    class Random(nn.LayerNorm):
        def __init__(self, width: int) -> None:
            super().__init__(width)
            nn.init.normal_(self.weight)  # draws random numbers, so that all weights after it differ

    start, other = lab.begun(IMPL, RUN, 0), SimpleNamespace(LayerNorm=Random)
    assert torch.equal(lab.trained(IMPL, RUN, 0)["loss"], lab.trained(other, RUN, 0, start=start)["loss"])
    assert not torch.equal(lab.trained(IMPL, RUN, 0)["loss"], lab.trained(other, RUN, 0)["loss"])


def test_company_matters_to_batch_norm_in_training_only() -> None:
    alone = lab.compared(IMPL, RUN, 1, lab.begun(IMPL, RUN, 1), 2, 64)
    assert alone["alone in training"] > 1e-3 > 1e-5 > alone["alone in evaluation"] and "one letter" not in alone


def test_company_does_not_matter_to_layer_norm() -> None:
    alone = lab.compared(IMPL, RUN, 0, lab.begun(IMPL, RUN, 0), 2, 64)
    assert max(alone["alone in training"], alone["alone in evaluation"], alone["one letter"]) < 1e-5


def test_a_norm_over_positions_is_noticed() -> None:
    class OverPositions(nn.Module):
        def __init__(self, _width: int) -> None:
            super().__init__()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x - x.mean(dim=1, keepdim=True)

    seen = lab.compared(SimpleNamespace(LayerNorm=OverPositions), RUN, 0, {}, 2, 64)
    assert seen["one letter"] > 1e-3 > 1e-5 > seen["alone in training"]


def test_own_layers_of_a_stack_are_looked_at() -> None:
    own = [lab.language_model(lambda impl, sublayers: nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH)), steps=2)]
    assert lab.trained(IMPL, own, 0)["activations first"].shape == (3,)


def test_outputs_are_compared_before_and_after_learning() -> None:
    class Weightless(nn.LayerNorm):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.functional.layer_norm(x, self.normalized_shape)

    start = lab.begun(IMPL, RUN, 0)
    right, wrong = (lab.compared(impl, RUN, 0, start, 2, 64) for impl in (IMPL, SimpleNamespace(LayerNorm=Weightless)))
    assert torch.equal(right["outputs"], wrong["outputs"]) and torch.equal(right["outputs in training"], wrong["outputs in training"])
    assert not torch.allclose(right["outputs after learning"], wrong["outputs after learning"], atol=1e-3)


def test_what_is_free_in_training_is_not_compared_there() -> None:
    free = [lab.classifier(lambda impl, sublayers: lab.Residual(sublayers), sublayers=2, free_in_training=True)]
    assert {place for place in lab.compared(IMPL, free, 0, {}, 2, 64) if place.startswith("outputs")} == {"outputs"}
