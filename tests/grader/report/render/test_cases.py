"""Tests of the words about the checks of a claim, with the diagnosis in full or in short."""

from __future__ import annotations

from dataclasses import replace

from sample_reports import BIASED, FAILED, SPOT, VARIANCE, check, failed, report

from normgrade.report.render.cases import case_of, details_of, in_short
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
