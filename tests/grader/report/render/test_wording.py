"""The words that all formats for people share."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from sample_reports import FAILED, MISSING, PASSED, VARIANCE, differing, failed, report

from normgrade.language.visible import printable
from normgrade.report.render import render
from normgrade.report.render.detail import QUIET, VERBOSE
from normgrade.report.render.terminal import render_text
from normgrade.report.render.wording import CODE_COLUMNS, credit_in_words, difference_in_words, pointed_at
from normgrade.report.report import Death, Difference, Spot
from normgrade.report.reveal import reveal


def test_points_beyond_those_of_claims_are_explained() -> None:
    by_mistakes = replace(FAILED, possible=20, granted=16)
    assert credit_in_words(by_mistakes) == f"1 mistake (−4); counted by claims: {FAILED.earned}"
    assert [credit_in_words(each) for each in (FAILED, PASSED, reveal(by_mistakes, "score"))] == ["", "", ""]
    assert f"16 of 20 points: {credit_in_words(by_mistakes)} · not passed" in " ".join(render_text([by_mistakes], VERBOSE).split())
    assert reveal(by_mistakes, "score").earned == 16


def test_escape_sequences_and_controls_are_removed() -> None:
    assert printable("a\x1b[1;31mb\x1b[0m\tc\r\nd\re\x08\x7f\x85") == "ab\tc\nd\ne"


def test_a_broken_escape_sequence_removes_no_line() -> None:
    assert printable("one\x1b]0;two\nthree\x1b") == "one\nthree"


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
