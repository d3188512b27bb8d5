"""The file of a source: it stays in a workspace, and is temporary elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.notebook.source_file import as_file

SOURCE = "def rms(x):\n    return '\ud800'\n"  # half a character, as a frontend may send it


def test_outside_a_workspace_the_file_is_temporary(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with as_file(tiny.exercise("rms"), SOURCE) as path:
        assert path.name == "rms.py" and path.read_bytes() == SOURCE.encode(errors="surrogatepass")
    assert not path.exists() and list(tmp_path.iterdir()) == []


def test_in_a_workspace_it_stays_beside_the_attempts(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "normgrade.toml").touch()
    monkeypatch.chdir(tmp_path)
    for source in ("x = 1\n", SOURCE):
        with as_file(tiny.exercise("rms"), source) as path:
            pass
        assert path == tmp_path / ".normgrade" / "notebook" / "rms.py"
        assert path.read_bytes() == source.encode(errors="surrogatepass")


def test_an_unwritable_place_is_reported(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "normgrade.toml").touch()
    (tmp_path / ".normgrade").touch()
    monkeypatch.chdir(tmp_path)
    with (
        pytest.raises(
            UsageError, match=r'^The source code cannot be written to ".*rms\.py" \(.+\)\. Make sure that this path is writable\.$'
        ),
        as_file(tiny.exercise("rms"), ""),
    ):
        raise AssertionError("it was written")
