"""Reports as people and programs read them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import xmlschema
from rich.console import Console

import normgrade
from normgrade.compare.differences import difference as compare
from normgrade.language.errors import UsageError
from normgrade.language.places import Place
from normgrade.oracle.expectation import Expected
from normgrade.report.render import FORMATS, render
from normgrade.report.render.detail import QUIET, USUAL, VERBOSE
from normgrade.report.render.html import render_html
from normgrade.report.render.junit import render_junit
from normgrade.report.render.numbers import as_pair, sides
from normgrade.report.render.terminal import open_console, render_text, show
from normgrade.report.render.wording import difference_in_words, next_step, printable
from normgrade.report.report import Check, Diagnosis, Difference, Finding, Numbers, Outcome, Report
from normgrade.report.reveal import reveal
from normgrade.worker.observation import Array

XUNIT2 = xmlschema.XMLSchema(Path(__file__).parents[2] / "fixtures" / "xunit2.xsd")
STATISTICS = "The running statistics follow the batches, with the unbiased variance."
BIASED = Diagnosis(
    mistakes=("biased-running-variance",),
    says="running_var is updated with the biased variance. Multiply by n / (n − 1).",
    checks=("test_statistics[wide]", "test_statistics[deep]"),
)
BANNED = Finding(12, 16, "banned", "F.batch_norm is banned: write it by hand\n    return F.batch_norm(x)\n           ^^^^^^^^^^^^^^^")


def differing(
    expected: Any, actual: Any, allowed: Any, place: str = "step 2 · running_var", looks_like: str | None = None, dtype: str = "float32"
) -> Difference:
    """A difference of these numbers, the worst of them found by the ratio of error and allowance."""
    right, got = np.asarray(expected, dtype=np.float64), np.asarray(actual, dtype=np.float64)
    limit = np.broadcast_to(np.asarray(allowed, dtype=np.float64), right.shape)
    with np.errstate(all="ignore"):
        error = np.nan_to_num(np.abs(got - right), nan=np.inf, posinf=np.inf)
        relative = error / np.abs(right)
    at = tuple(int(index) for index in np.unravel_index(int(np.argmax(error / limit)), right.shape))
    return Difference(
        place=Place(place),
        dtype=dtype,
        shape=right.shape,
        mismatched=int((error > limit).sum()),
        total=right.size,
        max_abs=float(error.max()),
        max_rel=float(relative.max()),
        allowed=float(limit[at]),
        at=at,
        expected=right[at].item(),
        actual=got[at].item(),
        looks_like=looks_like,
        numbers=Numbers(right, got, limit),
    )


VARIANCE = differing([0.96, 1.5, 1.0677], [0.9, 1.5, 1.001], 1.3e-06, looks_like="every value × 15/16")
MISSING = Difference(
    Place("weight.grad", step=1), "float32", (3,), 1, 1, None, None, None, None, "a float32 tensor of shape (3,)", "nothing"
)


def check(name: str = "test_output", outcome: Outcome = Outcome.PASSED, **rest: Any) -> Check:
    return Check(**{"name": name, "claim": "The output is normalised.", "kind": "formula", "outcome": outcome, "points": 2, **rest})


def failed(name: str = "test_statistics[wide]", **rest: Any) -> Check:
    return check(
        **{"name": name, "outcome": Outcome.FAILED, "claim": STATISTICS, "kind": "state", "points": 3, "differences": (VARIANCE,), **rest}
    )


def report(*checks: Check, outcome: Outcome = Outcome.FAILED, **rest: Any) -> Report:
    possible = sum(check.points for check in checks)
    given = {
        "exercise": "batch_norm",
        "submission": "batch_norm.py",
        "possible": possible,
        "sandbox": "linux",
        "seed": 0,
        "duration_s": 0.4142,
    }
    return Report(**{**given, "outcome": outcome, "checks": checks, **rest})


FAILED = report(
    check("test_output[wide]", duration_s=0.01249),
    check("test_output[deep]"),
    failed("test_statistics[wide]", differences=(VARIANCE, MISSING), hint="Which variance does PyTorch store?", stdout="var 0.9\n"),
    failed("test_statistics[deep]"),
    check(
        "test_once", Outcome.SKIPPED, kind="edge", claim="One value is refused.", message="it needs what an interface check found broken"
    ),
    check(
        "test_twice", Outcome.ERROR, kind="edge", claim="Two values are taken.", message="the suite is broken, not your code: KeyError: 'x'"
    ),
    diagnoses=(BIASED,),
)
PASSED = report(
    check("test_output[wide]"), check("test_output[deep]"), outcome=Outcome.PASSED, exercise="layer_norm", submission="layer_norm.py"
)
NOT_STARTED = report(outcome=Outcome.NOT_STARTED, exercise="rms_norm", submission="rms_norm.py", possible=20)
BROKEN = report(check(outcome=Outcome.ERROR, message="the machine has no memory left"), outcome=Outcome.ERROR)
FOUND = report(findings=(BANNED,), possible=20)
EVERY_KIND = (FAILED, PASSED, NOT_STARTED, BROKEN, FOUND, reveal(FAILED, "claims"), reveal(FAILED, "score"), reveal(PASSED, "score"))


# The terminal


def test_a_failed_report_shows_claims_numbers_mistake_and_score() -> None:
    assert render_text([FAILED]) == dedent("""\
        batch_norm · batch_norm.py · sandbox: linux

          outcome     claim                                           kind      points
         ──────────────────────────────────────────────────────────────────────────────
          ✓ passed    The output is normalised. (2 of 2 hold)         formula      4/4
          ✗ failed    The running statistics follow the batches,      state        0/6
                      with the unbiased variance. (0 of 2 hold)
          – skipped   One value is refused.                           edge         0/2
                      it needs what an interface check found broken
          ! error     Two values are taken.                           edge         0/2

        ✗ The running statistics follow the batches, with the unbiased variance.
          test_statistics[wide] · so too [deep]
          step 2 · running_var · float32 · (3,)
            2 of 3 numbers differ, at most 0.067 (relative 6.2 %), allowed 1.3e-06,
            worst at [2]
               at   expected    got  off by  allowed
            ✗  [0]      0.96    0.9    0.06  1.3e-06
               [1]       1.5    1.5       0  1.3e-06
            ▶  [2]    1.0677  1.001   0.067  1.3e-06
            looks like: every value × 15/16
          step 1 · weight.grad · float32 · (3,)
            expected  a float32 tensor of shape (3,)
            got       nothing
          your code printed:
            var 0.9

        ! Two values are taken.
          test_twice
          the suite is broken, not your code: KeyError: 'x'

        ╭─ Diagnosis ──────────────────────────────────────────────────────────────────╮
        │ biased-running-variance                                                      │
        │ running_var is updated with the biased variance. Multiply by n / (n − 1).    │
        │ · The running statistics follow the batches, with the unbiased variance.     │
        ╰──────────────────────────────────────────────────────────────────────────────╯
        4 of 14 points · not passed
        `normgrade explain biased-running-variance --exercise batch_norm` shows it in
        numbers.

        """)


def test_only_the_first_claim_that_fails_has_a_hint_and_none_where_a_diagnosis_knows_better() -> None:
    two = report(*(failed(f"test_{name}", claim=f"Claim {name}.", message="No.", hint=f"Look at {name}.") for name in "ab"))
    for render_it in (render_text, render_html):
        assert "Look at a." in render_it([two]) and "Look at b." not in render_it([two])
        assert "Look at" not in render_it([replace(two, diagnoses=(BIASED,))])


def test_the_next_step_is_the_one_that_helps_most_and_works() -> None:
    explain = "`normgrade explain biased-running-variance --exercise batch_norm` shows it in numbers."
    hint = "`normgrade hint batch_norm` gives a hint, `normgrade show batch_norm` shows the task again."
    show = "Read the prompt again with `normgrade show batch_norm`."
    undiagnosed = replace(FAILED, diagnoses=())
    assert [next_step(each) for each in (FAILED, undiagnosed, FOUND, PASSED)] == [explain, hint, show, ""]
    assert [next_step(reveal(FAILED, level)) for level in ("full", "claims", "score")] == [explain, show, show]


def test_a_passed_report_is_a_table_and_a_score() -> None:
    assert render_text([PASSED]) == dedent("""\
        layer_norm · layer_norm.py · sandbox: linux

          outcome    claim                                     kind      points
         ───────────────────────────────────────────────────────────────────────
          ✓ passed   The output is normalised. (2 of 2 hold)   formula      4/4

        4 of 4 points · passed

        """)


def test_an_untouched_stub_is_told_where_to_begin() -> None:
    assert render_text([NOT_STARTED]) == dedent("""\
        rms_norm is not started: `normgrade show rms_norm` shows the task, and
        rms_norm.py is where your code goes.

        """)


def test_several_reports_end_in_a_table_of_them_all() -> None:
    table = """
  outcome         exercise        submission      points
 ────────────────────────────────────────────────────────
  ✓ passed        layer_norm      layer_norm.py      4/4
  – not started   rms_norm        rms_norm.py       0/20
  ✗ failed        batch_norm      batch_norm.py     4/14

                  1 of 3 passed                     8/38

"""
    assert render_text([PASSED, NOT_STARTED, FAILED]).endswith(table)


def test_no_report_at_all_is_said() -> None:
    assert render_text([]) == "Nothing was graded: `normgrade list` shows the exercises.\n"


def test_a_finding_has_its_place_and_its_caret() -> None:
    assert render_text([FOUND]) == dedent("""\
        batch_norm · batch_norm.py · sandbox: linux
        ✗ 12:16 banned: F.batch_norm is banned: write it by hand
                return F.batch_norm(x)
                       ^^^^^^^^^^^^^^^
        0 of 20 points · not passed
        Read the prompt again with `normgrade show batch_norm`.

        """)


def test_full_points_with_a_finding_say_what_decided() -> None:
    assert "2 of 2 points · not passed: what the findings name decides\n" in render_text([report(check(), findings=(BANNED,))])


def test_a_finding_on_the_whole_file_has_no_place() -> None:
    assert "\n✗ file: larger than 64 KiB\n" in render_text([report(findings=(Finding(0, 0, "file", "larger than 64 KiB"),))])


def test_an_error_is_no_fault_of_the_learner() -> None:
    text = render_text([BROKEN])
    assert "0 of 2 points · error: the grader could not tell, which is no fault of your code\n" in text
    step = "Show this report to whoever keeps the course; `normgrade verify batch_norm` proves where it is broken."
    assert step in " ".join(text.split())


def test_a_failure_hides_no_error_of_the_same_claim() -> None:
    text = render_text([report(failed("test_a[0]", message="too large"), failed("test_a[1]", outcome=Outcome.ERROR, message="no memory"))])
    assert "test_a[0]\n  too large\n" in text
    assert "test_a[1]\n  no memory\n" in text


def test_without_a_diagnosis_there_is_no_panel() -> None:
    assert "Diagnosis" not in render_text([replace(FAILED, diagnoses=())])


def test_two_mistakes_together_and_two_alternatives_read_differently() -> None:
    pair = Diagnosis(("one-pass-variance", "no-upcast"), "Both.", ())
    assert "│ one-pass-variance + no-upcast " in (text := render_text([report(diagnoses=(pair, BIASED))]))
    assert [line.strip("│ ") for line in text.splitlines() if line.startswith("│")][2:5] == ["", "or", ""]


def test_a_hint_is_given_only_where_no_diagnosis_knows_better() -> None:
    assert "  Hint: Which variance does PyTorch store?\n" in render_text([replace(FAILED, diagnoses=())])
    assert "Hint" not in render_text([FAILED])


def test_a_mistake_that_breaks_many_claims_says_how_many() -> None:
    checks = tuple(replace(FAILED.checks[0], name=f"test_{letter}", claim=f"Claim {letter}.") for letter in "abcd")
    names = tuple(each.name for each in checks)
    for number, lines in ((3, ["· Claim a.", "· Claim b.", "· Claim c."]), (4, ["· explains all 4 claims that fail"])):
        text = render_text([replace(FAILED, checks=checks, diagnoses=(Diagnosis(("m",), "Says.", names[:number]),))])
        assert [line.strip("│ ") for line in text.splitlines() if line.startswith("│ ·")] == lines


def test_beyond_two_places_only_their_names_are_told() -> None:
    places = tuple(replace(VARIANCE, place=Place("output", step=number)) for number in range(1, 8))
    text = render_text([report(failed(differences=places))])
    assert "step 2 · output · float32 · (3,)\n" in text and "step 3 · output · float32" not in text
    assert "  and 5 more places: step 3 · output; step 4 · output; step 5 · output; step 6 ·\n  output; step 7 · output\n" in text


def test_beyond_six_cases_only_their_number_is_told() -> None:
    text = render_text([report(*(failed(f"test_a[{case}]") for case in range(9)))])
    assert "  test_a[0] · so too [1], [2], [3], [4], [5], [6], 2 more\n" in text
    assert text.count("step 2 · running_var") == 1


MANY = report(*(failed(f"test_{number}[{case}]", claim=f"Claim {number}.") for number in range(5) for case in "ab"), seed=7)


def test_three_claims_that_do_not_hold_are_told_in_full_and_the_others_counted() -> None:
    text = render_text([MANY])
    assert [text.count(f"✗ Claim {number}.") for number in range(5)] == [1, 1, 1, 0, 0]
    assert "\n  test_0[a] · so too [b]\n" in text
    assert "and 2 more claims that do not hold: -v shows them\n" in text
    assert "and 1 more claim that does not hold: -v shows it\n" in render_text([replace(MANY, checks=MANY.checks[:8])])
    assert "more claim" not in render_text([replace(MANY, checks=MANY.checks[:6])])


def test_verbose_tells_every_case_and_every_place_and_how_it_came_about() -> None:
    many = replace(MANY, checks=tuple(replace(each, differences=(VARIANCE, VARIANCE, MISSING)) for each in MANY.checks))
    text = render_text([many], VERBOSE)
    assert [text.count(f"✗ Claim {number}.") for number in range(5)] == [2] * 5
    assert "so too" not in text and "more claim" not in text and "more place" not in text
    assert text.count("step 1 · weight.grad") == 10
    assert "seed 7 · 0.41 s\n" in text


def test_a_seed_that_is_not_the_usual_one_is_told_however_little_is_shown() -> None:
    told, usual = "Seed 7: `--seed 7` draws the same inputs again.\n", report(failed())
    seven = replace(usual, seed=7)
    assert [render_text([seven, seven], detail).count(told) for detail in (USUAL, VERBOSE)] == [1, 1]
    assert [line.endswith(" · seed 7") for line in render_text([seven, usual], QUIET).splitlines()] == [True, False]
    assert "seed" not in render_text([usual]).casefold()
    assert '<property name="seed" value="7"' in render_junit([seven]) and "seed 7" in render_html([seven])


def test_quiet_is_one_line_for_each_report() -> None:
    found = report(check(outcome=Outcome.PASSED), findings=(BANNED, BANNED))
    assert render_text([FAILED, PASSED, found], QUIET).splitlines() == [
        "✗ batch_norm · batch_norm.py · 4 of 14 points · not passed · biased-running-variance · sandbox: linux",
        "✓ layer_norm · layer_norm.py · 4 of 4 points · passed · sandbox: linux",
        "✗ batch_norm · batch_norm.py · 2 of 2 points · not passed: what the findings name decides · banned · sandbox: linux",
    ]


def test_what_a_learner_prints_ends_after_twenty_lines() -> None:
    text = render_text([report(failed(stdout="\n".join(f"line {number}" for number in range(1, 51))))])
    assert "    line 20\n    … and 30 more lines\n" in text


def test_one_endless_line_is_cut() -> None:
    assert len(render_text([report(failed(message="x" * 100_000))])) < 8_000


def test_a_claim_is_the_name_where_the_suite_makes_none() -> None:
    assert "✓ passed   test_output (2 of 2 hold)" in render_text(
        [report(check("test_output[0]", claim=""), check("test_output[1]", claim=""))]
    )


LOST = ("files: [b]all[/b] of them", "network: your code can use it")
OPEN = """process: this code ran with your permissions. What was open to it:
  files: [b]all[/b] of them
  network: your code can use it
`normgrade doctor` says why there are no stronger walls here.
"""


@pytest.mark.parametrize("sandbox, said", [("process", 1), ("linux", 0), ("container", 0)])
def test_what_the_weakest_walls_left_open_is_listed_once(sandbox: str, said: int) -> None:
    text = render_text([replace(FAILED, sandbox=sandbox, lost=LOST), replace(PASSED, sandbox=sandbox, lost=LOST)])
    assert text.count(OPEN) == said and text.count("network") == said


def test_a_caller_can_leave_out_what_was_open() -> None:
    assert "network" not in render_text([replace(PASSED, sandbox="process", lost=LOST)], with_losses=False)


HOSTILE = "[red]\x1b[31mX\x1b]0;title\x07\x9b2J\x00\u202e\ud800\ufffe[/red] [link=a]"


def hostile() -> Report:
    """A report in which every text is untrusted."""
    numbers = replace(VARIANCE, place=Place(HOSTILE), dtype=HOSTILE, looks_like=HOSTILE)
    described = replace(MISSING, place=Place(HOSTILE), expected=HOSTILE, actual=f"no {HOSTILE}")
    texts: Any = {"claim": HOSTILE, "kind": HOSTILE, "message": HOSTILE, "hint": HOSTILE, "stdout": HOSTILE}
    checks = (
        Check(HOSTILE, outcome=Outcome.FAILED, points=1, differences=(numbers, described) * 3, **texts),
        Check("test_skipped", outcome=Outcome.SKIPPED, points=1, **texts),
    )
    mistake = Diagnosis((HOSTILE,), HOSTILE, (HOSTILE,))
    return Report(
        HOSTILE,
        HOSTILE,
        Outcome.FAILED,
        2,
        HOSTILE,
        0,
        0.1,
        (Finding(1, 1, HOSTILE, f"{HOSTILE}\n{HOSTILE}"),),
        (mistake,),
        checks,
        (HOSTILE,),
    )


@pytest.mark.parametrize("colour", [None, "truecolor"])
def test_nothing_a_submission_says_steers_the_terminal(colour: Any) -> None:
    console = Console(
        file=io.StringIO(), width=200, color_system=colour, force_terminal=False, markup=True, highlight=True, legacy_windows=False
    )
    show([hostile(), replace(hostile(), sandbox="process"), replace(hostile(), outcome=Outcome.NOT_STARTED)], console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert not set(shown) & set("\x00\x07\x9b\u202e\ud800\ufffe")
    assert "31mX" not in shown and "title" not in shown
    assert "[red]X[/red] [link=a]" in shown


def test_escape_sequences_and_controls_go_while_words_newlines_and_tabs_stay() -> None:
    assert printable("a\x1b[1;31mb\x1b[0m\tc\r\nd\re\x08\x7f\x85") == "ab\tc\nd\ne"


def test_a_broken_escape_sequence_takes_no_line_with_it() -> None:
    assert printable("one\x1b]0;two\nthree\x1b") == "one\nthree"


def test_a_pipe_gets_plain_text_of_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    show([FAILED], open_console(pipe))
    pipe.flush()
    lines = pipe.buffer.getvalue().decode().splitlines()
    assert [line.rstrip() for line in lines] == render_text([FAILED]).splitlines()
    assert max(map(len, lines)) == 80


def test_an_encoding_that_lacks_a_sign_gets_a_stand_in() -> None:
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")
    show([FAILED], open_console(pipe))
    pipe.flush()
    text = pipe.buffer.getvalue().decode("ascii")
    assert "+ passed    The output is normalised." in text
    assert "x failed    The running statistics" in text
    assert ">  [2]    1.0677  1.001" in text
    assert "\n+- Diagnosis ---" in text
    assert "every value x 15/16" in text


def test_colour_is_never_the_only_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console = Console(file=io.StringIO(), width=80, force_terminal=True, legacy_windows=False)
    show([FAILED], console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    codes = {code for part in shown.split("\x1b[")[1:] for code in part.partition("m")[0].split(";")}
    assert codes <= {"0", "1", "2"}  # reset, bold, dim
    assert "✗ failed" in shown


def test_a_terminal_gets_colour() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard", legacy_windows=False, _environ={})
    show([FAILED], console)
    assert "\x1b[1;31m✗ failed" in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [20, 40])
def test_a_narrow_terminal_is_kept_to(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, legacy_windows=False)
    show([*EVERY_KIND, hostile()], console)
    assert max(map(len, console.file.getvalue().splitlines())) <= width  # type: ignore[attr-defined]


# Numbers side by side


def test_of_many_numbers_the_three_worst_are_shown_worst_first() -> None:
    actual = np.zeros((5, 6))
    for number, index in enumerate([(0, 1), (4, 5), (2, 0), (3, 3), (1, 1), (2, 2), (0, 0)], 1):
        actual[index] = number
    rows = sides(differing(np.ones((5, 6)) * 0, actual, 0.5))
    assert [row.index for row in rows] == [(0, 0), (2, 2), (1, 1)]
    assert [row.worst for row in rows] == [True, False, False]


def test_how_many_more_numbers_differ_is_said() -> None:
    assert "    ▶  [0]         0    1       1      0.1\n" in (
        text := render_text([report(failed(differences=(differing([0.0] * 20, [1.0] * 20, 0.1),)))])
    )
    assert "    and 17 more\n" in text


def test_the_worst_number_is_the_worst_by_what_is_allowed_there() -> None:
    [row] = [row for row in sides(differing([1.0, 1.0], [1.5, 1.1], [0.4, 0.001])) if row.worst]
    assert row.index == (1,)


def test_a_single_number_has_no_index() -> None:
    one = differing(1.0, 2.0, 0.1)
    assert [row.index for row in sides(one)] == [()]
    assert difference_in_words(one) == "the number differs, at most 1 (relative 100 %), allowed 0.1"


def test_nan_where_it_is_expected_is_no_error() -> None:
    one = replace(VARIANCE, at=(1,), numbers=Numbers(np.array([np.nan, 1.0, np.inf]), np.array([np.nan, np.nan, np.inf]), np.full(3, 0.1)))
    assert [(row.error, row.differs) for row in sides(one)] == [(0, False), (float("inf"), True), (0, False)]


def test_counts_and_truths_are_written_as_they_are() -> None:
    one = replace(VARIANCE, at=(0,), numbers=Numbers(np.array([3, 4]), np.array([5, 4]), np.zeros(2)))
    assert [(row.expected, row.actual, row.differs) for row in sides(one)] == [(3, 5, True), (4, 4, False)]
    assert as_pair(True, False) == ("True", "False")


def test_without_full_numbers_the_worst_two_are_shown() -> None:
    assert "    expected  1.0677\n    got       1.001\n" in render_text([report(failed(differences=(replace(VARIANCE, numbers=None),)))])


def test_compare_and_the_table_agree_on_what_differs() -> None:
    right, got = np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([[1.0, np.nan], [3.1, 0.0]], dtype=np.float32)
    found = compare(Place("output"), Array(got, "float32"), Expected(Array(right, "float64"), "float32", np.full((2, 2), 1e-8)))
    assert found is not None
    assert [row.index for row in sides(found) if row.differs] == [(0, 1), (1, 0)]
    assert [row.index for row in sides(found) if row.worst] == [found.at]


@pytest.mark.parametrize(
    "expected, actual, shown",
    [
        (1.0677, 1.001, ("1.0677", "1.001")),
        (1.00000001, 1.00000002, ("1.00000001", "1.00000002")),
        (1.0, float("nan"), ("1", "nan")),
        (3, 3.0, ("3", "3.0")),
        (None, 0, ("None", "0")),
    ],
)
def test_two_values_that_differ_never_look_alike(expected: object, actual: object, shown: tuple[str, str]) -> None:
    assert as_pair(expected, actual) == shown


@pytest.mark.parametrize(
    "difference, words",
    [
        (VARIANCE, "2 of 3 numbers differ, at most 0.067 (relative 6.2 %), allowed 1.3e-06, worst at [2]"),
        (
            differing([1.0, 2.0], [1.0, 2.00001], 1e-6),
            "1 of 2 numbers differs, at most 1e-05 (relative 5e-06), allowed 1e-06, worst at [1]",
        ),
        (differing([1.0, 2.0], [1.0, np.nan], 1e-6), "1 of 2 numbers differs, allowed 1e-06, worst at [1]"),
        (MISSING, "expected a float32 tensor of shape (3,), got nothing"),
    ],
)
def test_a_difference_in_words(difference: Difference, words: str) -> None:
    assert difference_in_words(difference) == words


# JSON


def test_json_is_the_contract() -> None:
    one = report(failed(duration_s=0.01249, message="m", hint="h", stdout="s\n"), findings=(BANNED,), diagnoses=(BIASED,), seed=7)
    text = render([one], "json")
    assert text.startswith('{\n  "version": 1,\n') and text.endswith("\n}\n")
    content = json.loads(text)
    assert content == {
        "version": 1,
        "normgrade": normgrade.__version__,
        "reports": [
            {
                "exercise": "batch_norm",
                "submission": "batch_norm.py",
                "outcome": "failed",
                "score": {"earned": 0, "possible": 3},
                "sandbox": "linux",
                "lost": [],
                "seed": 7,
                "course": "",
                "duration_s": 0.414,
                "findings": [{"line": 12, "column": 16, "rule": "banned", "text": BANNED.text}],
                "diagnoses": [{"mistakes": ["biased-running-variance"], "says": BIASED.says, "checks": list(BIASED.checks)}],
                "stopped_after_s": None,
                "checks": [
                    {
                        "name": "test_statistics[wide]",
                        "claim": STATISTICS,
                        "kind": "state",
                        "outcome": "failed",
                        "points": 3,
                        "earned": 0,
                        "duration_s": 0.012,
                        "message": "m",
                        "hint": "h",
                        "stdout": "s\n",
                        "differences": [
                            {
                                "place": "step 2 · running_var",
                                "dtype": "float32",
                                "shape": [3],
                                "mismatched": 2,
                                "total": 3,
                                "max_abs": VARIANCE.max_abs,
                                "max_rel": VARIANCE.max_rel,
                                "allowed": 1.3e-06,
                                "at": [2],
                                "expected": 1.0677,
                                "actual": 1.001,
                                "looks_like": "every value × 15/16",
                            }
                        ],
                    }
                ],
            }
        ],
    }


def test_json_keys_come_in_the_order_of_the_contract() -> None:
    [content] = json.loads(render([report(failed())], "json"))["reports"]
    order = "exercise submission outcome score sandbox lost seed course duration_s findings diagnoses stopped_after_s checks"
    assert list(content) == order.split()
    assert list(content["checks"][0]) == "name claim kind outcome points earned duration_s message hint stdout differences".split()


@pytest.mark.parametrize(
    "number, held",
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (-float("inf"), "-inf"),
        (np.float32("nan"), "nan"),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (None, None),
        (True, True),
    ],
)
def test_json_holds_every_number(number: Any, held: object) -> None:
    one = replace(VARIANCE, actual=number, max_abs=number)
    [difference] = json.loads(render([report(failed(differences=(one,)))], "json"))["reports"][0]["checks"][0]["differences"]
    assert [difference["actual"], difference["max_abs"]] == [held, held]
    assert type(difference["actual"]) is type(held)


def test_json_of_a_difference_in_kind() -> None:
    [difference] = json.loads(render([report(failed(differences=(MISSING,)))], "json"))["reports"][0]["checks"][0]["differences"]
    assert (difference["at"], difference["max_abs"], difference["actual"]) == (None, None, "nothing")


def test_json_is_readable_and_always_utf_8() -> None:
    text = render([hostile(), FAILED], "json")
    assert "step 2 · running_var" in text
    assert "\ufffd" in text.encode("utf-8").decode("utf-8")
    assert "\x1b" not in text


# JUnit


def case_named(document: str, name: str) -> ElementTree.Element:
    [found] = [case for case in ElementTree.fromstring(document).iter("testcase") if case.get("name") == name]
    return found


@pytest.mark.parametrize(
    "reports", [(), *((one,) for one in EVERY_KIND), EVERY_KIND, (hostile(),), (replace(FAILED, duration_s=1234.5678),)]
)
def test_junit_follows_the_schema(reports: tuple[Report, ...]) -> None:
    XUNIT2.validate(render(reports, "junit"))


@pytest.mark.parametrize(
    "document",
    [
        '<testsuites><testsuite name="a" tests="1" failures="0"/></testsuites>',
        '<testsuites skipped="0"/>',
        '<testsuite name="a" tests="1" failures="0" errors="0"><testcase name="b" file="c"/></testsuite>',
        '<testsuite name="a" tests="1" failures="0" errors="0"><testcase name="b"><properties/></testcase></testsuite>',
        '<testsuite name="a" tests="1" failures="0" errors="0" time="0.12345"/>',
    ],
)
def test_the_schema_refuses_what_jenkins_does(document: str) -> None:
    with pytest.raises(xmlschema.XMLSchemaValidationError):
        XUNIT2.validate(document)


def test_the_schema_takes_what_pytest_writes(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\njunit_family = xunit2\n")
    (tmp_path / "test_every_outcome.py").write_text(
        dedent("""\
            import pytest

            @pytest.fixture
            def broken():
                raise KeyError("x")

            def test_passes(): print("\\x1b[31mred")
            def test_fails(): assert [1] == [2]
            def test_is_skipped(): pytest.skip("why")
            def test_breaks(broken): ...
            """)
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        "pytest.ini",
        "--junitxml=out.xml",
        "test_every_outcome.py",
    ]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert "1 failed, 1 passed, 1 skipped, 1 error" in done.stdout
    XUNIT2.validate(tmp_path / "out.xml")


@pytest.mark.parametrize("one", [one for one in EVERY_KIND if one.outcome is not Outcome.PASSED])
def test_junit_of_a_report_that_did_not_pass_is_never_all_green(one: Report) -> None:
    root = ElementTree.fromstring(render([one], "junit"))
    assert int(root.get("failures", 0)) + int(root.get("errors", 0)) > 0


@pytest.mark.parametrize("one", [PASSED, reveal(PASSED, "score")])
def test_junit_of_a_passed_report_is_all_green_and_not_empty(one: Report) -> None:
    root = ElementTree.fromstring(render([one], "junit"))
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    assert int(root.get("tests", 0)) > 0


def test_junit_counts_what_it_holds() -> None:
    [suite] = ElementTree.fromstring(render([FAILED], "junit"))
    assert {name: suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped", "time")} == {
        "name": "batch_norm", "tests": "6", "failures": "2", "errors": "1", "skipped": "1", "time": "0.414",
    }  # fmt: skip


def test_junit_keeps_the_score_as_properties() -> None:
    root = ElementTree.fromstring(render([FAILED], "junit"))
    assert {found.get("name"): found.get("value") for found in root.iter("property")} == {
        "normgrade": normgrade.__version__, "submission": "batch_norm.py", "outcome": "failed",
        "earned": "4", "possible": "14", "sandbox": "linux", "seed": "0",
    }  # fmt: skip


def test_a_junit_failure_tells_claim_place_and_mistake() -> None:
    found = case_named(render([FAILED], "junit"), "test_statistics[wide]")
    failure = found.find("failure")
    assert found.get("classname") == "normgrade.batch_norm"
    assert failure is not None
    assert failure.attrib == {
        "type": "state",
        "message": "The running statistics follow the batches, with the unbiased variance: step 2 · running_var · float32 · (3,): "
        "2 of 3 numbers differ, at most 0.067 (relative 6.2 %), allowed 1.3e-06, worst at [2]",
    }
    assert failure.text == (
        "step 2 · running_var · float32 · (3,): 2 of 3 numbers differ, at most 0.067 (relative 6.2 %), allowed 1.3e-06, worst at [2]\n"
        "  looks like: every value × 15/16\n"
        "step 1 · weight.grad · float32 · (3,): expected a float32 tensor of shape (3,), got nothing\n"
        "Diagnosis: biased-running-variance: running_var is updated with the biased variance. Multiply by n / (n − 1).\n"
        "Hint: Which variance does PyTorch store?"
    )
    assert found.findtext("system-out") == "var 0.9\n"


def test_a_junit_finding_is_a_failure_with_its_place() -> None:
    failure = case_named(render([FOUND], "junit"), "banned at 12:16").find("failure")
    assert failure is not None
    assert failure.get("message") == "F.batch_norm is banned: write it by hand"
    assert failure.text == BANNED.text


def test_a_finding_of_a_passed_report_stays_green_in_junit() -> None:
    found = case_named(render([replace(PASSED, findings=(BANNED,))], "junit"), "banned at 12:16")
    assert [child.tag for child in found] == ["system-out"]


def test_an_untouched_stub_is_a_junit_failure() -> None:
    failure = case_named(render([NOT_STARTED], "junit"), "started").find("failure")
    assert failure is not None
    assert (
        failure.get("message")
        == "rms_norm is not started: `normgrade show rms_norm` shows the task, and rms_norm.py is where your code goes."
    )


def test_a_bare_score_is_a_junit_failure() -> None:
    failure = case_named(render([reveal(FAILED, "score")], "junit"), "score").find("failure")
    assert failure is not None
    assert failure.get("message") == "4 of 14 points: not passed"


# What a course reveals


@pytest.mark.parametrize("format", FORMATS)
def test_claims_reveal_no_value_in_any_format(format: str) -> None:
    text = render([reveal(FAILED, "claims")], format)
    assert STATISTICS[:40] in text and "biased-running-variance" in text
    for secret in ("1.0677", "1.001", "var 0.9", "15/16", "running_var ·", "Which variance", "KeyError"):
        assert secret not in text


@pytest.mark.parametrize("format", FORMATS)
def test_a_score_reveals_neither_claim_nor_mistake_in_any_format(format: str) -> None:
    text = render([reveal(FAILED, "score")], format)
    assert "4" in text and "14" in text
    for secret in ("The running statistics", "test_statistics", "biased-running-variance"):
        assert secret not in text


def test_a_full_report_is_revealed_as_it_is() -> None:
    assert reveal(FAILED, "full") is FAILED


@pytest.mark.parametrize("level", ["full", "claims", "score"])
def test_every_level_keeps_outcome_score_and_findings(level: Any) -> None:
    one = reveal(replace(FAILED, findings=(BANNED,)), level)
    assert (one.outcome, one.earned, one.possible, one.findings) == (Outcome.FAILED, 4, 14, (BANNED,))


def test_revealing_twice_is_revealing_once() -> None:
    once = reveal(FAILED, "score")
    assert reveal(once, "score") == once


# Formats


def test_an_unknown_format_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UsageError) as refused:
        render([], "jnit")
    assert str(refused.value) == 'No format named "jnit". Did you mean "junit"? Formats are terminal, json, junit, html.'


def test_only_the_terminal_imports_rich() -> None:
    program = (
        "import sys\nfrom normgrade.report.render import render\nrender([], 'json'), render([], 'junit')\nprint('rich' in sys.modules)"
    )
    path = str(Path(normgrade.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    ("seconds", "sentence"),
    [
        (10.0, "The search for the mistake was stopped after 10.0 s: which one it is remains open."),
        (0.0, "No time was left to look for the mistake: `--timeout` gives more."),
    ],
)
def test_a_search_that_was_stopped_is_told_in_one_sentence(seconds: float, sentence: str) -> None:
    stopped = replace(report(failed()), stopped_after_s=seconds)
    assert sentence in " ".join(render_text([stopped]).split())
    assert json.loads(render([stopped], "json"))["reports"][0]["stopped_after_s"] == seconds
    assert "The search" not in render_text([report(failed())])
