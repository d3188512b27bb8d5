"""Reports for people in a terminal: its streams and lines, and a report on one screen."""

from __future__ import annotations

import io
from dataclasses import replace
from textwrap import dedent, wrap
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text
from sample_reports import (
    ASKED,
    BANNED,
    BIASED,
    BROKEN,
    EVERY_KIND,
    FAILED,
    NOT_STARTED,
    PASSED,
    SPOT,
    STATISTICS,
    VARIANCE,
    check,
    failed,
    hostile,
    report,
)

from normgrade.report.render import QUIET, USUAL, VERBOSE
from normgrade.report.render.terminal import HEIGHT, InARow, Screen, open_console, render_text, show
from normgrade.report.report import Diagnosis, Outcome, Raised, Report, Spot, reveal


def test_an_untouched_stub_has_advice() -> None:
    assert render_text([NOT_STARTED]) == dedent("""\
        rms_norm is not started. Run `normgrade show rms_norm` to read the task, and
        write your code in rms_norm.py.
        """)


def test_only_one_of_many_untouched_stubs_is_named() -> None:
    text = render_text([NOT_STARTED] * 37)
    assert text.count("\n") == 3 and text.endswith("36 more exercises are not started. Run `normgrade list` to see them.\n")


def test_several_reports_end_with_a_table() -> None:
    table = """
rms_norm is not started. Run `normgrade show rms_norm` to read the task, and
write your code in rms_norm.py.

  outcome    exercise        submission      points
 ───────────────────────────────────────────────────
  ✓ passed   layer_norm      layer_norm.py      4/4
  ✗ failed   batch_norm      batch_norm.py     4/14

             1 of 2 passed                     8/18

"""
    text = render_text([PASSED, NOT_STARTED, FAILED])
    assert text.startswith("✓ layer_norm · layer_norm.py · 4 of 4 points · passed · sandbox: linux\nbatch_norm.py  4 of 14 points")
    assert text.endswith(table)


def test_the_absence_of_reports_is_told() -> None:
    assert render_text([]) == "Nothing was graded. Run `normgrade list` to see the exercises.\n"


def test_an_error_is_no_fault_of_the_learner() -> None:
    text = render_text([BROKEN])
    assert "0 of 2 points, error: the grader failed, not your code\n" in text
    step = "Show this report to the maintainer of the course. Run `normgrade verify batch_norm` to see what is broken."
    assert step in " ".join(text.split())


LOST = ("files: [b]all[/b] of them", "network: your code can use it")


OPEN = """process: this code ran with your permissions. These were not protected:
  files: [b]all[/b] of them
  network: your code can use it
Run `normgrade doctor` to see why stronger walls are not available here.
"""


@pytest.mark.parametrize("sandbox, said", [("process", 1), ("linux", 0), ("container", 0)])
def test_open_permissions_of_a_process_are_listed_once(sandbox: str, said: int) -> None:
    text = render_text([replace(FAILED, sandbox=sandbox, lost=LOST), replace(PASSED, sandbox=sandbox, lost=LOST)])
    assert text.count(OPEN) == said and text.count("network") == said


def test_open_permissions_can_be_left_out() -> None:
    assert "network" not in render_text([replace(PASSED, sandbox="process", lost=LOST)], with_losses=False)


@pytest.mark.parametrize("colour", [None, "truecolor"])
def test_a_submission_cannot_steer_the_terminal(colour: Any) -> None:
    console = Console(
        file=io.StringIO(), width=200, color_system=colour, force_terminal=False, markup=True, highlight=True, legacy_windows=False
    )
    show([hostile(), replace(hostile(), sandbox="process"), replace(hostile(), outcome=Outcome.NOT_STARTED)], console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert not set(shown) & set("\x00\x07\x9b\u202e\ud800\ufffe")
    assert "31mX" not in shown and "title" not in shown
    assert "[red]X[/red] [link=a]" in shown


@pytest.mark.parametrize(("columns", "width"), [(None, 80), ("120", 100), ("60", 60), ("wide", 80)])
def test_a_pipe_gets_plain_text_in_columns(columns: str | None, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", columns) if columns else monkeypatch.delenv("COLUMNS", raising=False)
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    long = replace(FAILED, diagnoses=(replace(BIASED, says="word " * 60),))
    show([long], open_console(pipe))
    pipe.flush()
    lines = pipe.buffer.getvalue().decode().splitlines()
    assert width - 6 < max(len(line.rstrip()) for line in lines) <= width


def test_missing_signs_of_an_encoding_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")
    show([FAILED], open_console(pipe), VERBOSE)
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
    assert "✗" in shown and "not passed" in shown


def test_a_terminal_gets_colour() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard", legacy_windows=False, _environ={})
    show([FAILED], console)
    assert "\x1b[1;31m4 of 14 points, not passed" in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [20, 40])
def test_a_narrow_terminal_is_not_exceeded(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, legacy_windows=False)
    show([*EVERY_KIND, hostile()], console)
    assert max(map(len, console.file.getvalue().splitlines())) <= width  # type: ignore[attr-defined]


def test_one_line_includes_a_failed_courtesy() -> None:
    assert "passed; not required to pass: Other ranks are ValueErrors. ·" in render_text([ASKED], QUIET)


# One screen


RAISED = Raised("NameError: name 'tensr' is not defined. Did you mean: 'tensor'?", 9, 9, 5, "    x = tensr(2)", "forward", "Write tensor.")


def drawn(one: Report, width: int) -> list[str]:
    console = Screen(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
    show([one], console)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_the_parts_of_a_report_have_this_order() -> None:
    one = replace(FAILED, diagnoses=(replace(BIASED, spots=(SPOT,)),))
    one = replace(one, checks=tuple(replace(each, call="BatchNorm(3), input (4, 3)", stdout="") for each in one.checks[:4]))
    one = replace(one, outcome=Outcome.FAILED)
    assert render_text([one]) == dedent("""\
        batch_norm.py  4 of 14 points, not passed  (sandbox: linux)

        biased-running-variance  explains the failing claim
          running_var is updated with the biased variance. Multiply by n / (n − 1).
          19 │ var = h.var(dims)
             │         ^^^ pass correction=1

        BatchNorm(3), input (4, 3): step 2 · running_var[2] is 1.001, expected 1.0677 ±
        1.3e-06; 2 of 3 numbers differ
          every value × 15/16

        formula ✓  state ✗
        Next: normgrade explain biased-running-variance --exercise batch_norm
        -v: all claims
        """)


def test_a_pass_is_a_line() -> None:
    assert render_text([PASSED]) == "layer_norm.py  4 of 4 points, passed  (sandbox: linux)\n"


def test_long_message_is_cut_below_the_advice() -> None:
    """PyTorch's own advice would be to keep the graph, which is the mistake."""
    why = "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed)."
    raised = replace(RAISED, said=f"RuntimeError: {why} Specify retain_graph=True if you need it.", advice="Detach the old value.")
    lines = render_text([report(failed(differences=(), message="step 1", raised=raised))]).splitlines()
    assert lines[2:5] == ["Detach the old value.", *wrap(f"RuntimeError: {why} …", 80)]
    endless = replace(RAISED, said="ValueError: " + "one two " * 100)
    text = " ".join(render_text([report(failed(differences=(), message="step 1", raised=endless))]).split())
    assert "one two … 9 │" in text or "two one … 9 │" in text


def test_a_crash_has_line_call_and_advice() -> None:
    crashed = failed(differences=(), message="step 1: NameError", raised=RAISED, call="BatchNorm(3), input (4, 3)")
    skipped = [check(f"test_{number}", Outcome.SKIPPED, claim=f"Claim {number}.") for number in range(30)]
    text = render_text([report(crashed, *skipped)])
    assert text == dedent("""\
        batch_norm.py  0 of 63 points, not passed  (sandbox: linux)

        NameError: name 'tensr' is not defined. Did you mean: 'tensor'?
          9 │ x = tensr(2)
            │     ^^^^^
          Write tensor.
          The call: BatchNorm(3), input (4, 3)

        state ✗  formula ––––––––––––––––––––––––––––––
        30 claims were not checked.
        Next: normgrade repro batch_norm test_statistics · -v: all claims
        """)


def test_a_limit_does_not_replace_the_exception() -> None:
    crashed = failed(differences=(), message="step 1: NameError", raised=RAISED)
    limited = Diagnosis(("some-inputs-only",), "It works for 4.", (crashed.name,), texts=("It works for 4.",))
    lines = render_text([report(crashed, diagnoses=(limited,), limits=("It works for 4.",))]).splitlines()
    assert lines[2].startswith("NameError: ") and lines.index("It works for 4.") > 2
    other = replace(limited, mistakes=("no-eps", "some-inputs-only"), texts=("Add it.", "It works for 4."))
    text = render_text([report(crashed, diagnoses=(other,), limits=("It works for 4.",))])
    assert "NameError" in text and text.count("It works for 4.") == 1 and "2. some-inputs-only: It works for 4." in text


def test_exception_as_a_mistake_has_its_line() -> None:
    crashed = failed(differences=(), message="step 1: NameError", raised=RAISED)
    ends = "NameError on line 9 ends 1 of 1 failing claims."
    text = render_text([report(crashed, diagnoses=(Diagnosis(("crash",), ends, (crashed.name,), texts=(ends,)),))])
    assert "NameError: name 'tensr'" in text and "9 │ x = tensr(2)" in text
    assert "crash  explains the failing claim" in text and ends in text and "not explained" not in text


def test_full_points_and_a_broken_rule_say_so_first() -> None:
    lines = render_text([report(check(), findings=(BANNED,))]).splitlines()
    assert lines[:2] == ["batch_norm.py  2 of 2 points; not passed because of line 12 (banned)", "(sandbox: linux)"]
    assert lines[3] == "✗ 12:16 banned: F.batch_norm is banned: write it by hand"


def test_without_a_diagnosis_a_claim_and_a_hint_lead() -> None:
    unlike = replace(VARIANCE, looks_like=None)
    first = failed("test_first", claim="The first.", differences=(unlike,))
    text = render_text([report(first, failed(hint="Which variance?"))])
    assert f"\n\n✗ {STATISTICS}\nstep 2 · running_var[2] is 1.001" in text
    assert text.index("every value × 15/16") < text.index("Hint: Which variance?") < text.index("state ✗✗")
    assert "The first." not in text


@pytest.mark.parametrize("level", ["claims", "score"])
def test_withheld_information_is_not_shown(level: str) -> None:
    text = render_text([reveal(replace(FAILED, diagnoses=()), level)])  # type: ignore[arg-type]
    assert (f"✗ {STATISTICS}" in text) == (level == "claims")
    assert "1.001" not in text and "15/16" not in text and "-v" not in text.replace("-v: all claims", "" if level == "claims" else "-v")


def test_a_broken_suite_comes_first() -> None:
    text = render_text([replace(FAILED, outcome=Outcome.ERROR, diagnoses=())])
    assert "! Two values are taken.\nthe suite is broken, not your code: KeyError: 'x'" in text
    assert "! The output is normalised.\nthe machine has no memory left" in render_text([BROKEN])


def wrong_in_many_ways(mistakes: int, claims: int, printed: int = 0) -> Report:
    """Return a report with so many mistakes, each with a long text and a line."""
    names = tuple(f"mistake-number-{number}" for number in range(mistakes))
    texts = tuple(f"{name} is wrong in this way. " + "It should be done in another way, which takes long to say. " * 3 for name in names)
    spots = tuple(Spot(name, number + 10, 5, 3, "    var = x", "mend it") for number, name in enumerate(names))
    kinds = [replace(failed(f"test_{number}"), claim=f"Claim {number}.", call="L(3)") for number in range(claims)]
    checks = [replace(each, stdout="printed\n" * printed) for each in kinds]
    diagnosis = Diagnosis(names, "all", tuple(each.name for each in checks[1:]), spots, texts=texts)
    return report(*checks, diagnoses=(diagnosis,), findings=(BANNED,) * 4, stopped_after_s=3.0)


@pytest.mark.parametrize("mistakes", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("printed", [0, 500])
def test_a_wrong_answer_fits_on_one_screen(mistakes: int, printed: int) -> None:
    lines = drawn(wrong_in_many_ways(mistakes, 45, printed), 80)
    assert len(lines) <= HEIGHT
    assert "mistake-number-0" in "\n".join(lines) and lines[-1].endswith("-v: all claims")


def test_only_three_of_many_mistakes_show_their_lines() -> None:
    one = replace(wrong_in_many_ways(5, 3), findings=(), stopped_after_s=None)
    told = tuple(f"Mistake {number}." for number in range(5))
    text = render_text([replace(one, diagnoses=(replace(one.diagnoses[0], texts=told, checks=("test_0", "test_1", "test_2")),))])
    assert text.count("mend it") == 3
    assert "4. mistake-number-3 (line 13): Mistake 3." in text and "5. mistake-number-4 (line 14): Mistake 4." in text
    assert "5 mistakes  explain all 3 failing claims" in text


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_every_line_fits_the_terminal(width: int) -> None:
    lines = drawn(wrong_in_many_ways(3, 45), width)
    assert max(map(len, lines)) <= min(width, 100)
    assert "Next: normgrade" in "\n".join(lines) and "-v: all claims" in lines[-1]


def test_lines_break_between_pieces() -> None:
    console = Screen(file=io.StringIO(), width=12, color_system=None, legacy_windows=False)
    console.print(InARow([Text("one two"), Text("three"), Text("four")], " · "))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == "one two\nthree · four\n"


def test_the_next_step_is_left_out_on_demand() -> None:
    assert "Next" not in render_text([FAILED], replace(USUAL, advice=False))


def test_a_failed_courtesy_is_below_a_passed_verdict() -> None:
    shown = render_text([ASKED]).splitlines()
    assert "passed" in shown[0] and shown[1] == "not required to pass: Other ranks are ValueErrors."
    assert "✗" not in render_text([ASKED])


def test_a_failed_courtesy_is_counted_beside_failures() -> None:
    shown = render_text([replace(FAILED, checks=(*FAILED.checks, ASKED.checks[1]))])
    assert "1 failed claim is not required to pass: –." in shown
