"""A private folder: it is refused if others can change it, and leads nowhere else if it is exchanged while it is open."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.course import private_folder
from normgrade.course.private_folder import NotPrivate, PrivateFolder, first_refused

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners, rights and links as POSIX has them")


@pytest.fixture(params=["by descriptor", "by path"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Open files by descriptor, or by path as on other platforms."""
    monkeypatch.setattr(private_folder, "BY_DESCRIPTOR", request.param == "by descriptor")
    return str(request.param)


def open_files() -> int:
    return len(os.listdir("/dev/fd"))


def linked(path: Path) -> None:
    path.rename(path.with_name("real"))
    path.symlink_to("real")


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link": (linked, "it is a symbolic link"),
    "writable by a group": (lambda path: path.chmod(0o770), "others may write to it"),
    "writable by all": (lambda path: path.chmod(0o777), "others may write to it"),
    "writable by all, and sticky": (lambda path: path.chmod(0o1777), "others may write to it"),
}


def test_a_file_is_written_read_and_deleted(way: str, tmp_path: Path) -> None:
    with PrivateFolder(tmp_path / "a", "b", "c", make=True) as folder:
        folder.write("file", b"content")
        folder.set_times("file", 10**9, 2 * 10**9)
        status, content = folder.read("file", 7)
        assert (content, stat.S_IMODE(status.st_mode), status.st_mtime) == (b"content", 0o600, 2)
        assert [entry.name for entry in folder.entries()] == ["file"] == os.listdir(tmp_path / "a/b/c")
        folder.delete("file")
        assert folder.entries() == []


def test_a_new_folder_is_closed_to_others(way: str, tmp_path: Path) -> None:
    with PrivateFolder(tmp_path / "a" / "b", "c", make=True):
        assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a/b", "a/b/c")] == [0o700, 0o700]


def test_folders_are_only_made_on_demand(way: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        PrivateFolder(tmp_path / "a")
    with pytest.raises(FileNotFoundError):
        PrivateFolder(tmp_path, "a")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("what", SPOILT)
@pytest.mark.parametrize("which", ["root", "root/below"])
def test_a_folder_that_others_could_change_is_refused(what: str, which: str, way: str, tmp_path: Path) -> None:
    spoil, why = SPOILT[what]
    (tmp_path / "root" / "below").mkdir(parents=True, mode=0o700)
    (tmp_path / "root").chmod(0o700)
    spoil(tmp_path / which)
    before = open_files()
    for make in (False, True):
        with pytest.raises(NotPrivate) as refused:
            PrivateFolder(tmp_path / "root", "below", make=make)
        assert (refused.value.strerror, refused.value.path) == (why, str(tmp_path / which))
    assert open_files() == before


def test_a_folder_of_another_user_is_refused(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(NotPrivate) as refused:
        PrivateFolder(tmp_path)
    assert refused.value.strerror == "it belongs to another user"


def test_an_unreadable_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    monkeypatch.setattr(os, "open", forbidden)
    with pytest.raises(NotPrivate):
        PrivateFolder(tmp_path)


def test_folders_above_the_root_are_not_examined(way: str, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o1777)
    (tmp_path / "link").symlink_to("shared")
    with PrivateFolder(tmp_path / "link" / "own", make=True) as folder:
        folder.write("file", b"content")
    assert (tmp_path / "shared" / "own" / "file").read_bytes() == b"content"


def test_a_file_instead_of_a_folder_is_an_oserror(way: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch(mode=0o600)
    with pytest.raises((NotADirectoryError, FileNotFoundError)), PrivateFolder(tmp_path / "file") as folder:
        folder.read("name", 1)


def test_a_folder_exchanged_while_open_leads_nowhere_else(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_bytes(b"precious")
    with PrivateFolder(root, "below", make=True) as folder:
        folder.write("file", b"old")
        (root / "below").rename(tmp_path / "moved")
        (root / "below").symlink_to(outside)
        assert folder.read("file", 3)[1] == b"old"
        folder.write("new", b"new")
        folder.delete("file")
        os.close(folder.lock("lock", 0.0))
    assert sorted(os.listdir(tmp_path / "moved")) == ["lock", "new"]
    assert os.listdir(outside) == ["file"] and (outside / "file").read_bytes() == b"precious"


def test_times_are_not_set_through_a_link(way: str, tmp_path: Path) -> None:
    if way == "by path":
        pytest.skip("such a platform may lack a way not to follow a link")
    (tmp_path / "file").touch()
    before = (tmp_path / "file").stat().st_mtime_ns
    with PrivateFolder(tmp_path / "root", make=True) as folder:
        (tmp_path / "root" / "link").symlink_to("../file")
        folder.set_times("link", 0, 0)
    assert (tmp_path / "file").stat().st_mtime_ns == before


def test_an_interrupt_during_opening_leaves_no_file_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(private_folder, "refuse_others", interrupted)
    before = open_files()
    with pytest.raises(KeyboardInterrupt):
        PrivateFolder(tmp_path)
    assert open_files() == before


# Refused folders and their messages


def test_the_first_refused_folder_is_found(tmp_path: Path) -> None:
    root = tmp_path / "my root"
    assert first_refused(root) is None
    (root / "a" / "b" / "c").mkdir(parents=True)
    for folder in (root, root / "a", root / "a" / "b"):
        folder.chmod(0o700)
    assert first_refused(root) is None
    for folder in (root / "a" / "b", root / "a", root):
        folder.chmod(0o720)
        error = first_refused(root)
        assert error is not None and error.told(root, "VARIABLE") == (
            f'The folder "{folder}" is not used: others may write to it. '
            f"Run `chmod -R go-w '{root}'` to prevent that, or set VARIABLE to another folder."
        )


def test_a_file_as_root_is_refused_only_if_linked(tmp_path: Path) -> None:
    (tmp_path / "file").touch(mode=0o600)
    (tmp_path / "link").symlink_to("file")
    assert first_refused(tmp_path / "file") is None
    error = first_refused(tmp_path / "link")
    assert error is not None and error.told(tmp_path / "link", "VARIABLE") == (
        f'The folder "{tmp_path / "link"}" is not used: it is a symbolic link. Set VARIABLE to another folder, or remove this one.'
    )
