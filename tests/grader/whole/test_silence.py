"""Tests that the screen of a working command keeps changing, with an empty cache."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from moving import Frame, frames, longest_silence

from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.grading.grading_options import available

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal as POSIX has it")

MOST_S = 1.0  # without a change: the bar moves ten times a second, but the same core plays the checks
STARTS_S = 2.0  # for Python and all imports of a command
LATEST_S = 240


@pytest.fixture
def environment(tmp_path: Path, tiny: Course) -> dict[str, str]:
    """Return the variables for an empty cache and the tiny course."""
    return {"NORMGRADE_CACHE": str(tmp_path / "cache"), "NORMGRADE_CONFIG": str(tmp_path / "config"), "NORMGRADE_COURSE": str(tiny.root)}


def shown(seen: list[Frame], said: str) -> list[int]:
    """Return the numbers of the frames that contain a text."""
    return [number for number, frame in enumerate(seen) if said in " ".join(frame.text.split())]


def assert_moving(seen: list[Frame]) -> None:
    """Assert that the screen keeps changing after Python has started. The limits grow with the load of the machine."""
    most_s = MOST_S * max(1.0, os.getloadavg()[0] / available())
    assert seen[1].seconds <= STARTS_S / MOST_S * most_s
    assert longest_silence(seen[1:]) <= most_s, [(round(frame.seconds, 2), frame.text[-100:]) for frame in seen]


def test_check_shows_its_steps_and_verdict_in_order(tmp_path: Path, environment: dict[str, str], tiny: Course) -> None:
    mistake = next(each for each in read_mistakes(tiny.exercise("rms")) if each.name == "eps-outside-root")
    (tmp_path / "rms.py").write_text(mistake.source, encoding="utf-8")
    seen, code = frames(["check", "rms"], tmp_path, environment, LATEST_S)
    steps = ["starting PyTorch", "Looking for the mistake …", "eps-outside-root"]  # the checks may be over before the bar is drawn again
    places = [shown(seen, step) for step in steps]
    assert code == 1 and all(places), [frame.text for frame in seen]
    assert [each[0] for each in places] == sorted(each[0] for each in places)
    assert "at least" in seen[places[1][0]].text
    assert "at least" not in seen[-1].text and "Looking" not in seen[-1].text and "rms.py: check" not in seen[-1].text
    assert_moving(seen)


def test_several_checks_are_lines_until_all_are_complete(tmp_path: Path, environment: dict[str, str], tiny: Course) -> None:
    for slug in ("rms", "centring"):
        shutil.copy(tiny.exercise(slug).reference, tmp_path / f"{slug}.py")
    seen, code = frames(["check", "rms", "centring"], tmp_path, environment, LATEST_S)
    first = shown(seen, "✓ rms · rms.py · 8 of 8 points · passed")
    assert code == 0 and first[0] < shown(seen, "2 of 2 passed")[0]
    assert_moving(seen)


def test_warming_says_how_much_is_done(tmp_path: Path, environment: dict[str, str]) -> None:
    seen, code = frames(["warm"], tmp_path, environment, LATEST_S)
    assert code == 0 and shown(seen, "expected results, once for seed 0") and shown(seen, "2 exercises are ready after")
    assert_moving(seen)
