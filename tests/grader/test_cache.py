"""The cache: what is put is got, now and later, and a folder that cannot be used costs time alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from normgrade.cache import Cache, user_cache


def test_what_is_put_is_got(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("abcd", b"content")
    assert cache.get("abcd") == b"content"


def test_what_was_never_put_is_none(tmp_path: Path) -> None:
    assert Cache(tmp_path).get("abcd") is None


def test_another_run_finds_what_was_put(tmp_path: Path) -> None:
    Cache(tmp_path / "new" / "folder").put("abcd", b"content")
    assert Cache(tmp_path / "new" / "folder").get("abcd") == b"content"


def test_empty_content_is_content(tmp_path: Path) -> None:
    Cache(tmp_path).put("abcd", b"")
    assert Cache(tmp_path).get("abcd") == b""


def test_putting_again_replaces(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("abcd", b"old")
    cache.put("abcd", b"new")
    assert cache.get("abcd") == Cache(tmp_path).get("abcd") == b"new"


def test_keys_do_not_mix(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("abcd", b"one")
    cache.put("abce", b"two")
    assert (Cache(tmp_path).get("abcd"), Cache(tmp_path).get("abce")) == (b"one", b"two")


def test_a_finished_write_leaves_its_file_alone(tmp_path: Path) -> None:
    Cache(tmp_path).put("abcd", b"content")
    assert [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()] == [Path("ab/abcd")]


def test_what_was_read_once_stays_for_this_run(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("abcd", b"content")
    cache.path("abcd").unlink()
    assert cache.get("abcd") == b"content" and Cache(tmp_path).get("abcd") is None


def test_a_folder_that_cannot_be_made_keeps_the_result_for_this_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file")
    cache.put("abcd", b"content")
    assert cache.get("abcd") == b"content" and Cache(tmp_path / "file").get("abcd") is None


def test_a_place_that_is_taken_is_no_error_and_leaves_no_litter(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    (cache.path("abcd") / "a folder, not a file").mkdir(parents=True)
    cache.put("abcd", b"content")
    assert cache.get("abcd") == b"content" and Cache(tmp_path).get("abcd") is None
    assert [path.name for path in (tmp_path / "ab").iterdir()] == ["abcd"]


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 39])
def test_a_file_that_was_replaced_is_as_good_as_none(tmp_path: Path, damage: bytes) -> None:
    cache = Cache(tmp_path)
    cache.put("abcd", b"content")
    cache.path("abcd").write_bytes(damage)
    assert Cache(tmp_path).get("abcd") is None


@pytest.mark.parametrize("at", [0, 31, 32, -1])
def test_a_file_of_which_one_bit_was_changed_is_as_good_as_none(tmp_path: Path, at: int) -> None:
    cache = Cache(tmp_path)
    cache.put("abcd", b"content")
    stored = bytearray(cache.path("abcd").read_bytes())
    stored[at] ^= 1
    cache.path("abcd").write_bytes(stored)
    assert Cache(tmp_path).get("abcd") is None
    Cache(tmp_path).put("abcd", b"again")
    assert Cache(tmp_path).get("abcd") == b"again"


def test_the_variable_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NORMGRADE_CACHE", str(tmp_path))
    assert user_cache() == tmp_path


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {}, "home/.cache/normgrade"),
        ("linux", {"XDG_CACHE_HOME": ""}, "home/.cache/normgrade"),
        ("linux", {"XDG_CACHE_HOME": "xdg"}, "xdg/normgrade"),
        ("darwin", {"XDG_CACHE_HOME": "xdg"}, "home/Library/Caches/normgrade"),
        ("win32", {}, "home/AppData/Local/normgrade/Cache"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/normgrade/Cache"),
    ],
)
def test_each_platform_has_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variables: dict[str, str], folder: str
) -> None:
    for name in ("NORMGRADE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value and str(tmp_path / value))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.setattr(sys, "platform", platform)
    assert user_cache() == tmp_path / folder


def test_memory_is_bounded_and_what_was_forgotten_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.cache.MOST_HELD", 3)
    cache = Cache(tmp_path)
    for number in range(7):
        cache.put(f"key{number}", b"%d" % number)
        assert len(cache.held) <= 3
    assert [cache.get(f"key{number}") for number in range(7)] == [b"%d" % number for number in range(7)]
