"""Tests of the cache: it returns stored content, now and later, and an unusable folder costs only time."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from normgrade.oracle.cache import Cache

KEY = bytes(32)  # of a user


def file_of(cache: Cache, name: str) -> Path:
    return cache.folder / cache.shelf / name[:2] / name


def test_content_is_found_now_and_in_another_run(tmp_path: Path) -> None:
    first = Cache(tmp_path / "new" / "folder", KEY)
    for name, content in (("abcd", b"old"), ("abce", b"other"), ("abcf", b""), ("abcd", b"new")):
        first.put(name, content)
        assert first.get(name) == content
    again = Cache(tmp_path / "new" / "folder", KEY)
    assert [again.get(name) for name in ("abcd", "abce", "abcf", "none")] == [b"new", b"other", b"", None]


def test_second_computation_waits_for_the_first(tmp_path: Path) -> None:
    first, second, order = Cache(tmp_path, KEY), Cache(tmp_path, KEY), list[str]()

    def waiting() -> None:
        with second.alone("abcd"):
            order.append(f"second finds {second.get('abcd')!r}")

    with first.alone("abcd"), first.alone("abce"):
        waits = Thread(target=waiting)
        waits.start()
        waits.join(0.2)
        order.append("first computes")
        first.put("abcd", b"content")
    waits.join()
    assert order == ["first computes", "second finds b'content'"]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [file_of(first, "abcd")]


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.oracle.cache.PATIENCE_S", 0.05)
    with Cache(tmp_path, KEY).alone("abcd"), Cache(tmp_path, KEY).alone("abcd"):
        pass


def test_without_a_folder_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with Cache(tmp_path / "file", KEY).alone("abcd"):
        pass


def test_a_finished_write_leaves_its_file_alone(tmp_path: Path) -> None:
    cache = Cache(tmp_path, KEY)
    cache.put("abcd", b"content")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [file_of(cache, "abcd")]


def test_content_stays_in_memory_for_this_run(tmp_path: Path) -> None:
    cache = Cache(tmp_path, KEY)
    cache.put("abcd", b"content")
    file_of(cache, "abcd").unlink()
    assert cache.get("abcd") == b"content" and Cache(tmp_path, KEY).get("abcd") is None


def test_without_a_folder_content_stays_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file", KEY)
    cache.put("abcd", b"content")
    assert cache.get("abcd") == b"content" and Cache(tmp_path / "file", KEY).get("abcd") is None


def test_blocked_path_is_no_error_and_leaves_no_litter(tmp_path: Path) -> None:
    cache = Cache(tmp_path, KEY)
    (file_of(cache, "abcd") / "a folder, not a file").mkdir(parents=True)
    cache.put("abcd", b"content")
    assert cache.get("abcd") == b"content" and Cache(tmp_path, KEY).get("abcd") is None
    assert [path.name for path in file_of(cache, "abcd").parent.iterdir()] == ["abcd"]


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 39], ids=["empty", "short", "zeros"])
def test_replaced_file_counts_as_missing(tmp_path: Path, damage: bytes) -> None:
    cache = Cache(tmp_path, KEY)
    cache.put("abcd", b"content")
    file_of(cache, "abcd").write_bytes(damage)
    assert Cache(tmp_path, KEY).get("abcd") is None


@pytest.mark.parametrize("at", [0, 31, 32, -1])
def test_file_with_one_flipped_bit_counts_as_missing(tmp_path: Path, at: int) -> None:
    cache = Cache(tmp_path, KEY)
    cache.put("abcd", b"content")
    stored = bytearray(file_of(cache, "abcd").read_bytes())
    stored[at] ^= 1
    file_of(cache, "abcd").write_bytes(stored)
    assert Cache(tmp_path, KEY).get("abcd") is None
    Cache(tmp_path, KEY).put("abcd", b"again")
    assert Cache(tmp_path, KEY).get("abcd") == b"again"


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes as POSIX has them")
@pytest.mark.parametrize("thing", ["a link to a right file", "a link to nothing", "a pipe", "a folder", "a device"])
def test_special_files_count_as_missing_and_never_block(tmp_path: Path, thing: str) -> None:
    cache = Cache(tmp_path, KEY)
    cache.put("abcd", b"content")
    path = file_of(cache, "abcd")
    elsewhere = path.rename(tmp_path / "elsewhere")
    match thing:
        case "a link to a right file":
            path.symlink_to(elsewhere)
        case "a link to nothing":
            path.symlink_to("nothing")
        case "a pipe":
            os.mkfifo(path)
        case "a folder":
            path.mkdir()
        case "a device":
            path.symlink_to("/dev/zero")
    assert Cache(tmp_path, KEY).get("abcd") is None
    before = elsewhere.read_bytes()
    Cache(tmp_path, KEY).put("abcd", b"again")
    assert elsewhere.read_bytes() == before
    assert Cache(tmp_path, KEY).get("abcd") == (None if thing == "a folder" else b"again")


def test_file_sealed_by_another_key_counts_as_missing(tmp_path: Path) -> None:
    theirs, ours = Cache(tmp_path, b"theirs"), Cache(tmp_path, KEY)
    theirs.put("abcd", b"forged")
    file_of(ours, "abcd").parent.mkdir(parents=True)
    file_of(theirs, "abcd").rename(file_of(ours, "abcd"))
    assert ours.get("abcd") is None


def test_renamed_file_counts_as_missing(tmp_path: Path) -> None:
    cache = Cache(tmp_path, KEY)
    cache.put("abcd", b"content")
    file_of(cache, "abcd").rename(file_of(cache, "abce"))
    assert Cache(tmp_path, KEY).get("abce") is None


def test_two_keys_can_share_a_folder(tmp_path: Path) -> None:
    for content, key in ((b"one", b"k"), (b"two", b"l")):
        Cache(tmp_path, key).put("abcd", content)
    assert (Cache(tmp_path, b"k").get("abcd"), Cache(tmp_path, b"l").get("abcd")) == (b"one", b"two")


# The folder is bounded


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the cache to 2000 bytes, of which a sweep leaves 1000."""
    for name, value in {"MOST_BYTES": 2000, "LEFT_BYTES": 1000, "SWEPT_BYTES": 10**6}.items():
        monkeypatch.setattr(f"normgrade.oracle.cache.{name}", value)


def used(cache: Cache, name: str, days_ago: int) -> None:
    when = time.time() - days_ago * 86400
    os.utime(file_of(cache, name), (when, when))


def names(cache: Cache) -> set[str]:
    return {path.name for path in cache.folder.rglob("*") if path.is_file()}


def test_least_recently_used_files_go_first(tmp_path: Path, small: None) -> None:
    cache = Cache(tmp_path, KEY)
    for number in range(8):
        cache.put(f"name{number}", bytes(300))
        used(cache, f"name{number}", days_ago=10 + number)
    cache.sweep()
    assert names(cache) == {"name0", "name1", "name2"}


def test_reading_counts_as_use(tmp_path: Path, small: None) -> None:
    cache = Cache(tmp_path, KEY)
    for number in range(8):
        cache.put(f"name{number}", bytes(300))
        used(cache, f"name{number}", days_ago=10 + number)
    again = Cache(tmp_path, KEY)
    written = file_of(again, "name7").stat().st_mtime_ns
    assert again.get("name7") == bytes(300)
    cache.sweep()
    assert names(cache) == {"name0", "name1", "name7"}
    assert file_of(again, "name7").stat().st_mtime_ns == written


def test_a_folder_that_is_not_full_keeps_everything(tmp_path: Path, small: None) -> None:
    cache = Cache(tmp_path, KEY)
    for number in range(6):
        cache.put(f"name{number}", bytes(300))
    cache.sweep()
    assert len(names(cache)) == 6


def test_stale_unfinished_files_go_and_young_ones_stay(tmp_path: Path) -> None:
    cache = Cache(tmp_path, KEY)
    cache.put("abcd", b"content")
    stale, young = (file_of(cache, "abcd").with_name(f".writing-{number}-abcd") for number in (1, 2))
    for path, hours in ((stale, 2), (young, 0)):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - hours * 3600,) * 2)
    cache.sweep()
    assert names(cache) == {"abcd", young.name}


def test_reading_never_lists_the_folder(tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    Cache(tmp_path, KEY).put("abcd", b"content")
    monkeypatch.setattr("os.scandir", None)
    cache = Cache(tmp_path, KEY)
    assert cache.get("abcd") == b"content"
    cache.sweep()


def test_long_work_keeps_to_the_bound_all_the_time(tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.oracle.cache.SWEPT_BYTES", 500)
    cache = Cache(tmp_path, KEY)
    for number in range(30):
        cache.put(f"name{number}", bytes(300))
        assert sum(path.stat().st_size for path in cache.folder.rglob("*") if path.is_file()) <= 2000 + 1000


@pytest.mark.skipif(sys.platform == "win32", reason="links as POSIX has them")
def test_nothing_outside_the_folder_is_deleted(tmp_path: Path, small: None) -> None:
    outside = tmp_path / "outside" / "ab"
    outside.mkdir(parents=True)
    (outside / ".writing-1-abcd").write_bytes(bytes(3000))
    (outside / "precious").write_bytes(bytes(3000))
    os.utime(outside / ".writing-1-abcd", (1, 1))
    cache = Cache(tmp_path / "cache", KEY)
    cache.put("abcd", bytes(300))
    (tmp_path / "cache" / "linked").symlink_to(tmp_path / "outside")
    cache.sweep()
    assert len(list(outside.iterdir())) == 2 and names(cache) == {"abcd"}


# Folders that others could change are not used

others = pytest.mark.skipif(sys.platform == "win32", reason="rights and links as POSIX has them")


@others
@pytest.mark.parametrize("which", ["folder", "shelf", "drawer"])
def test_folders_writable_by_others_are_not_used(tmp_path: Path, which: str) -> None:
    first = Cache(tmp_path / "cache", KEY)
    first.put("abcd", b"content")
    path = file_of(first, "abcd")
    {"folder": tmp_path / "cache", "shelf": path.parents[1], "drawer": path.parent}[which].chmod(0o770)
    cache = Cache(tmp_path / "cache", KEY)
    assert cache.get("abcd") is None
    with cache.alone("abcd"):
        cache.put("abcd", b"again")
    cache.written_bytes = 1
    cache.sweep()
    assert cache.get("abcd") == b"again" and names(cache) == {"abcd"} and path.read_bytes().endswith(b"content")


@others
@pytest.mark.parametrize("which", ["folder", "shelf", "drawer"])
def test_no_write_follows_a_swapped_in_link(tmp_path: Path, which: str) -> None:
    outside = tmp_path / "outside"
    (outside / file_of(Cache(Path(), KEY), "abcd").parent).mkdir(parents=True, mode=0o700)
    cache = Cache(tmp_path / "cache", KEY)
    cache.put("abcd", b"content")
    drawer = file_of(cache, "abcd").parent
    folder = {"folder": tmp_path / "cache", "shelf": drawer.parent, "drawer": drawer}[which]
    folder.rename(tmp_path / "moved")
    folder.symlink_to({"folder": outside, "shelf": outside / cache.shelf, "drawer": outside / cache.shelf / "ab"}[which])
    cache.put("abce", b"content")
    with cache.alone("abcf"):
        assert [path for path in outside.rglob("*") if path.is_file()] == []
    assert cache.get("abce") == b"content"


@others
@pytest.mark.parametrize("which", ["folder", "shelf", "drawer"])
def test_no_deletion_follows_a_swapped_in_link(tmp_path: Path, small: None, which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "cache", KEY)
    for number in range(8):
        cache.put(f"name{number}", bytes(300))
    drawer = file_of(cache, "name0").parent
    folder = {"folder": tmp_path / "cache", "shelf": drawer.parent, "drawer": drawer}[which]

    def exchanged(found: list[object]) -> list[object]:
        folder.rename(tmp_path / "outside")
        folder.symlink_to(tmp_path / "outside")
        return sorted(found)  # type: ignore[type-var]

    monkeypatch.setattr("normgrade.oracle.cache.sorted", exchanged, raising=False)  # it is called between the listing and the deletion
    cache.sweep()
    assert len([path for path in (tmp_path / "outside").rglob("*") if path.is_file()]) == 8


@others
def test_new_folders_are_private_to_the_user(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", KEY)
    cache.put("abcd", b"content")
    drawer = file_of(cache, "abcd").parent
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "cache", drawer.parent, drawer)] == [0o700] * 3


def test_memory_is_bounded_and_dropped_content_is_reread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.oracle.cache.MOST_HELD", 3)
    cache = Cache(tmp_path, KEY)
    for number in range(7):
        cache.put(f"key{number}", b"%d" % number)
        assert len(cache.held) <= 3
    assert [cache.get(f"key{number}") for number in range(7)] == [b"%d" % number for number in range(7)]
