"""What known mistakes lead to is computed once for a seed, and again only where anything that it depends on has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.oracle.cache import Cache
from normgrade.oracle.expectation import Oracle
from normgrade.suite.collection import collect
from normgrade.suite.grading_options import silent
from normgrade.suite.repertoire import key, repertoire
from normgrade.suite.run import Rehearsal


def test_it_is_computed_once_with_progress_and_then_read(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = tiny.exercise("rms")
    suite, told = collect([exercise])["rms"], list[tuple[str, int, int]]()
    oracle = Oracle(Cache(tmp_path, bytes(32)), None)
    first = repertoire(
        suite, Rehearsal(oracle, exercise, read_text(exercise.reference), 3), lambda what, done, total: told.append((what, done, total))
    )
    assert first.mistakes == ("eps-outside-root", "one-for-all-rows", "sum-for-mean", "no-upcast") and len(first.owner)
    assert told[0] == ("rms: what each known mistake leads to, once for seed 3", 0, 4) and told[-1][1:] == (3, 4)

    def computed(*_: object) -> None:
        raise AssertionError("it is computed again")

    monkeypatch.setattr("normgrade.suite.repertoire.effects_of", computed)
    again = repertoire(suite, Rehearsal(Oracle(Cache(tmp_path, bytes(32))), exercise, read_text(exercise.reference), 3), silent)
    assert (again.mistakes, again.exact.tolist()) == (first.mistakes, first.exact.tolist())
    with pytest.raises(AssertionError, match="computed again"):
        repertoire(suite, Rehearsal(oracle, exercise, read_text(exercise.reference), 4), silent)


def test_what_is_damaged_is_computed_again(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("rms")
    oracle = Oracle(Cache(tmp_path, bytes(32)), None)
    oracle.cache.put(key(oracle, exercise, 0), b"nonsense")
    assert len(repertoire(collect([exercise])["rms"], Rehearsal(oracle, exercise, read_text(exercise.reference)), silent).mistakes) == 4


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
    names = [key(oracle, course.exercise("rms"), 0) for course in courses]
    names += [key(oracle, tiny.exercise("rms"), 1), key(other, tiny.exercise("rms"), 0), key(oracle, tiny.exercise("centring"), 0)]
    assert len({*names}) == len(names) and key(oracle, Course(tiny.root).exercise("rms"), 0) == names[0]
