"""The words of a report on one screen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_reports import BIASED, FAILED, MISSING, PASSED, VARIANCE, differing, failed, report

from normgrade.language.places import Place
from normgrade.report.render.summary import (
    cost_in_words,
    crash_of,
    example_of,
    found_at,
    mistakes_of,
    next_step,
    reach_of,
    step_of,
)
from normgrade.report.report import UNLISTED, Diagnosis, Difference, Raised, Spot, WrongStep, reveal

PAIR = Diagnosis(("no-eps", "no-upcast"), "1. a\n2. b", ("test_statistics[wide]",), texts=("There is none. Add it.", "b"))


def test_the_cost_of_mistakes_is_told_if_it_counts() -> None:
    assert [cost_in_words(each) for each in (FAILED, replace(FAILED, possible=20, granted=16))] == ["", ", costs 4 points"]


def test_several_mistakes_are_separate() -> None:
    assert [(each.name, each.says, each.in_short) for each in mistakes_of(PAIR)] == [
        ("no-eps", "There is none. Add it.", "There is none."),
        ("no-upcast", "b", "b"),
    ]
    assert [(each.name, each.says) for each in mistakes_of(replace(PAIR, texts=()))] == [("no-eps + no-upcast", "1. a\n2. b")]


def test_a_claim_is_explained_if_all_its_cases_are() -> None:
    assert (reach_of(BIASED, FAILED.checks), reach_of(PAIR, FAILED.checks)) == ("explains the failing claim", "")


def test_a_step_is_told_unless_a_diagnosis_has_it() -> None:
    step = WrongStep("the mean is not right (line 3)", Spot(UNLISTED, 3, 5, 8, "    x.mean(0)"))
    assert step_of(replace(FAILED, step=step)) == step
    unlisted = Diagnosis((UNLISTED,), step.says, FAILED.diagnoses[0].checks)
    assert step_of(replace(FAILED, diagnoses=(unlisted,), step=step)) is None


def test_a_crash_is_told_unless_the_diagnosis_explains_it() -> None:
    crashed = failed(raised=Raised("ValueError: no"))
    assert crash_of(report(crashed)) == crashed
    assert crash_of(report(crashed, diagnoses=(BIASED,))) is None
    assert crash_of(FAILED) is None


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (VARIANCE, "step 2 · running_var[2] is 1.001, expected 1.0677 ± 1.3e-06; 2 of 3 numbers differ"),
        (
            replace(VARIANCE, place=Place("running_var", step=2)),
            "running_var[2] is 1.001, expected 1.0677 ± 1.3e-06; 2 of 3 numbers differ",
        ),
        (differing(1.0, np.nan, 1e-6, "output"), "output is nan, expected 1 ± 1e-06"),
        (MISSING, "weight.grad is nothing, expected a float32 tensor of shape (3,)"),
    ],
)
def test_the_worst_number_is_told_with_its_expectation(difference: Difference, words: str) -> None:
    assert found_at(difference) == words


def test_an_example_is_explained_or_resembles_something() -> None:
    plain = replace(VARIANCE, looks_like=None)
    checks = failed("test_a", claim="A.", differences=(plain,), call="f(1)"), failed("test_b", claim="B.", call="f(2)", hint="Look.")
    undiagnosed = example_of(report(*checks))
    assert undiagnosed is not None and (undiagnosed.claim, undiagnosed.call, undiagnosed.hint) == ("B.", "f(2)", "Look.")
    searching = example_of(replace(FAILED, diagnoses=(), checks=checks, searching=True))
    assert searching is not None and (searching.claim, searching.hint) == ("B.", "")
    diagnosed = example_of(report(*checks, diagnoses=(replace(BIASED, checks=("test_a",)),)))
    assert diagnosed is not None and (diagnosed.claim, diagnosed.call, diagnosed.likeness) == ("", "f(1)", "")
    assert example_of(PASSED) is None and example_of(reveal(FAILED, "claims")) is None


def test_the_most_helpful_command_comes_next() -> None:
    explain, hint, repro, show = (
        "normgrade explain biased-running-variance --exercise batch_norm",
        "normgrade hint batch_norm",
        "normgrade repro batch_norm test_statistics",
        "normgrade show batch_norm",
    )
    assert next_step(FAILED).commands == (
        explain,
        "-v: all claims",
    )
    assert next_step(replace(FAILED, diagnoses=()), "d").commands == (
        hint,
        repro,
        "d: all claims",
    )
    assert next_step(replace(FAILED, for_author=True)).commands == ()
    assert next_step(replace(FAILED, checks=())).commands == (show,) and next_step(PASSED).commands == ()
    crashed = report(failed(raised=Raised("ValueError: no"), message="ValueError"))
    assert next_step(crashed, "").commands == (repro,)
    built_in = replace(BIASED, mistakes=("other-exception",))
    assert next_step(replace(FAILED, diagnoses=(built_in,)), "").commands == (repro,)  # nobody reads the task again for a crash or a dtype
    assert next_step(reveal(replace(FAILED, diagnoses=()), "claims"), "").commands == (hint,)
