"""Tests of the words for a submission's errors: each case finds its own words and no words for other cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from thorough import all_or

from normgrade.compare.played import Played
from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.grading.grade import Submission, grade
from normgrade.oracle.cache import Cache
from normgrade.oracle.oracle import Oracle
from normgrade.remarks.context import setting_of
from normgrade.remarks.remarks import in_common, likened
from normgrade.report.report import Outcome
from normgrade.suite.story import Build, Story, build, evaluate, request, train
from normgrade.worker.wire.requests import LayerStep

KEY = bytes(32)  # of a user

COURSE = Course.find()
FAMILIES = {
    "factor": r"every value (×|has the opposite sign)",
    "offset": r"every value [+−] ",
    "of each": r"one (factor|offset) per ",
    "affine": r"right only where|the factor is 1 \+ weight|weight and bias are swapped",
    "swapped": r"axes \d and \d are swapped|the axes are in the order",
    "permuted": r"in another order: ",
    "mode": r"Right in (training|evaluation), wrong in (training|evaluation)\.",
    "second step": r"Right at first, wrong from ",
    "gradient": r"The forward pass is right, but the gradient",
    "not finite": r"(NaN|Inf) (in|first appears)",
    "dtype": r"only the dtype differs",
    "shape": r"only the shape differs$",
}


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng((seed, *shape))
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    x = random.standard_normal(shape) * random.uniform(0.4, 2.0, per_channel) + random.uniform(-1.5, 1.5, per_channel)
    return x.astype(np.float32)


@dataclass(frozen=True)
class Case:
    """A reference with some of its text replaced, the story that it plays, and the expected words."""

    family: str
    slug: str
    edits: tuple[tuple[str, str], ...]
    story: Story
    words: str


def layer(*steps: LayerStep, built: Build | None = None) -> Story:
    return (built or build(7, eps=1e-12), *(steps or (train(normal(5, 7)),)))


def channels(*steps: LayerStep, built: Build | None = None) -> Story:
    return (built or build(3, eps=1e-12), *(steps or (train(normal(5, 3, 2, 4)),)))


ROOT = "torch.sqrt(var + self.eps)"
LN_WEIGHT, LN_BIAS = "y = y * self.weight", "y = y + self.bias"
BN_AFFINE = "y * self.weight.view(per_channel) + self.bias.view(per_channel)"
BN_RETURN = "return y.to(x.dtype)"
ONCE = build(3, eps=1e-12, momentum=0.3).filled(running_mean=0.0, running_var=1e-9)
PLAIN = build(3, eps=1e-12, affine=False, track_running_stats=False)
BARE = build(7, eps=1e-12, elementwise_affine=False)

CASES = {
    # one factor for all, and its origin
    "n / (n − 1)": Case(
        "factor",
        "batch_norm",
        (("correction=1))", "correction=0) * 40 / 38)"),),
        channels(built=build(3, momentum=1.0)),
        "every value × 39/38, which is n / (n − 1) for n = 39",
    ),
    "momentum": Case(
        "factor",
        "batch_norm",
        (("self.running_mean += momentum * (mean", "self.running_mean += (mean"),),
        channels(built=ONCE),
        "every value × 3.33333, which is 1 / momentum",
    ),
    "offset": Case("offset", "layer_norm", (("return y.to(x.dtype)", "return y + 0.25"),), layer(), "every value + 0.25"),
    # one factor or offset for each
    "factor per row": Case(
        "of each", "layer_norm", ((ROOT, "(var + self.eps)"),), layer(train(normal(4, 5, 7)), built=BARE), "one factor per row: "
    ),
    "factor per group": Case(
        "of each",
        "batch_norm",
        ((BN_RETURN, "return y * torch.tensor([2.0, 2.0, 3.0, 3.0, 5.0, 5.0]).view(per_channel)"),),
        channels(train(normal(5, 6, 2, 4)), built=build(6)),
        "one factor per group of 2 channels: × 2 to × 5",
    ),
    "offset per instance": Case(
        "of each",
        "batch_norm",
        (
            ("values.mean(dims, keepdim=True)", "values.mean(dims[1:], keepdim=True)"),
            ("values.var(dims, keepdim", "values.var((0, 2, 3), keepdim"),
        ),
        channels(built=PLAIN),
        "one offset per channel of each sample: ",
    ),
    # axes and permutations
    "swapped axes": Case(
        "swapped",
        "layer_norm",
        (("return y.to(x.dtype)", "return y.transpose(0, 1)"),),
        layer(train(normal(5, 5, 7))),
        "the axes 0 and 1 are swapped",
    ),
    "axes in another order": Case(
        "swapped",
        "layer_norm",
        (("return y.to(x.dtype)", "return y.permute(2, 0, 1)"),),
        layer(train(normal(4, 5, 7))),
        "right numbers, only the shape differs: the axes are in the order 2, 0, 1",
    ),
    "groups in another order": Case(
        "permuted",
        "batch_norm",
        ((BN_RETURN, "return y[:, [4, 5, 0, 1, 2, 3]]"),),
        channels(train(normal(5, 6, 2, 4)), built=build(6)),
        "channels in another order: groups of 2, 2 0 1",
    ),
    "channels shuffled": Case(
        "permuted",
        "batch_norm",
        ((BN_RETURN, "return y.unflatten(1, (2, 3)).transpose(1, 2).flatten(1, 2)"),),
        channels(train(normal(5, 6, 2, 4)), built=build(6)),
        "channels in another order: as if (2, 3) had become (3, 2)",
    ),
    # the affine step
    "no affine": Case(
        "affine",
        "layer_norm",
        ((LN_WEIGHT, "pass"), (LN_BIAS, "pass")),
        layer(),
        "right only where γ = 1 and β = 0: neither weight nor bias is applied",
    ),
    "no weight": Case("affine", "layer_norm", ((LN_WEIGHT, "pass"),), layer(), "right only where γ = 1: weight is not applied"),
    "no bias": Case(
        "affine", "batch_norm", ((" + self.bias.view(per_channel)", ""),), channels(), "right only where β = 0: bias is not added"
    ),
    "bias first": Case(
        "affine",
        "batch_norm",
        ((BN_AFFINE, "(y + self.bias.view(per_channel)) * self.weight.view(per_channel)"),),
        channels(),
        "right only where γ = 1 or β = 0: bias is added before the multiplication by weight",
    ),
    "changed places": Case(
        "affine",
        "layer_norm",
        ((LN_WEIGHT, "y = y * self.bias"), (LN_BIAS, "y = y + self.weight")),
        layer(),
        "weight and bias are swapped",
    ),
    "one plus weight": Case("affine", "layer_norm", ((LN_WEIGHT, "y = y * (1 + self.weight)"),), layer(), "the factor is 1 + weight"),
    # when it is wrong
    "only evaluation": Case(
        "mode",
        "batch_norm",
        (("from_batch = self.training or", "from_batch = True or"),),
        channels(train(normal(5, 3)), train(normal(4, 3)), evaluate(normal(5, 3))),
        "Right in training, wrong in evaluation.",
    ),
    "second step": Case(
        "second step",
        "layer_norm",
        (("return y.to(x.dtype)", "self.eps += 0.1\n        return y"),),
        layer(train(normal(5, 7)), evaluate(normal(4, 7)), train(normal(5, 7, seed=1))),
        "Right at first, wrong from the second step on.",
    ),
    "gradient": Case(
        "gradient",
        "layer_norm",
        (("var + self.eps", "var.detach() + self.eps"),),
        layer(train(normal(5, 7)), evaluate(normal(4, 7))),
        "The forward pass is right, but the gradient of input is wrong.",
    ),
    # numbers that are not finite
    "constant rows": Case(
        "not finite",
        "layer_norm",
        ((" + self.eps", ""),),
        layer(train(normal(5, 7) * np.array([[1], [0], [1], [1], [0]], np.float32) + 3), built=BARE),
        "NaN in 14 of 35 values, first at [1, 0]: wherever a row of x is constant",
    ),
    "rows of zeros": Case(
        "not finite",
        "layer_norm",
        ((" + self.eps", ""),),
        layer(train(normal(5, 7) * np.array([[1], [0], [1], [1], [0]], np.float32)), built=BARE),
        "NaN in 14 of 35 values, first at [1, 0]: wherever a row of x is 0",
    ),
    "from a place on": Case(
        "not finite",
        "batch_norm",
        (("self.running_var += momentum", "self.running_var *= torch.inf * momentum"),),
        channels(train(normal(5, 3)), train(normal(5, 3)), evaluate(normal(4, 3))),
        "Inf first appears at step 1 · running_var.",
    ),
    # only the form
    "dtype": Case(
        "dtype", "layer_norm", (("return y.to(x.dtype)", "return y.double()"),), layer(), "right numbers, only the dtype differs"
    ),
}


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    return Oracle(Cache(tmp_path_factory.mktemp("expectations"), KEY))


def words_on(oracle: Oracle, case: Case) -> Iterator[str]:
    """Yield the sentence on the whole play, then the words on every place, in order."""
    exercise = COURSE.exercise(case.slug)
    reference = submission = read_text(exercise.reference)
    for old, new in case.edits:
        assert submission.count(old) == 1, (old, submission.count(old))
        submission = submission.replace(old, new)
    expectation = oracle.expectation(reference, request(case.story, exercise.defines[0].name, [0, "words", 0]))
    seen = oracle.natively(submission, expectation.request)
    play = Played(seen, expectation)
    assert play.differences, "nothing differs"
    setting = setting_of(expectation.request, exercise.defines)
    yield in_common(play)
    yield from (likened(difference, play, setting).looks_like or "" for difference in play.differences)


@pytest.mark.parametrize("name", CASES)
def test_difference_is_put_into_words(oracle: Oracle, name: str) -> None:
    case = CASES[name]
    said = list(words_on(oracle, case))
    assert any(words.startswith(case.words) for words in said), said
    families = {family for family, shown in FAMILIES.items() for words in said if re.search(shown, words)}
    assert families == {case.family}, said


# The size of the inputs shows only over all checks of a submission


@pytest.mark.usefixtures("expectations")
@pytest.mark.parametrize(
    ("fault", "words", "kinds"),
    all_or(
        1,
        [
            ("x.clamp(-100, 100)", "Wrong only for large inputs: right up to |x| = ", {"stability", "precision", "edge"}),
            ("(x.abs() if x.abs().max() <= 0.02 else x)", "Wrong only for small inputs: right from |x| = ", {"formula"}),
            ("(x * 1.01)", "", {"formula", "state", "gradient", "edge", "precision"}),
        ],
    ),
)
def test_errors_of_only_large_or_small_inputs_are_told(tmp_path: Path, fault: str, words: str, kinds: set[str]) -> None:
    exercise = COURSE.exercise("layer_norm")
    path = tmp_path / exercise.file_name
    path.write_text(read_text(exercise.reference).replace("wide = x.to", f"wide = {fault}.to"), encoding="utf-8")
    [report] = grade([Submission(exercise, path, path.name)])
    failed = [check for check in report.checks if check.outcome is Outcome.FAILED]
    assert {check.kind for check in failed} >= kinds
    said = [check.message for check in failed if not check.name.startswith("situation_") and check.kind in kinds]
    assert any(message.startswith(words) for message in said) if words else not any("only for" in message for message in said)
