"""The whole report on a terminal, with -v."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

from sample_reports import (
    ASKED,
    BIASED,
    FAILED,
    FOUND,
    SPOT,
    VARIANCE,
    check,
    differing,
    failed,
    report,
)

from normgrade.report.render import VERBOSE
from normgrade.report.render.html import render_html
from normgrade.report.render.terminal import render_text
from normgrade.report.report import Diagnosis, Finding, Kind, Outcome, Rule


def test_a_failed_report_shows_claims_numbers_mistake_and_score() -> None:
    assert render_text([FAILED], VERBOSE) == dedent("""\
        batch_norm · batch_norm.py · sandbox: linux
        4 of 14 points · not passed
        ╭─ Diagnosis ──────────────────────────────────────────────────────────────────╮
        │ biased-running-variance  explains the failing claim                          │
        │   running_var is updated with the biased variance. Multiply by n / (n − 1).  │
        ╰──────────────────────────────────────────────────────────────────────────────╯

        ✗ The running statistics follow the batches, with the unbiased variance.
          test_statistics[wide]
          step 2 · running_var · float32 · (3,)
            2 of 3 numbers differ, worst at [2]: off by 0.067 (relative 6.2 %), allowed
            1.3e-06
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

        ✗ The running statistics follow the batches, with the unbiased variance.
          test_statistics[deep]
          step 2 · running_var · float32 · (3,)
            2 of 3 numbers differ, worst at [2]: off by 0.067 (relative 6.2 %), allowed
            1.3e-06
               at   expected    got  off by  allowed
            ✗  [0]      0.96    0.9    0.06  1.3e-06
               [1]       1.5    1.5       0  1.3e-06
            ▶  [2]    1.0677  1.001   0.067  1.3e-06
            looks like: every value × 15/16

        ! Two values are taken.
          test_twice
          the suite is broken, not your code: KeyError: 'x'


          outcome     claim                                           kind      points
         ──────────────────────────────────────────────────────────────────────────────
          ✓ passed    The output is normalised. (2 of 2 hold)         formula      4/4
          ✗ failed    The running statistics follow the batches,      state        0/6
                      with the unbiased variance. (0 of 2 hold)
          – skipped   One value is refused.                           edge         0/2
                      it depends on an interface check that failed
          ! error     Two values are taken.                           edge         0/2

        seed 0 · 0.41 s
        Next: normgrade explain biased-running-variance --exercise batch_norm
        """)


def test_only_the_first_failure_without_diagnosis_has_a_hint() -> None:
    two = report(*(failed(f"test_{name}", claim=f"Claim {name}.", message="No.", hint=f"Look at {name}.") for name in "ab"))
    for render_it in (render_text, render_html):
        assert "Look at a." in render_it([two]) and "Look at b." not in render_it([two])
        assert "Look at" not in render_it([replace(two, diagnoses=(BIASED,))])


def test_a_finding_has_its_place_and_its_caret() -> None:
    assert render_text([FOUND], VERBOSE) == dedent("""\
        batch_norm · batch_norm.py · sandbox: linux
        0 of 20 points · not passed
        ✗ 12:16 banned: F.batch_norm is banned: write it by hand
                return F.batch_norm(x)
                       ^^^^^^^^^^^^^^^

        seed 0 · 0.41 s
        Next: normgrade show batch_norm
        """)


def test_a_finding_on_the_whole_file_has_no_place() -> None:
    assert "\n✗ file: larger than 64 KiB\n" in render_text([report(findings=(Finding(0, 0, Rule.FILE, "larger than 64 KiB"),))], VERBOSE)


def test_a_failure_hides_no_error_of_the_same_claim() -> None:
    checks = failed("test_a[0]", message="too large"), failed("test_a[1]", outcome=Outcome.ERROR, message="no memory")
    text = render_text([report(*checks)], VERBOSE)
    assert "test_a[0]\n  too large\n" in text
    assert "test_a[1]\n  no memory\n" in text


def test_mistakes_together_and_alternatives_read_differently() -> None:
    pair = Diagnosis(("one-pass-variance", "no-upcast"), "Both.", ())
    both = report(diagnoses=(pair, BIASED))
    assert "│ one-pass-variance + no-upcast " in (text := render_text([both], VERBOSE))
    assert [line.strip("│ ") for line in text.splitlines() if line.startswith("│")][2:] == ["or biased-running-variance"]


def test_a_diagnosis_shows_line_caret_and_remedy() -> None:
    text = render_text([report(diagnoses=(replace(BIASED, spots=(SPOT,)),))], VERBOSE)
    shown = [line.strip("│").strip() for line in text.splitlines() if line.startswith("│")]
    at = shown.index("19 │ var = h.var(dims)")
    assert shown[at + 1] == "│         ^^^ pass correction=1"
    assert "^" not in render_text([report(diagnoses=(BIASED,))], VERBOSE)


def test_a_partial_diagnosis_tells_its_reach() -> None:
    checks = tuple(
        replace(FAILED.checks[0], name=f"test_{letter}", claim=f"Claim {letter}.", outcome=Outcome.FAILED) for letter in "abcdef"
    )
    alike = replace(checks[5], differences=(replace(VARIANCE, looks_like="every value × 3"),))
    diagnosis = Diagnosis(("m",), "Says.", ("test_a", "test_b"))
    text = render_text([replace(FAILED, checks=(*checks[:3], alike), diagnoses=(diagnosis,))], VERBOSE)
    lines = [line.strip("│ ") for line in text.splitlines() if line.startswith("│")]
    told = ["m  explains 2 of 4 failing claims", "Says."]
    assert lines == [*told, "not explained: Claim c", "not explained: Claim f: every value × 3"]
    many = render_text([replace(FAILED, checks=checks, diagnoses=(replace(diagnosis, checks=("test_a",)),))], VERBOSE)
    assert all(f"│ not explained: Claim {letter} " in many for letter in "bcdef")


def test_the_number_of_omitted_numbers_is_told() -> None:
    assert "    ▶  [0]         0    1       1      0.1\n" in (
        text := render_text([report(failed(differences=(differing([0.0] * 20, [1.0] * 20, 0.1),)))], VERBOSE)
    )
    assert "    and 17 more\n" in text


def test_printed_text_ends_after_twenty_lines() -> None:
    text = render_text([report(failed(stdout="\n".join(f"line {number}" for number in range(1, 51))))], VERBOSE)
    assert "    line 20\n    … and 30 more lines\n" in text


def test_one_endless_line_is_cut() -> None:
    assert len(render_text([report(failed(message="x" * 100_000))], VERBOSE)) < 8_000


def test_text_for_pasting_is_not_wrapped() -> None:
    change = f'change = ["{"x" * 90}", "y"]'
    message = f"line 9 survives.\nAccept it:\n\n    [[mutant]]\n    {change}\n\n    [[mutant]]\n" + "More.\n" * 30
    proof = check("mutants", Outcome.FAILED, kind=Kind.PROOF, claim="All are killed.", message=message)
    text = render_text([replace(FAILED, checks=(proof,), diagnoses=())])
    assert f"  Accept it:\n\n      [[mutant]]\n      {change}\n\n      [[mutant]]\n" in text
    assert "and 17 more lines" in text and "more line" not in render_text([replace(FAILED, checks=(proof,), diagnoses=())], VERBOSE)


def test_a_failed_courtesy_is_no_failure() -> None:
    shown = render_text([ASKED], VERBOSE)
    assert "– not required" in shown and "not required to pass: Other ranks are ValueErrors." in shown and "✗" not in shown
