"""What known mistakes lead to is computed once for a seed, and again only where anything that it depends on has changed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from normgrade.compare.deadline import Deadline, OutOfTime
from normgrade.compare.effects import Effects, encode
from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes
from normgrade.oracle.cache import Cache
from normgrade.oracle.expectation import Oracle
from normgrade.suite.collection import collect
from normgrade.suite.grading_options import Options
from normgrade.suite.repertoire import kept, key, repertoire
from normgrade.suite.run import Rehearsal


def test_it_is_computed_once_with_progress_and_then_read(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = tiny.exercise("rms")
    suite, told = collect([exercise])["rms"], list[tuple[str, int, int]]()
    oracle = Oracle(Cache(tmp_path, bytes(32)), None)
    mistakes = read_mistakes(exercise)
    rehearsal = Rehearsal(oracle, exercise, read_text(exercise.reference), 3)
    first = repertoire(suite, rehearsal, mistakes, Options(progress=lambda *what: told.append(what)))
    assert first.mistakes == ("eps-outside-root", "one-for-all-rows", "sum-for-mean", "no-upcast") and len(first.owner)
    assert told == [("rms: what each known mistake leads to, once for seed 3", done, 4) for done in range(5)]

    def computed(*_: object) -> None:
        raise AssertionError("it is computed again")

    monkeypatch.setattr("normgrade.suite.repertoire.effects_of", computed)
    again = repertoire(suite, Rehearsal(Oracle(Cache(tmp_path, bytes(32))), exercise, rehearsal.reference, 3), mistakes, Options())
    assert (again.mistakes, again.exact.tolist()) == (first.mistakes, first.exact.tolist())
    with pytest.raises(AssertionError, match="computed again"):
        repertoire(suite, Rehearsal(oracle, exercise, rehearsal.reference, 4), mistakes, Options())


def test_what_another_process_has_just_computed_is_read(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = tiny.exercise("rms")
    suite, mistakes, reference = collect([exercise])["rms"], read_mistakes(exercise), read_text(exercise.reference)
    mine, theirs = (Rehearsal(Oracle(Cache(tmp_path, bytes(32)), None), exercise, reference) for _ in range(2))

    @contextmanager
    def after_the_other(cache: Cache, name: str, patience_s: float) -> Iterator[None]:
        monkeypatch.undo()
        repertoire(suite, theirs, mistakes, Options())
        monkeypatch.setattr("normgrade.suite.repertoire.computed", None)
        yield

    monkeypatch.setattr(Cache, "alone", after_the_other)
    assert len(repertoire(suite, mine, mistakes, Options()).mistakes) == 4


def test_nothing_is_computed_after_the_deadline_and_nothing_half_is_kept(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("rms")
    suite, mistakes, reference = collect([exercise])["rms"], read_mistakes(exercise), read_text(exercise.reference)
    rehearsal = Rehearsal(Oracle(Cache(tmp_path, bytes(32))), exercise, reference)
    with pytest.raises(OutOfTime):
        repertoire(suite, rehearsal, mistakes, Options(), Deadline.after(-1.0))
    assert kept(rehearsal, mistakes) is None
    assert repertoire(suite, rehearsal, mistakes, Options(), Deadline.after(600.0)).mistakes == tuple(each.name for each in mistakes)


def test_no_longer_than_the_deadline_is_waited_for_what_another_process_computes(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("rms")
    suite, mistakes, reference = collect([exercise])["rms"], read_mistakes(exercise), read_text(exercise.reference)
    rehearsal = Rehearsal(Oracle(Cache(tmp_path, bytes(32))), exercise, reference)
    with rehearsal.oracle.cache.alone(key(rehearsal.oracle, exercise, mistakes, 0)):
        started = time.monotonic()
        with pytest.raises(OutOfTime):
            repertoire(suite, rehearsal, mistakes, Options(), Deadline.after(0.2))
        assert 0.2 <= time.monotonic() - started < 30


def test_over_several_cores_it_is_the_same(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise, told = tiny.exercise("centring"), dict[int, list[tuple[int, int]]]()
    mistakes, reference, suite = read_mistakes(exercise), read_text(exercise.reference), collect([exercise])["centring"]

    def computed(cores: int) -> Effects:
        monkeypatch.setattr("normgrade.suite.repertoire.FEW", 0)
        oracle = Oracle(Cache(tmp_path / str(cores), bytes(32)), None)
        options = Options(cores=cores, progress=lambda what, done, total: told.setdefault(cores, []).append((done, total)))
        return repertoire(suite, Rehearsal(oracle, exercise, reference), mistakes, options)

    alone, shared = computed(1), computed(2)
    assert [*dict.fromkeys(told[1])] == [*dict.fromkeys(told[2])] == [(done, 5) for done in range(6)]
    assert encode(alone) == encode(shared)


def test_what_is_damaged_is_computed_again(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("rms")
    oracle, mistakes = Oracle(Cache(tmp_path, bytes(32)), None), read_mistakes(exercise)
    oracle.cache.put(key(oracle, exercise, mistakes, 0), b"nonsense")
    rehearsal = Rehearsal(oracle, exercise, read_text(exercise.reference))
    assert len(repertoire(collect([exercise])["rms"], rehearsal, mistakes, Options()).mistakes) == 4


def test_its_name_depends_on_everything_that_it_depends_on(tiny: Course, edited_course: object, tmp_path: Path) -> None:
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
        return key(oracle, exercise, read_mistakes(exercise), seed)

    names = [name(course) for course in courses]
    names += [name(tiny, seed=1), name(tiny, oracle=other), name(tiny, "centring")]
    assert len({*names}) == len(names) and name(Course(tiny.root)) == names[0]
