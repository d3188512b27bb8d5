"""Tests of a process's own view of the machine."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from normgrade.course.package import PACKAGE
from normgrade.worker.walls import view
from normgrade.worker.walls.kernel import Missing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")


def test_nested_folders_are_left_out() -> None:
    paths = {Path(name) for name in ("/usr/lib", "/usr/lib/python3", "/usr/lib64", "/etc/localtime")}
    assert view.outermost(paths) == [Path("/etc/localtime"), Path("/usr/lib"), Path("/usr/lib64")]


@pytest.mark.parametrize(("status", "code"), [(0, 0), (3 << 8, 3), (signal.SIGKILL, 128 + 9)])
def test_exit_codes_are_those_of_a_shell(status: int, code: int) -> None:
    assert view.ended(status) == code


def test_failed_view_raises_its_reason() -> None:
    with pytest.raises(Missing, match="no namespaces here"):
        view.View().give_up("no namespaces here")


def test_failed_child_tells_its_parent_why() -> None:
    reason, told = os.pipe()
    child = os.fork()
    if child == 0:
        taken = view.View()
        taken.tell_fd = told
        try:
            taken.give_up("not allowed")
        finally:
            os._exit(1)
    os.close(told)
    with pytest.raises(Missing, match="not allowed"):
        view.follow(child, reason)
    os.close(reason)


def test_new_root_is_a_folder_without_libraries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    mounted: list[object] = []
    monkeypatch.setattr(view, "PLACES", [str(tmp_path / name) for name in ("missing", "first", "second")])
    monkeypatch.setattr(view, "mount", lambda *arguments: mounted.append(arguments[1]))
    assert view.free_place([tmp_path / "first" / "library"]) == tmp_path / "second" == mounted[0]
    with pytest.raises(Missing, match="every folder that could be the new root contains libraries"):
        view.free_place([tmp_path / name / "library" for name in ("first", "second")])


def test_bubblewrap_shows_normgrade_without_its_course(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "_course").mkdir()
    monkeypatch.setattr(view, "PACKAGE", tmp_path)
    arguments = view.bubblewrap("/usr/bin/bwrap")
    assert arguments[0] == "/usr/bin/bwrap" and arguments[-1] == "--" and "--unshare-all" in arguments
    assert ["--ro-bind", str(tmp_path), str(tmp_path)] == arguments[(at := arguments.index(str(tmp_path)) - 1) : at + 3]
    assert arguments[arguments.index("--tmpfs") + 1] == str(tmp_path / "_course")
    assert str(PACKAGE) not in arguments and "--bind" not in arguments
