"""Files: reading plain files up to a limit, and writing them so that no reader sees half of one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from normgrade.course.files import WRITING, NotPlain, TooLarge, lock, own_folder, read_plain, read_text, refuse_link, write_whole
from normgrade.language.errors import CourseError

posix = pytest.mark.skipif(os.name != "posix", reason="needs links, pipes or locks")


def test_a_course_text_is_read_through_links(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("ε\n".encode())
    (tmp_path / "link").symlink_to("text")
    assert read_text(tmp_path / "link") == "ε\n"


def test_a_missing_course_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(CourseError) as caught:
        read_text(tmp_path / "text")
    assert str(caught.value) == f"{tmp_path / 'text'}: cannot be read (No such file or directory)."


def test_a_wrong_byte_of_a_course_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"ab\xfe")
    with pytest.raises(CourseError) as caught:
        read_text(tmp_path / "text")
    assert str(caught.value) == f"{tmp_path / 'text'}: not UTF-8: byte 3 is 0xfe."


def test_a_file_is_read_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_plain(path, 5) == b"12345"
    with pytest.raises(TooLarge):
        read_plain(path, 4)


@posix
def test_no_link_is_followed_and_no_pipe_waited_for(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    for name, kind in (("link", "a symbolic link"), ("pipe", "a named pipe"), (".", "a directory")):
        with pytest.raises(NotPlain) as caught:
            read_plain(tmp_path / name, 1)
        assert caught.value.kind == kind


def test_an_impossible_name_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_plain(tmp_path / "a\0b", 1)


@posix
def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    path.chmod(0o640)
    with path.open("rb") as before:
        write_whole(path, b"after")
        assert before.read() == b"before"  # an open file still has the old content
    assert path.read_bytes() == b"after" and path.stat().st_mode & 0o777 == 0o640
    assert [*tmp_path.iterdir()] == [path]


@posix
def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"kept")
    (tmp_path / "link").symlink_to("file")
    with pytest.raises(NotPlain):
        write_whole(tmp_path / "link", b"lost")
    with pytest.raises(NotPlain):
        refuse_link(tmp_path / "link")
    assert (tmp_path / "file").read_bytes() == b"kept"


def test_a_failed_write_leaves_only_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def broken(source: object, target: object, **__: object) -> None:
        assert Path(str(source)).name.startswith(WRITING)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"after")
    assert path.read_bytes() == b"before" and [*tmp_path.iterdir()] == [path]


@posix
def test_a_device_is_written_to_directly() -> None:
    write_whole(Path("/dev/null"), b"gone")
    assert not Path("/dev/null").is_file()


@posix
def test_a_lock_is_exclusive_unless_shared(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    alone = lock(path, 0.0)
    with pytest.raises(BlockingIOError):
        lock(path, 0.0, shared=True)
    os.close(alone)
    shared = [lock(path, 0.0, shared=True) for _ in range(2)]
    with pytest.raises(BlockingIOError):
        lock(path, 0.0)
    for fd in shared:
        os.close(fd)
    os.close(lock(path, 0.0))


def test_a_folder_is_made_unless_it_exists(tmp_path: Path) -> None:
    assert own_folder(tmp_path / "new").is_dir()
    assert own_folder(tmp_path / "new").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        own_folder(tmp_path / "file")
