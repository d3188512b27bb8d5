"""The cases of one claim, taken together."""

from __future__ import annotations

from dataclasses import replace

from sample_reports import check, failed, report

from normgrade.report.render.detail import VERBOSE
from normgrade.report.render.terminal import render_text


def test_beyond_six_cases_only_their_number_is_told() -> None:
    one_case = replace(VERBOSE, cases=1)
    text = render_text([report(*(failed(f"test_a[{case}]") for case in range(9)))], one_case)
    assert "  test_a[0] · also [1], [2], [3], [4], [5], [6], 2 more\n" in text
    assert text.count("step 2 · running_var") == 1


def test_without_a_claim_the_test_name_is_shown() -> None:
    assert "✓ passed   test_output (2 of 2 hold)" in render_text(
        [report(check("test_output[0]", claim=""), check("test_output[1]", claim=""))], VERBOSE
    )
