"""Reports as text, for people."""

from __future__ import annotations

import io
from dataclasses import replace
from textwrap import dedent
from typing import Any

import pytest
from rich.console import Console
from sample_reports import (
    BANNED,
    BIASED,
    BROKEN,
    EVERY_KIND,
    FAILED,
    FOUND,
    NOT_STARTED,
    PASSED,
    SPOT,
    VARIANCE,
    check,
    differing,
    failed,
    hostile,
    report,
)

from normgrade.language.places import Place
from normgrade.report.render.detail import VERBOSE
from normgrade.report.render.html import render_html
from normgrade.report.render.terminal import open_console, render_text, show
from normgrade.report.report import Diagnosis, Finding, Kind, Outcome, Rule


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
    assert "\n✗ file: larger than 64 KiB\n" in render_text([report(findings=(Finding(0, 0, Rule.FILE, "larger than 64 KiB"),))])


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
    both = report(diagnoses=(pair, BIASED))
    assert "│ one-pass-variance + no-upcast " in (text := render_text([both], VERBOSE))
    assert [line.strip("│ ") for line in text.splitlines() if line.startswith("│")][2:5] == ["", "or", ""]


def test_a_diagnosis_shows_the_learners_line_with_a_caret_and_the_remedy() -> None:
    text = render_text([report(diagnoses=(replace(BIASED, spots=(SPOT,)),))])
    shown = [line.strip("│").strip() for line in text.splitlines() if line.startswith("│")]
    at = shown.index("19 │ var = h.var(dims)")
    assert shown[at + 1] == "│         ^^^ pass correction=1"
    assert "^" not in render_text([report(diagnoses=(BIASED,))])


def test_one_of_several_alternatives_is_shown() -> None:
    pair = Diagnosis(("one-pass-variance", "no-upcast"), "Both.", ())
    text = render_text([report(diagnoses=(pair, BIASED))])
    assert "one-pass-variance + no-upcast" in text and BIASED.mistakes[0] not in text


def test_a_mistake_that_explains_some_claims_says_how_many_and_what_remains() -> None:
    checks = tuple(
        replace(FAILED.checks[0], name=f"test_{letter}", claim=f"Claim {letter}.", outcome=Outcome.FAILED) for letter in "abcdef"
    )
    alike = replace(checks[5], differences=(replace(VARIANCE, looks_like="every value × 3"),))
    diagnosis = Diagnosis(("m",), "Says.", ("test_a", "test_b"))
    text = render_text([replace(FAILED, checks=(*checks[:3], alike), diagnoses=(diagnosis,))])
    lines = [line.strip("│ ") for line in text.splitlines() if line.startswith("│")]
    told = ["· Claim a.", "· Claim b.", "· explains 2 of 4 claims that fail"]
    assert lines[2:] == [*told, "not recognised: Claim c.", "not recognised: Claim f. · every value × 3"]
    many = render_text([replace(FAILED, checks=checks, diagnoses=(replace(diagnosis, checks=("test_a",)),))])
    assert "and 2 more claims" in many and "Claim f." not in many.partition("Diagnosis")[2]


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


def test_how_many_more_numbers_differ_is_said() -> None:
    assert "    ▶  [0]         0    1       1      0.1\n" in (
        text := render_text([report(failed(differences=(differing([0.0] * 20, [1.0] * 20, 0.1),)))])
    )
    assert "    and 17 more\n" in text


def test_what_a_learner_prints_ends_after_twenty_lines() -> None:
    text = render_text([report(failed(stdout="\n".join(f"line {number}" for number in range(1, 51))))])
    assert "    line 20\n    … and 30 more lines\n" in text


def test_one_endless_line_is_cut() -> None:
    assert len(render_text([report(failed(message="x" * 100_000))])) < 8_000


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


def test_what_a_proof_gives_to_be_pasted_is_not_wrapped() -> None:
    change = f'change = ["{"x" * 90}", "y"]'
    message = f"line 9 survives.\nAccept it:\n\n    [[mutant]]\n    {change}\n\n    [[mutant]]\n" + "More.\n" * 30
    proof = check("mutants", Outcome.FAILED, kind=Kind.PROOF, claim="All are killed.", message=message)
    text = render_text([replace(FAILED, checks=(proof,), diagnoses=())])
    assert f"  Accept it:\n\n      [[mutant]]\n      {change}\n\n      [[mutant]]\n" in text
    assert "and 17 more lines" in text and "more line" not in render_text([replace(FAILED, checks=(proof,), diagnoses=())], VERBOSE)
