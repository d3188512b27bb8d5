"""Patterns of a layout of one's own."""

from __future__ import annotations

import time

import pytest

from normgrade.classes.reading.patterns import Found, pattern_of
from normgrade.language.errors import UsageError


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("{student}/*/{exercise}.py", "class/anna/hw/layer_norm.py", Found("anna", "layer_norm", "class/")),
        ("{student}/*/{exercise}.py", "anna/hw/layer_norm.py", Found("anna", "layer_norm", "")),
        ("{student}/**/{file}", "class/anna/a/b/x.py", Found("anna", "a/b/x.py", "class/")),
        ("{student}/**/{file}", "class/anna/x.py", Found("anna", "x.py", "class/")),
        ("hw3/{student}/**/{file}", "class/all/hw3/anna/x.py", Found("anna", "x.py", "class/all/")),
        ("{student}_{id}/**/{exercise}/*.py", "class/anna_li_7/layer_norm/x.py", Found("anna", "layer_norm", "class/", "li_7")),
        ("{exercise}/{student}.py", "class/layer_norm/anna.py", Found("anna", "layer_norm", "class/")),
        ("{student}.py", "class/anna.py", Found("anna", ".py", "class/")),
        ("*/{student}.zip/**/*.py", "class/all/anna.zip/src/x.py", Found("anna", ".zip/src/x.py", "class/")),
        ("hw*/{student}/*", "class/hw1/\n李\udce9/x.py", Found("\n李\udce9", "x.py", "class/")),
        ("**/src/{student}/*", "class/a/b/src/anna/x.py", Found("anna", "x.py", "class/")),
        ("{student}/hw1/**", "class/anna/hw1/src/x.py", Found("anna", "hw1/src/x.py", "class/")),
        ("{student}/**/hw*/**/b/x.py", "class/anna/c/hw1/hw2/b/x.py", Found("anna", "c/hw1/hw2/b/x.py", "class/")),
        ("{student}-*-b*.py", "class/anna-a-a-b-b1.py", Found("anna", "-a-a-b-b1.py", "class/")),
        ("a.b/{student}/*", "class/aXb/anna/x.py", None),
        ("{student}/*/{exercise}.py", "class/layer_norm.py", None),
    ],
)
def test_a_pattern_finds_the_student(pattern: str, path: str, found: Found | None) -> None:
    assert pattern_of(pattern).search(path) == found


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("*/{exercise}.py", "it needs {student} once, and every other field at most once"),
        ("{student}/{student}/*", "it needs {student} once, and every other field at most once"),
        ("{student}/{file}/{file}", "it needs {student} once, and every other field at most once"),
        ("{student}/{name}.py", "{name} is none of {student}, {exercise}, {id} and {file}"),
        ("{student}/{}.py", "{} is none of {student}, {exercise}, {id} and {file}"),
    ],
)
def test_a_bad_pattern_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        pattern_of(pattern)
    good = "hw3/{student}/**/{file}"
    assert str(raised.value) == f'The pattern "{pattern}" of the layout is wrong: {why}. A good one is "{good}".'


def test_no_path_keeps_a_pattern_busy() -> None:
    start = time.process_time()
    assert pattern_of("{student}/**/a*b*c/**/{exercise}.py").search("/".join(["abc" * 20] * 60) + "/x.txt") is None
    assert pattern_of("{student}*a*a*a/{file}").search("class/" + "a" * 255) is None
    assert time.process_time() - start < 2
