"""Tests of the files for other systems: the package for Gradescope, its archive and its packages, and the workflow for GitHub Actions."""

from __future__ import annotations

import doctest
import io
import json
import os
import re
import stat
import subprocess
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest

import normgrade
from normgrade.classes import systems as module
from normgrade.classes.systems import (
    FILES,
    FIRST_LINE,
    NEEDED,
    Entry,
    arguments,
    autograder,
    comment_of,
    constraints,
    entries_in,
    own_folders,
    requirements,
    settings,
    unfinished,
    workflow,
    zipped,
)
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


def test_the_packages_are_those_of_the_program() -> None:
    assert requirements().split() == [*NEEDED] == ["click", "jinja2", "numpy", "pytest", "rich", "torch"]


def test_each_package_has_the_version_that_is_installed() -> None:
    lines = constraints().splitlines()
    assert lines == sorted(lines) and all(re.fullmatch(r"[a-z0-9-]+==[^+\s]+", line) for line in lines)
    assert f"torch=={version('torch').partition('+')[0]}" in lines


def test_packages_of_packages_have_a_version_too() -> None:
    assert {"markupsafe", "pluggy"} <= {line.partition("==")[0] for line in constraints().splitlines()}


# Arguments for `normgrade check`


def test_example_of_arguments_runs() -> None:
    found = doctest.testmod(module)
    assert found.attempted == 1 and found.failed == 0


def test_without_a_timeout_none_is_passed() -> None:
    assert arguments(Options(required="container")) == ["--require-isolation", "container"]


# Archives depend only on their content

ENTRIES = {"b/run": Entry(b"#!/bin/sh\n", 0o755), "a.txt": Entry(b"a"), "key": Entry(b"k", 0o600)}


def test_the_same_files_give_the_same_bytes() -> None:
    assert zipped(ENTRIES, "made here") == zipped(dict(reversed(ENTRIES.items())), "made here")


def test_names_are_sorted_and_modes_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(ENTRIES, "made here"))
    with ZipFile(tmp_path / "a.zip") as archive:
        files = archive.infolist()
        assert archive.read("b/run") == b"#!/bin/sh\n"
    assert [(each.filename, stat.S_IMODE(each.external_attr >> 16), each.date_time) for each in files] == [
        ("a.txt", 0o644, (1980, 1, 1, 0, 0, 0)),
        ("b/run", 0o755, (1980, 1, 1, 0, 0, 0)),
        ("key", 0o600, (1980, 1, 1, 0, 0, 0)),
    ]
    assert all(stat.S_ISREG(each.external_attr >> 16) for each in files)
    assert comment_of(tmp_path / "a.zip") == "made here"


def test_other_files_have_no_comment(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK")
    assert (comment_of(tmp_path / "a.zip"), comment_of(tmp_path / "none"), comment_of(tmp_path)) == ("", "", "")


def test_links_and_byte_code_are_left_out(tmp_path: Path) -> None:
    for name in ("a.py", "sub/b.toml", "__pycache__/a.cpython.pyc", "sub/c.pyc", ".writing-1-d"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    os.symlink("/etc/passwd", tmp_path / "link")
    assert dict(entries_in(tmp_path, "x", 0o600)) == {"x/a.py": Entry(b"a.py", 0o600), "x/sub/b.toml": Entry(b"sub/b.toml", 0o600)}


# The workflow for GitHub Actions


def value_of(name: str, text: str) -> str:
    """Return the rest of the only line that begins with a name."""
    [value] = re.findall(rf"^\s+(?:- )?{name}: (.*)$", text, re.MULTILINE)
    return str(value)


def written(options: Options = Options(), index: str = "") -> str:  # noqa: B008  (frozen)
    course = Course.find()
    return workflow([course.exercise("layer_norm"), course.exercise("rms_norm")], options, index)


def test_the_files_of_the_exercises_are_graded() -> None:
    text = written(Options(seed=7, timeout_s=2.5))
    assert value_of("FILES", text) == "'layer_norm.py rms_norm.py'"
    assert value_of("OPTIONS", text) == "'--require-isolation linux --timeout 2.5 --seed 7'"


def test_stronger_walls_are_kept_and_weaker_ones_raised() -> None:
    assert value_of("OPTIONS", written(Options(required="container"))) == "'--require-isolation container --seed 0'"
    assert value_of("OPTIONS", written(Options(required="process"))) == "'--require-isolation linux --seed 0'"


def test_an_index_is_the_default_of_a_variable() -> None:
    text = written(index="https://example.org/it's")
    assert value_of("PIP_EXTRA_INDEX_URL", text) == "${{ vars.PIP_EXTRA_INDEX_URL || 'https://example.org/it''s' }}"


def test_no_step_has_more_rights_than_it_needs() -> None:
    text = written()
    assert text.startswith(FIRST_LINE)
    assert re.findall(r"^permissions:\n  (.*)\n\n", text, re.MULTILINE) == ["contents: read"]
    assert value_of("persist-credentials", text) == "false"
    assert value_of("timeout-minutes", text) == "15"


def test_python_imports_nothing_of_the_repository() -> None:
    assert [line.split()[:2] for line in re.findall(r"run: (.*)", written())] == [["python", "-I"], ["python", "-P"]]
