"""Tests of the gradebook: its results, the marks that count, its writers, and its content after a fault."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sample_reports as reports
from kept_results import result

from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import Override
from normgrade.language.errors import UsageError
from normgrade.report.render.json import report_as_json
from normgrade.report.report import Outcome

LOST = "Make room or give the rights, and run the command again: nothing that was kept is lost."


def override(points: float | None = 9, was: float | None = 3) -> Override:
    return Override("Anna", "batch_norm", points, was, "Ms Li", "oral exam", datetime(2026, 11, 28, tzinfo=UTC))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gradebook.db"


@pytest.fixture
def gradebook(path: Path) -> Iterator[Gradebook]:
    with Gradebook.open(path, make=True) as opened:
        yield opened


def test_result_comes_back_as_it_was_kept(gradebook: Gradebook) -> None:
    kept = result("李 'O", content=b"\xff\x00", late=True)
    gradebook.keep([kept])
    assert [*gradebook.results()] == [replace(kept, at=kept.at.replace(microsecond=kept.at.microsecond // 1000 * 1000))]


def test_only_the_marks_of_one_student_have_their_reports(gradebook: Gradebook) -> None:
    whole = result("Anna")
    gradebook.keep([whole, result("Bob")])
    found = [marks["Anna", whole.exercise].result for marks in (gradebook.marks("Anna"), gradebook.marks())]
    assert [(each.source, each.report, each.earned) for each in found if each] == [
        (whole.source, whole.report, whole.earned),
        (b"", b"", whole.earned),
    ]


def test_report_comes_back_from_the_gradebook(gradebook: Gradebook) -> None:
    gradebook.keep([result()])
    [found] = gradebook.results()
    assert report_as_json(found.as_report) == report_as_json(reports.FAILED) | {"submission": "class/Anna/batch_norm.py"}
    assert found.as_report.source == "x = 1\n"


def test_latest_attempt_counts(gradebook: Gradebook) -> None:
    gradebook.keep([result(earned=8), result(earned=5, content=b"second")])
    assert [each.attempt for each in gradebook.results()] == [1, 2]
    assert gradebook.marks()["Anna", "batch_norm"].points == 5


def test_older_file_again_is_a_further_attempt(gradebook: Gradebook) -> None:
    for content in (b"a", b"b", b"a"):
        gradebook.keep([result(content=content)])
    assert [each.attempt for each in gradebook.results()] == [1, 2, 3]


def test_regrade_stays_the_same_attempt(gradebook: Gradebook) -> None:
    gradebook.keep([result(earned=8)])
    gradebook.keep([result(earned=5)])
    assert [each.attempt for each in gradebook.results()] == [1, 1]
    assert gradebook.marks()["Anna", "batch_norm"].points == 5


def test_number_of_the_attempt_is_kept(gradebook: Gradebook) -> None:
    gradebook.keep([result(attempt=3)])
    gradebook.keep([result(content=b"b", attempt=5)])
    assert [each.attempt for each in gradebook.results()] == [3, 5]


def test_override_survives_a_regrade(gradebook: Gradebook) -> None:
    gradebook.keep([result(earned=3)])
    gradebook.override(override())
    gradebook.keep([result(earned=7)])
    mark = gradebook.marks()["Anna", "batch_norm"]
    assert (mark.points, mark.override, mark.result and mark.result.earned) == (9, override(), 7)


def test_override_ends_with_one_without_points(gradebook: Gradebook) -> None:
    gradebook.keep([result(earned=3)])
    gradebook.override(override())
    gradebook.override(override(points=None, was=9))
    assert gradebook.marks()["Anna", "batch_norm"].points == 3
    assert len(gradebook.overrides()) == 2


def test_override_counts_without_a_result(gradebook: Gradebook) -> None:
    gradebook.override(override(was=None))
    assert gradebook.marks()["Anna", "batch_norm"].points == 9


def test_former_points_are_those_before_the_last_regrade(gradebook: Gradebook) -> None:
    for anna, cem in ((1, result("Cem", earned=3)), (3, result("Cem", earned=5, content=b"new file"))):
        gradebook.keep([result("Anna", earned=anna), cem])
    gradebook.keep([result("Anna", earned=7)])
    results = [mark.result for mark in gradebook.marks().values()]
    assert [gradebook.former_points(each) for each in results if each] == [3, 5]


def test_students_keep_their_ids(gradebook: Gradebook) -> None:
    gradebook.enrol({"Anna": "7", "bob": ""})
    gradebook.enrol({"Anna": "", "bob": "8", "Cem": ""})
    assert gradebook.students() == {"Anna": "7", "bob": "8", "Cem": ""}


def test_forgotten_student_leaves_no_byte(gradebook: Gradebook, path: Path) -> None:
    for number in range(20):
        gradebook.keep([result("Zoltan", content=b"secret_of_zoltan %d" % number), result("Anna")])
    gradebook.enrol({"Zoltan": "4711"})
    gradebook.override(replace(override(), student="Zoltan"))
    assert gradebook.forget("Zoltan") == 20
    assert gradebook.forget("Zoltan") == 0
    files = [each.read_bytes() for each in path.parent.iterdir()]
    assert not any(trace in content for content in files for trace in (b"Zoltan", b"secret_of_zoltan", b"4711"))
    assert len([*gradebook.results("Anna")]) == 20


# Faults


def test_missing_gradebook_is_not_made_by_reading(path: Path) -> None:
    with pytest.raises(UsageError) as error, Gradebook.open(path):
        pass
    assert str(error.value) == f'There is no gradebook "{path}". `normgrade grade PATH` makes one; --gradebook FILE names another.'
    assert not path.exists()


@pytest.mark.parametrize("content", [b"student,points\n" * 100, b"\x00" * 5000])
def test_other_file_is_refused_and_kept(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(UsageError) as error, Gradebook.open(path, make=True):
        pass
    assert str(error.value) == f'"{path}" is not a gradebook of normgrade. Use --gradebook FILE to choose another file.'
    assert path.read_bytes() == content


def test_database_of_another_program_is_refused(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE results (number)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(UsageError, match="is not a gradebook of normgrade"), Gradebook.open(path, make=True):
        pass
    assert path.read_bytes() == before


def test_newer_gradebook_is_refused(gradebook: Gradebook, path: Path) -> None:
    gradebook.database.execute("PRAGMA user_version = 3")
    with pytest.raises(UsageError) as error, Gradebook.open(path):
        pass
    assert str(error.value) == f'"{path}" was written by a newer normgrade (version 3). Update normgrade, or move the file away.'


def test_folder_is_no_gradebook(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error, Gradebook.open(tmp_path, make=True):
        pass
    assert str(error.value) == f'The gradebook "{tmp_path}" cannot be read or written (Is a directory). {LOST}'


def test_read_only_gradebook_can_be_read_only(gradebook: Gradebook, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gradebook.keep([result()])
    gradebook.database.close()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with Gradebook.open(path) as read:
        assert len([*read.results()]) == 1
    with pytest.raises(UsageError) as error, Gradebook.open(path, make=True):
        pass
    assert str(error.value) == f'The gradebook "{path}" cannot be read or written (attempt to write a readonly database). {LOST}'


def test_outcomes_are_words_of_the_report(gradebook: Gradebook) -> None:
    gradebook.keep([result()])
    assert next(gradebook.results()).outcome is Outcome.FAILED
