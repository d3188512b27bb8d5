"""Tests of archives: they depend only on their content."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from zipfile import ZipFile

from normgrade.classes.export.fixed_zip import Entry, comment_of, entries_in, zipped

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
