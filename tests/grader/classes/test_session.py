"""Tests of one run over a class: what is to be graded, and what is kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sample_reports as reports
from kept_results import ORIGIN

from normgrade.classes.executors import Graded, Work
from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import HandIn, Origin
from normgrade.classes.session import Plan, Tally, grade_class, plan
from normgrade.report.render.json import report_as_json

ANNA, BOB = (HandIn(name, "rms", f"hw/{name}/rms.py", name.encode(), id=name[0]) for name in ("Anna", "Bob"))
ORIGINS = {"rms": ORIGIN}


@pytest.fixture
def gradebook(tmp_path: Path) -> Iterator[Gradebook]:
    with Gradebook.open(tmp_path / "gradebook.db", make=True) as opened:
        yield opened


def failing(works: Iterable[Work]) -> Iterator[Graded]:
    """Grade every work as failed; the sources that say so break the grader."""
    for work in works:
        broken = b"broken" in work.content
        yield Graded(work, "" if broken else json.dumps(report_as_json(reports.FAILED)), "no memory" if broken else "")


def planned(gradebook: Gradebook, *hand_ins: HandIn, origin: Origin = ORIGIN, again: bool = False) -> Plan:
    return plan(hand_ins, gradebook, {"rms": origin}, again)


def graded(gradebook: Gradebook, *hand_ins: HandIn) -> None:
    assert len([*grade_class(planned(gradebook, *hand_ins), gradebook, failing)]) >= 1


def test_new_hand_ins_are_graded(gradebook: Gradebook) -> None:
    assert planned(gradebook, BOB, ANNA).new == (ANNA, BOB)


def test_kept_hand_ins_are_not_graded(gradebook: Gradebook) -> None:
    graded(gradebook, ANNA)
    found = planned(gradebook, ANNA, BOB)
    assert (found.new, found.kept, found.older) == ((BOB,), (ANNA,), ())


def test_changed_file_is_graded(gradebook: Gradebook) -> None:
    graded(gradebook, ANNA)
    changed = replace(ANNA, content=b"other")
    assert planned(gradebook, changed).new == (changed,)


@pytest.mark.parametrize("change", [{"course": "other"}, {"seed": 3}])
def test_changed_course_or_seed_is_graded(change: dict[str, object], gradebook: Gradebook) -> None:
    graded(gradebook, ANNA)
    assert planned(gradebook, ANNA, origin=replace(ORIGIN, **change)).new == (ANNA,)  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [{"program": "other"}, {"versions": {"torch": "9"}}])
def test_other_versions_are_only_told(change: dict[str, object], gradebook: Gradebook) -> None:
    graded(gradebook, ANNA)
    found = planned(gradebook, ANNA, origin=replace(ORIGIN, **change))  # type: ignore[arg-type]
    assert (found.new, found.older) == ((), (ANNA,))


def test_again_grades_all(gradebook: Gradebook) -> None:
    graded(gradebook, ANNA)
    assert planned(gradebook, ANNA, again=True).new == (ANNA,)


def test_equal_files_are_graded_once(gradebook: Gradebook) -> None:
    partner = replace(BOB, content=ANNA.content)
    [(each, results)] = grade_class(planned(gradebook, ANNA, partner), gradebook, failing)
    assert [result.student for result in results] == ["Anna", "Bob"]
    assert [json.loads(result.text)["submission"] for result in results] == ["hw/Anna/rms.py", "hw/Bob/rms.py"]
    assert each.work.name == "hw/Anna/rms.py"


def test_results_are_kept_before_they_are_told(gradebook: Gradebook) -> None:
    run = grade_class(planned(gradebook, ANNA, BOB), gradebook, failing)
    next(run)
    assert [result.student for result in gradebook.results()] == ["Anna"]


def test_broken_grading_is_not_kept(gradebook: Gradebook) -> None:
    broken = replace(BOB, content=b"broken")
    tally = Tally(2)
    for each, results in grade_class(planned(gradebook, ANNA, broken), gradebook, failing):
        tally.count(each, results)
    assert [result.student for result in gradebook.results()] == ["Anna"]
    assert ([each.error for each in tally.errors], tally.done) == (["no memory"], 1)
    assert tally.in_words().startswith("1 of 2 graded, ") and tally.in_words().endswith(" per second, 4 of 14 points")
