"""The detail of a report: as usual, with -v, and with -q."""

from __future__ import annotations

from dataclasses import replace

from sample_reports import BANNED, FAILED, MISSING, PASSED, VARIANCE, check, failed, report

from normgrade.report.render.detail import QUIET, USUAL, VERBOSE
from normgrade.report.render.html import render_html
from normgrade.report.render.junit import render_junit
from normgrade.report.render.terminal import render_text
from normgrade.report.report import Outcome

MANY = report(*(failed(f"test_{number}[{case}]", claim=f"Claim {number}.") for number in range(5) for case in "ab"), seed=7)


def test_three_failing_claims_are_told_in_full() -> None:
    three = replace(VERBOSE, claims=3, cases=1)
    text = render_text([MANY], three)
    assert [text.count(f"✗ Claim {number}.") for number in range(5)] == [1, 1, 1, 0, 0]
    assert "\n  test_0[a] · also [b]\n" in text
    assert "2 more claims do not hold; use -v to see them\n" in text
    assert "1 more claim does not hold; use -v to see it\n" in render_text([replace(MANY, checks=MANY.checks[:8])], three)
    assert "more claim" not in render_text([replace(MANY, checks=MANY.checks[:6])], three)


def test_verbose_tells_every_case_and_place() -> None:
    many = replace(MANY, checks=tuple(replace(each, differences=(VARIANCE, VARIANCE, MISSING)) for each in MANY.checks))
    text = render_text([many], VERBOSE)
    assert [text.count(f"✗ Claim {number}.") for number in range(5)] == [2] * 5
    assert " · also " not in text and "more claim" not in text and "more place" not in text
    assert text.count("step 1 · weight.grad") == 10
    assert "seed 7 · 0.41 s\n" in text


def test_an_unusual_seed_is_told_at_every_detail() -> None:
    told, usual = "Seed 7: use `--seed 7` to draw the same inputs again.\n", report(failed())
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
        "✗ batch_norm · batch_norm.py · 2 of 2 points · not passed because of line 12 (banned) · banned · sandbox: linux",
    ]
