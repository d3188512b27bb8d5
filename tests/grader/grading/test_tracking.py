"""Tests of footprints: they ship, or are computed once for a seed, and again only if something that they depend on changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake, read_mistakes
from normgrade.diagnosis.deadline import Deadline, OutOfTime
from normgrade.diagnosis.effects import Plays
from normgrade.diagnosis.footprints import Footprints, encode
from normgrade.grading.grading_options import Options
from normgrade.grading.reference_run import ReferenceRun
from normgrade.grading.tracking import at_hand, footprints, kept, key, play_here, shipped
from normgrade.oracle.cache import Cache
from normgrade.oracle.oracle import Oracle
from normgrade.suite.collection import collect
from normgrade.suite.suite import Suite

EditedCourse = Callable[..., Course]


def test_footprints_are_computed_once_with_progress(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = tiny.exercise("rms")
    suite, told = collect([exercise])["rms"], list[tuple[str, int, int]]()
    oracle = Oracle(Cache(tmp_path, bytes(32)), None)
    mistakes = read_mistakes(exercise)
    reference_run = ReferenceRun(oracle, exercise, read_text(exercise.reference), 3)
    first = footprints(suite, reference_run, mistakes, Options(progress=lambda *what: told.append(what)))
    assert first.mistakes == ("eps-outside-root", "one-for-all-rows", "sum-for-mean", "no-upcast") and first.marks.any(1).all()
    assert told == [("rms: effects of known mistakes, once for seed 3", done, 4) for done in range(5)]

    def computed(*_: object) -> None:
        raise AssertionError("it is computed again")

    monkeypatch.setattr("normgrade.grading.tracking.effects_of", computed)
    again = footprints(suite, ReferenceRun(Oracle(Cache(tmp_path, bytes(32))), exercise, reference_run.reference, 3), mistakes, Options())
    assert encode(again) == encode(first)
    with pytest.raises(AssertionError, match="computed again"):
        footprints(suite, ReferenceRun(oracle, exercise, reference_run.reference, 4), mistakes, Options())


def test_footprints_of_another_process_are_read(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = tiny.exercise("rms")
    suite, mistakes, reference = collect([exercise])["rms"], read_mistakes(exercise), read_text(exercise.reference)
    mine, theirs = (ReferenceRun(Oracle(Cache(tmp_path, bytes(32)), None), exercise, reference) for _ in range(2))

    @contextmanager
    def after_the_other(cache: Cache, name: str, patience_s: float) -> Iterator[None]:
        monkeypatch.undo()
        footprints(suite, theirs, mistakes, Options())
        monkeypatch.setattr("normgrade.grading.tracking.play_all", None)
        yield

    monkeypatch.setattr(Cache, "alone", after_the_other)
    assert len(footprints(suite, mine, mistakes, Options()).mistakes) == 4


def test_after_the_deadline_nothing_is_computed_or_kept(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("rms")
    suite, mistakes, reference = collect([exercise])["rms"], read_mistakes(exercise), read_text(exercise.reference)
    reference_run = ReferenceRun(Oracle(Cache(tmp_path, bytes(32))), exercise, reference)
    with pytest.raises(OutOfTime):
        footprints(suite, reference_run, mistakes, Options(), Deadline.after(-1.0))
    assert kept(reference_run, mistakes) is None
    assert footprints(suite, reference_run, mistakes, Options(), Deadline.after(600.0)).mistakes == tuple(each.name for each in mistakes)


def test_waiting_for_another_process_ends_at_the_deadline(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("rms")
    suite, mistakes, reference = collect([exercise])["rms"], read_mistakes(exercise), read_text(exercise.reference)
    reference_run = ReferenceRun(Oracle(Cache(tmp_path, bytes(32))), exercise, reference)
    with reference_run.oracle.cache.alone(key(reference_run, mistakes)):
        started = time.monotonic()
        with pytest.raises(OutOfTime):
            footprints(suite, reference_run, mistakes, Options(), Deadline.after(0.2))
        assert 0.2 <= time.monotonic() - started < 30


def test_several_cores_give_the_same_footprints(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise, told = tiny.exercise("centring"), dict[int, list[tuple[int, int]]]()
    mistakes, reference, suite = read_mistakes(exercise), read_text(exercise.reference), collect([exercise])["centring"]

    def computed(cores: int) -> Footprints:
        monkeypatch.setattr("normgrade.grading.tracking.FEW", 0)
        oracle = Oracle(Cache(tmp_path / str(cores), bytes(32)), None)
        options = Options(cores=cores, progress=lambda what, done, total: told.setdefault(cores, []).append((done, total)))
        return footprints(suite, ReferenceRun(oracle, exercise, reference), mistakes, options)

    alone, shared = computed(1), computed(2)
    assert [*dict.fromkeys(told[1])] == [*dict.fromkeys(told[2])] == [(done, 5) for done in range(6)]
    assert encode(alone) == encode(shared)


def test_damaged_footprints_are_computed_again(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("rms")
    oracle, mistakes = Oracle(Cache(tmp_path, bytes(32)), None), read_mistakes(exercise)
    reference_run = ReferenceRun(oracle, exercise, read_text(exercise.reference))
    oracle.cache.put(key(reference_run, mistakes), b"nonsense")
    assert len(footprints(collect([exercise])["rms"], reference_run, mistakes, Options()).mistakes) == 4


def test_key_depends_on_every_input(tiny: Course, edited_course: object, tmp_path: Path) -> None:
    assert callable(edited_course)
    edits = {
        "solutions/rms/mistakes.toml": [("torch.sqrt(mean_square) + eps", "torch.sqrt(mean_square) + 2 * eps")],
        "solutions/rms/reference.py": [("import torch\n", "import torch  # here\n")],
        "tests/hidden/test_rms.py": [("randn(2, 3)", "randn(2, 4)")],
        "exercises/rms/exercise.toml": [("title", "# edited\ntitle")],
    }
    courses = [tiny, *(edited_course({path: edit}) for path, edit in edits.items())]
    oracle, other = (Oracle(Cache(tmp_path, bytes(32)), probes) for probes in (None, "probes"))

    def name(course: Course, slug: str = "rms", oracle: Oracle = oracle, seed: int = 0) -> str:
        exercise = course.exercise(slug)
        return key(ReferenceRun(oracle, exercise, read_text(exercise.reference), seed), read_mistakes(exercise))

    names = [name(course) for course in courses]
    names += [name(tiny, seed=1), name(tiny, oracle=other), name(tiny, "centring")]
    assert len({*names}) == len(names) and name(Course(tiny.root)) == names[0]


# Shipped footprints


def reference_test(course: Course, folder: Path) -> tuple[Suite, ReferenceRun]:
    exercise = course.exercise("rms")
    oracle = Oracle.of(exercise, Cache(folder, bytes(32)))
    return collect([exercise])["rms"], ReferenceRun(oracle, exercise, read_text(exercise.reference))


def with_footprints(course: Course, folder: Path) -> Course:
    """Return the course after writing the footprints that ship with its exercise."""
    suite, reference_run = reference_test(course, folder / "shipped")
    found = footprints(suite, reference_run, read_mistakes(reference_run.exercise), Options())
    reference_run.exercise.footprints.write_bytes(encode(found))
    return course


def played(course: Course, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Compute the footprints of all mistakes. Return the names of the mistakes played for that."""
    suite, reference_run = reference_test(course, folder)
    names, mistakes = list[str](), read_mistakes(reference_run.exercise)

    def here(what: str, plays: Plays, reference: str, mistakes: Sequence[Mistake], *rest: Any) -> Footprints:
        names.extend(mistake.name for mistake in mistakes)
        return play_here(what, plays, reference, mistakes, *rest)

    monkeypatch.setattr("normgrade.grading.tracking.play_here", here)
    assert footprints(suite, reference_run, mistakes, Options()).mistakes == tuple(mistake.name for mistake in mistakes)
    return names


def test_shipped_footprints_are_used_unchanged(edited_course: EditedCourse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = with_footprints(edited_course({}), tmp_path)
    suite, reference_run = reference_test(course, tmp_path / "mine")
    assert at_hand(suite, reference_run, read_mistakes(reference_run.exercise)) is not None
    assert played(course, tmp_path / "mine", monkeypatch) == []


def test_only_changed_mistakes_are_played_again(edited_course: EditedCourse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = with_footprints(edited_course({}), tmp_path)
    mistakes = course.exercise("rms").mistakes
    mistakes.write_text(mistakes.read_text().replace("torch.sqrt(mean_square) + eps", "torch.sqrt(mean_square) + 2 * eps"))
    suite, reference_run = reference_test(course, tmp_path / "mine")
    assert at_hand(suite, reference_run, read_mistakes(reference_run.exercise)) is None
    assert played(course, tmp_path / "mine", monkeypatch) == ["eps-outside-root"]


@pytest.mark.parametrize(
    ("path", "was", "now"),
    [
        ("solutions/rms/reference.py", "import torch\n", "import torch  # here\n"),
        ("tests/hidden/test_rms.py", "randn(2, 3)", "randn(2, 4)"),
    ],
)
def test_footprints_of_other_reference_or_plays_are_stale(
    path: str, was: str, now: str, edited_course: EditedCourse, tmp_path: Path
) -> None:
    course, other = with_footprints(edited_course({}), tmp_path), edited_course({path: [(was, now)]})
    other.exercise("rms").footprints.write_bytes(course.exercise("rms").footprints.read_bytes())
    assert shipped(*reference_test(course, tmp_path)) is not None
    assert shipped(*reference_test(other, tmp_path)) is None


def test_damaged_file_counts_as_missing(edited_course: EditedCourse, tmp_path: Path) -> None:
    course = edited_course({})
    course.exercise("rms").footprints.write_bytes(b"nonsense")
    assert shipped(*reference_test(course, tmp_path)) is None
