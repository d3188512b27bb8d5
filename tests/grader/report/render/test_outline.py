"""Tests of the outline of a report: its parts, and how much of it is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_reports import BANNED, BIASED, FAILED, FOUND, NOT_STARTED, SPOT, failed, report

from normgrade.report.render.outline import QUIET, WHOLE, Fault, Heading, Mistake, Room, Said, crash_in, outline
from normgrade.report.report import Diagnosis, Raised, Report, Spot

LOCATED = replace(FAILED, diagnoses=(replace(BIASED, spots=(SPOT,)),))


def several(count: int) -> Report:
    """Return a report with so many mistakes, each at two places."""
    names = tuple(f"mistake-{number}" for number in range(1, count + 1))
    spots = tuple(Spot(name, line, 1, 1, "x") for line, name in enumerate(names, 1) for _twice in "ab")
    return report(failed(), diagnoses=(Diagnosis(names, "all", ("test_statistics[wide]",), spots, texts=names),))


def test_a_mistake_alone_has_no_number() -> None:
    says = "running_var is updated with the biased variance. Multiply by n / (n − 1)."
    name = BIASED.mistakes[0]
    assert outline(LOCATED).diagnosis == (Heading(name, "explains the failing claim"), Mistake(0, name, says, (SPOT,)))
    short = outline(LOCATED, Room(spots=0)).diagnosis[1]
    assert short == Mistake(0, name, says.partition(" Multiply")[0], (), line=19)


@pytest.mark.parametrize(("room", "lines"), [(WHOLE, [2, 2, 2]), (Room(), [1, 1, 1]), (Room(spots=2), [1, 1, 0])])
def test_several_mistakes_share_the_room(room: Room, lines: list[int]) -> None:
    _heading, *mistakes = outline(several(3), room).diagnosis
    assert [len(each.spots) for each in mistakes if isinstance(each, Mistake)] == lines
    assert [each.line for each in mistakes if isinstance(each, Mistake)] == [0 if count else 3 for count in lines]


def test_mistakes_beyond_the_room_are_named_or_counted() -> None:
    assert outline(several(4), Room(mistakes=1, names=2)).diagnosis[2:] == (Said("and mistake-2 (line 2), mistake-3 (line 3), 1 more"),)


def test_findings_beyond_the_room_are_counted() -> None:
    fault = Fault("banned", 12, 16, "F.batch_norm is banned: write it by hand", "    return F.batch_norm(x)\n           ^^^^^^^^^^^^^^^")
    assert outline(replace(FOUND, findings=(BANNED,) * 3), Room(findings=1)).findings == (
        fault,
        Said("and 2 more findings", QUIET),
    )


def test_a_stub_is_told_first() -> None:
    [said] = outline(NOT_STARTED).said
    assert isinstance(said, Said) and said.text.startswith("rms_norm is not started.")


def test_a_long_message_is_cut() -> None:
    assert crash_in(Raised("ValueError: no")).is_cut is False
    assert crash_in(Raised("ValueError: one. " + "two " * 50)).said == "ValueError: one. …"
