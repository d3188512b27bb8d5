"""The user's folders: the variable of normgrade comes first, then the platform's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.course.folders import user_cache, user_config

VARIABLES = ("NORMGRADE_CACHE", "NORMGRADE_CONFIG", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "APPDATA")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder, with all these variables unset."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "platform", "path"),
    [
        (user_cache, "linux", ".cache/normgrade"),
        (user_config, "linux", ".config/normgrade"),
        (user_cache, "darwin", "Library/Caches/normgrade"),
        (user_config, "darwin", "Library/Application Support/normgrade"),
        (user_cache, "win32", "AppData/Local/normgrade/Cache"),
        (user_config, "win32", "AppData/Roaming/normgrade"),
    ],
)
def test_each_platform_has_its_folders(
    folder: Callable[[], Path], platform: str, path: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert folder() == home / path


@pytest.mark.parametrize(("folder", "variable"), [(user_cache, "XDG_CACHE_HOME"), (user_config, "XDG_CONFIG_HOME")])
def test_an_empty_variable_names_no_place(folder: Callable[[], Path], variable: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv(variable, "")
    assert folder().is_relative_to(home)


@pytest.mark.parametrize(
    ("folder", "platform", "variable", "path"),
    [
        (user_cache, "linux", "XDG_CACHE_HOME", "normgrade"),
        (user_config, "linux", "XDG_CONFIG_HOME", "normgrade"),
        (user_cache, "win32", "LOCALAPPDATA", "normgrade/Cache"),
        (user_config, "win32", "APPDATA", "normgrade"),
    ],
)
def test_the_platforms_variable_names_another_place(
    folder: Callable[[], Path], platform: str, variable: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(variable, str(tmp_path / "there"))
    assert folder() == tmp_path / "there" / path


@pytest.mark.parametrize(("folder", "variable"), [(user_cache, "NORMGRADE_CACHE"), (user_config, "NORMGRADE_CONFIG")])
def test_our_own_variable_comes_first(folder: Callable[[], Path], variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    monkeypatch.setenv(variable, str(tmp_path / "mine"))
    assert folder() == tmp_path / "mine"
