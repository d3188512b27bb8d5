"""Tests of answers: what the exercise gives is taken out, and a file that cannot be compared gets a reason."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.classes.hand_ins import HandIn, LeftOut
from normgrade.classes.similar.answers import Answer, answer_of, given_by
from normgrade.classes.similar.fingerprints import fingerprints
from normgrade.course.course import Course
from normgrade.inspection.source import LIMIT_BYTES

OWN = "def rms(x, eps=1e-5):\n    parts = [part for part in x.split(2)]\n    return max(sum(parts), eps) ** -0.25\n"


def answer(content: bytes | str, given: frozenset[int] = frozenset()) -> Answer | LeftOut:
    return answer_of(HandIn("Li", "rms", "hw/Li/rms.py", content.encode() if isinstance(content, str) else content), given)


@pytest.fixture(scope="module")
def given(tiny: Course) -> frozenset[int]:
    return given_by(tiny.exercise("rms"))


def test_what_the_exercise_gives_is_taken_out(tiny: Course, given: frozenset[int]) -> None:
    exercise = tiny.exercise("rms")
    for path in (exercise.stub, exercise.reference, *exercise.alternatives):
        found = answer(path.read_bytes(), given)
        assert isinstance(found, Answer) and found.own == {}
    found = answer(OWN, given)
    assert isinstance(found, Answer) and found.own == {each: fingerprints(ast.parse(OWN))[each] for each in found.own} != {}


def test_code_in_the_task_is_given(edited_course: Callable[..., Course]) -> None:
    task = f"# A task\n\n```python\n{OWN}```\n\n```python\nrms(x, eps) → a tensor\n```\n"
    given = given_by(edited_course({"exercises/rms/README.md": task}).exercise("rms"))
    found = answer(OWN, given)
    assert isinstance(found, Answer) and found.own == {}


def test_digest_ignores_whitespace_and_nothing_else() -> None:
    one, spaced, other = (answer(source) for source in (OWN, OWN.replace("\n", "\r\n\n").replace("    ", "  "), OWN.replace("2", "3")))
    assert isinstance(one, Answer) and isinstance(spaced, Answer) and isinstance(other, Answer)
    assert one.digest == spaced.digest != other.digest


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"def rms(:\n", "The file is not valid Python: invalid syntax."),
        (b"x = 1\0", "The file contains a NUL byte, which is not allowed in Python source: save it again as plain text."),
        (b"x = '\xff'", "hw/Li/rms.py is not UTF-8: byte 6 is 0xff. Save it as UTF-8 in your editor."),
        (
            b"# coding: utf-16\n",
            "This line declares the encoding utf-16, which Python source cannot use: save the file as UTF-8.",
        ),
        (
            b"x = " + b"-" * 60_000 + b"1",
            "The file is too deeply nested to be read: split its longest expressions or blocks into named steps.",
        ),
        (b"#" * (LIMIT_BYTES + 1), "hw/Li/rms.py is larger than 64 KiB (65536 bytes): submit only the code of this exercise."),
    ],
)
def test_a_file_that_cannot_be_compared_gets_a_reason(content: bytes, why: str) -> None:
    found = answer(content)
    assert found == LeftOut("hw/Li/rms.py", why)


@pytest.mark.parametrize(
    "content",
    [
        b"x = " + b"1 + " * 16_000 + b"1",
        b"x" + b".a" * 30_000,
        b"x" + b"()" * 30_000,
        b"if x: pass\n" + b"elif x: pass\n" * 4_000,
        b"[" * 60_000,
        b"x = '\\ud800'\n" * 4_000,
        b"# coding: raw_unicode_escape\nx = '\\ud800'\n",
        b"a = b * c\n" * 6_500,
    ],
)
def test_hostile_sources_never_crash(content: bytes) -> None:
    assert isinstance(answer(content), Answer | LeftOut)


def test_nothing_of_an_answer_is_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    assert isinstance(answer(f"open({str(trace)!r}, 'w').write('run')\n"), Answer)
    assert not trace.exists()
