"""The words that all formats for people share, and those about the checks of a claim."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from sample_reports import BIASED, FAILED, MISSING, PASSED, SPOT, VARIANCE, check, differing, failed, report

from normgrade.report.render import QUIET, VERBOSE, render
from normgrade.report.render.terminal import render_text
from normgrade.report.render.wording import CODE_COLUMNS, case_of, credit_in_words, details_of, difference_in_words, in_short, pointed_at
from normgrade.report.report import Death, Difference, Spot, reveal


def test_points_beyond_those_of_claims_are_explained() -> None:
    by_mistakes = replace(FAILED, possible=20, granted=16)
    assert credit_in_words(by_mistakes) == f"1 mistake (−4); counted by claims: {FAILED.earned}"
    assert [credit_in_words(each) for each in (FAILED, PASSED, reveal(by_mistakes, "score"))] == ["", "", ""]
    assert f"16 of 20 points: {credit_in_words(by_mistakes)} · not passed" in " ".join(render_text([by_mistakes], VERBOSE).split())
    assert reveal(by_mistakes, "score").earned == 16


@pytest.mark.parametrize(
    "difference, words",
    [
        (VARIANCE, "2 of 3 numbers differ, worst at [2]: off by 0.067 (relative 6.2 %), allowed 1.3e-06"),
        (
            differing([1.0, 2.0], [1.0, 2.00001], 1e-6),
            "1 of 2 numbers differs, worst at [1]: off by 1e-05 (relative 5e-06), allowed 1e-06",
        ),
        (differing([1.0, 2.0], [1.0, np.nan], 1e-6), "1 of 2 numbers differs, worst at [1]: allowed 1e-06"),
        (MISSING, "expected a float32 tensor of shape (3,), got nothing"),
    ],
)
def test_a_difference_in_words(difference: Difference, words: str) -> None:
    assert difference_in_words(difference) == words


@pytest.mark.parametrize(
    ("seconds", "sentence"),
    [
        (10.0, "The search for the mistake was stopped after 10.0 s, before the mistake was certain."),
        (0.0, "There was no time left to look for the mistake. Use `--timeout` to allow more time."),
    ],
)
def test_a_stopped_search_is_told_in_one_sentence(seconds: float, sentence: str) -> None:
    stopped = replace(report(failed()), stopped_after_s=seconds)
    assert sentence in " ".join(render_text([stopped]).split())
    assert json.loads(render([stopped], "json"))["reports"][0]["stopped_after_s"] == seconds
    assert "The search" not in render_text([report(failed())])


DIED = Death("test_output", 40, "your code ended the process with exit code 0")
ONCE = (
    "The process that ran your code died at play 40 (test_output): your code ended the process with exit code 0. "
    "Everything was played again. Only one death is allowed."
)
TWICE = (
    "The process that ran your code died 2 times, first at play 40 (test_output): your code ended the process with exit code 0. "
    "Only one death is allowed."
)


@pytest.mark.parametrize(("deaths", "sentence", "short"), [((DIED,), ONCE, "died 1 time"), ((DIED, DIED), TWICE, "died 2 times")])
def test_dead_processes_are_told_in_every_format(deaths: tuple[Death, ...], sentence: str, short: str) -> None:
    one = replace(PASSED, deaths=deaths)
    assert sentence in " ".join(render_text([one]).split()) and f" · process {short} · " in render_text([one], QUIET)
    assert json.loads(render([one], "json"))["reports"][0]["deaths"] == [{"check": "test_output", "play": 40, "why": DIED.why}] * len(
        deaths
    )
    assert f'<property name="deaths" value="{sentence}" />' in render([one], "junit")
    assert f"<p>{sentence}</p>" in render([one], "html")
    assert not any("died" in render([PASSED], format) for format in ("terminal", "junit", "html"))


def test_a_caret_is_below_its_place_in_any_line() -> None:
    assert pointed_at(Spot("m", 9, 5, 3, "    var = 1", "r")) == ["9 │ var = 1", "  │ ^^^ r"]
    assert pointed_at(Spot("m", 12, 11, 1, "\tx = 1  # é")) == ["12 │ x = 1  # é", "   │          ^"]
    assert pointed_at(Spot("m", 9, 6, 3, "y = 平均(var)", "r")) == ["9 │ y = 平均(var)", "  │     \u3000^^^^ r"]


def test_a_long_line_is_cut_around_its_caret() -> None:
    text = "y = " + " + ".join(f"a{number}" for number in range(60))
    code, caret, remedy = pointed_at(Spot("m", 7, text.index("a40") + 1, 3, text, "r" * 60))
    assert code[caret.index("^") :].startswith("a40") and caret.count("^") == 3 and code.startswith("7 │ …") and code.endswith("…")
    assert remedy == f"  │ {'r' * 60}" and len(code) <= CODE_COLUMNS + 4


def test_a_shown_line_cannot_steer_a_terminal() -> None:
    assert all(line.isprintable() for line in pointed_at(Spot("m", 1, 1, 4, "a\x1b[31mb\u202ec\td", "no\x1b[1m")))


# The checks of a claim


def test_beyond_six_cases_only_their_number_is_told() -> None:
    one_case = replace(VERBOSE, cases=1)
    text = render_text([report(*(failed(f"test_a[{case}]") for case in range(9)))], one_case)
    assert "  test_a[0] · also [1], [2], [3], [4], [5], [6], 2 more\n" in text
    assert text.count("step 2 · running_var") == 1


def test_without_a_claim_the_test_name_is_shown() -> None:
    assert "✓ passed   test_output (2 of 2 hold)" in render_text(
        [report(check("test_output[0]", claim=""), check("test_output[1]", claim=""))], VERBOSE
    )


WORST = "step 2 · running_var · float32 · (3,): 2 of 3 numbers differ, worst at [2]: off by 0.067 (relative 6.2 %), allowed 1.3e-06"
ONE = failed(differences=(VARIANCE,), hint="Which variance?", call="BatchNorm(3), input (4, 3)", stdout="a\nb\n")


def test_the_details_have_the_whole_diagnosis() -> None:
    whole = report(ONE, diagnoses=(replace(BIASED, spots=(SPOT,)),))
    assert list(details_of(whole, ONE)) == [
        WORST,
        "  looks like: every value × 15/16",
        "Diagnosis: biased-running-variance: running_var is updated with the biased variance. Multiply by n / (n − 1).",
        "  19 │ var = h.var(dims)",
        "     │         ^^^ pass correction=1",
        "Hint: Which variance?",
    ]


def test_in_short_a_diagnosis_replaces_the_hint() -> None:
    head = ["The call: BatchNorm(3), input (4, 3)", WORST, "  looks like: every value × 15/16"]
    printed = ["your code printed:", "  a", "  b"]
    assert list(in_short(report(ONE, diagnoses=(BIASED,)), ONE)) == [*head, "explained by: biased-running-variance", *printed]
    assert list(in_short(report(ONE), ONE)) == [*head, "Hint: Which variance?", *printed]


def test_a_case_is_called_by_its_claim_and_parameters() -> None:
    assert [case_of(check) for check in FAILED.checks[1:3]] == [
        "The output is normalised. [deep]",
        "The running statistics follow the batches, with the unbiased variance. [wide]",
    ]
    assert case_of(failed("test_a", claim="It holds.")) == "It holds."
    assert case_of(failed("test_a[b]", claim=" ")) == "test_a[b]"
