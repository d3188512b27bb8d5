"""The parts of a report on a page: claims by kind, the first failures with a few pictures, and remarks on the lines of the code."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_reports import BANNED, BIASED, FAILED, MISSING, PASSED, SPOT, VARIANCE, check, failed, report

from normgrade.report.render.detail import FULL, Detail
from normgrade.report.render.sections import CHARACTERS, Section, named, raised_at, section
from normgrade.report.report import Kind, Outcome, Raised, Spot
from normgrade.report.reveal import reveal

MANY = report(*(failed(f"test_{number}[{case}]", claim=f"Claim {number}.", differences=(VARIANCE, MISSING, VARIANCE))
                for number in range(5) for case in "ab"))  # fmt: skip


def shown(section: Section) -> list[list[tuple[int, int, int]]]:
    """Return for each case of each claim the numbers of shown differences, of pictures, and of omitted differences."""
    return [
        [(len(case.differences), sum(each.picture is not None for each in case.differences), case.beyond) for case in claim.cases]
        for claim in section.claims
    ]


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        (Detail(claims=5, cases=1, differences=3, maps=2), [[(3, 1, 0)], [(3, 1, 0)], [(3, 0, 0)], [(3, 0, 0)], [(3, 0, 0)]]),
        (Detail(claims=2, cases=2, differences=2, maps=1), [[(2, 1, 1), (2, 0, 1)], [(2, 0, 1), (2, 0, 1)], [], [], []]),
        (Detail(claims=1, cases=1, differences=1), [[(1, 0, 2)], [], [], [], []]),
    ],
)
def test_the_detail_limits_the_shown_parts(detail: Detail, expected: list[list[tuple[int, int, int]]]) -> None:
    assert shown(section(MANY, "r1", detail)) == expected


def test_claims_without_details_are_counted() -> None:
    assert [section(MANY, "r1", Detail(claims=shown, cases=1, differences=1)).untold for shown in (0, 2, 5)] == [5, 3, 0]
    assert section(reveal(MANY, "claims"), "r1", Detail(claims=0, cases=1, differences=1)).untold == 0


def test_surplus_cases_are_named_with_the_last() -> None:
    assert [case.name for case in section(MANY, "r1", FULL).claims[0].cases] == ["test_0[a] · also [b]"]


def test_passing_claims_do_not_count_towards_the_limit() -> None:
    mixed = replace(MANY, checks=(check("test_first", claim="It holds."), *MANY.checks))
    assert shown(section(mixed, "r1", Detail(claims=1, cases=1, differences=1, maps=1)))[:3] == [[], [(1, 1, 2)], []]


def test_only_the_first_failure_without_diagnosis_has_a_hint() -> None:
    assert [claim.with_hint for claim in section(MANY, "r1", FULL).claims] == [True, False, False, False, False]
    assert not any(claim.with_hint for claim in section(replace(MANY, diagnoses=(BIASED,)), "r1", FULL).claims)


def test_claims_are_grouped_by_kind_and_keep_their_order() -> None:
    checks = [failed(f"test_{kind}_{number}", kind=kind, claim=f"{kind} {number}") for number in (1, 2) for kind in (Kind.STATE, Kind.EDGE)]
    kinds = section(report(*checks), "r1", FULL).kinds
    assert [(kind, [claim.key for claim in claims]) for kind, claims in kinds] == [
        (Kind.STATE, ["r1-c1", "r1-c3"]),
        (Kind.EDGE, ["r1-c2", "r1-c4"]),
    ]


def test_passing_claims_are_counted_and_skip_reasons_unique() -> None:
    skipped = [check(f"test_{number}", claim=f"{number}", outcome=Outcome.SKIPPED, message=why) for number, why in enumerate("aab")]
    found = section(report(check("test_holds", claim="It holds."), *skipped), "r1", FULL)
    assert (found.holding, found.why_skipped) == (1, ["a", "b"])


def test_the_name_is_a_diagnosis_or_broken_rules() -> None:
    assert named(replace(FAILED, diagnoses=(BIASED, BIASED), findings=(BANNED,))) == "biased-running-variance"
    assert named(replace(FAILED, diagnoses=(), findings=(BANNED, BANNED))) == "banned"
    assert named(PASSED) == ""
    assert named(replace(FAILED, diagnoses=(replace(BIASED, mistakes=("a", "b", "c", "d")),))) == "a + b + 2 more"


# The learner's code


def test_surplus_lines_of_code_are_counted() -> None:
    found = section(replace(PASSED, source="a\nb\nc\n\n"), "r1", replace(FULL, lines=2))
    assert ([line.text for line in found.lines], found.left_out) == (["a", "b"], 1)


def test_an_endless_line_is_cut() -> None:
    [line] = section(replace(PASSED, source="x" * 10_000), "r1", FULL).lines
    assert line.text == "x" * CHARACTERS + " …"


def test_a_line_has_all_its_remarks() -> None:
    raised = Raised("ValueError: no", line=2, column=0, width=3, text="two")
    checks = failed(claim="One.", lines=(1,), raised=replace(raised, line=1)), failed("test_b", claim="Two.", raised=raised)
    diagnosis = replace(BIASED, spots=(replace(SPOT, line=1), replace(SPOT, line=1)))
    code = report(*checks, source="one\ntwo\nthree", findings=(replace(BANNED, line=2),), diagnoses=(diagnosis,))
    assert [line.remarks for line in section(code, "r1", FULL).lines] == [
        ("biased-running-variance: pass correction=1", "raised an exception: One."),
        ("banned: F.batch_norm is banned: write it by hand", "raised an exception: Two."),
        (),
    ]


def test_a_place_without_a_column_begins_with_its_line() -> None:
    assert raised_at(Raised("ValueError: no", line=2, text="two")) == Spot("", line=2, column=1, width=0, text="two")
