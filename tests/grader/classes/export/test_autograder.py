"""Tests of the package for Gradescope: its files, and that they depend on nothing but the exercises."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

import normgrade
from normgrade.classes.export.autograder import FILES, autograder, own_folders, settings, unfinished
from normgrade.cli.output import STARTS
from normgrade.course.course import Course
from normgrade.grading.grading_options import Options


def test_both_scripts_and_all_sources_are_in_the_package(tiny: Course) -> None:
    files = read(autograder(tiny, [tiny.exercise("rms")], Options()))
    assert {name for name in files if "/" not in name} == {
        *("setup.sh", "run_autograder", "settings.sh", "unfinished.json", "requirements.txt", "constraints.txt")
    }
    assert files["program/normgrade/__init__.py"] == Path(normgrade.__file__).read_bytes()
    assert files["program/normgrade/_course/solutions/rms/reference.py"] == tiny.exercise("rms").reference.read_bytes()
    assert {name for name in files if name.startswith("config/")} == {"config/cache.key"}


def test_two_packages_differ_only_in_the_signed_cache(tiny: Course) -> None:
    first, second = (read(autograder(tiny, [tiny.exercise("rms")], Options())) for _time in range(2))
    plain = [{name: content for name, content in each.items() if not name.startswith(("cache/", "config/"))} for each in (first, second)]
    assert plain[0] == plain[1]
    entries = [{name.split("/")[-1] for name in each if name.startswith("cache/")} for each in (first, second)]
    assert entries[0] == entries[1] != set()
    assert first["config/cache.key"] != second["config/cache.key"]


def test_the_cache_of_the_user_is_not_touched(tiny: Course, empty_cache: Path) -> None:
    autograder(tiny, [tiny.exercise("rms")], Options())
    assert [*empty_cache.rglob("*")] == []


def test_own_folders_end_with_the_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NORMGRADE_CACHE", raising=False)
    monkeypatch.setenv("NORMGRADE_CONFIG", "mine")
    with pytest.raises(KeyError), own_folders(tmp_path):
        assert os.environ["NORMGRADE_CACHE"] == str(tmp_path / "cache")
        raise KeyError
    assert (os.environ.get("NORMGRADE_CACHE"), os.environ["NORMGRADE_CONFIG"]) == (None, "mine")


def test_settings_are_words_of_a_shell() -> None:
    text = settings(["a", "b"], Options(seed=3, timeout_s=9, required="linux"), "https://example.org/$(id)'")
    program = f'{text}printf "%s|" "${{slugs[@]}}" "$seed" "${{options[@]}}" "$seconds" "$index"'
    said = subprocess.run(["bash", "-euc", program], capture_output=True, text=True, check=True).stdout
    assert said == "a|b|3|--require-isolation|linux|--timeout|9|540|https://example.org/$(id)'|"


def test_the_unfinished_result_may_be_replaced_by_a_report() -> None:
    assert json.loads(unfinished())["score"] == 0
    assert STARTS.match(unfinished().encode())


@pytest.mark.parametrize("name", ["setup.sh", "run_autograder"])
def test_scripts_are_sound(name: str) -> None:
    assert (FILES / name).read_bytes().startswith(b"#!/usr/bin/env bash\n")
    assert subprocess.run(["bash", "-n", FILES / name], capture_output=True).returncode == 0


def read(package: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
