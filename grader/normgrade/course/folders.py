"""Folders for files of the user that belong to no workspace.

platformdirs would give the same folders; one more package to install is too much for two paths.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_cache() -> Path:
    """Return the folder in NORMGRADE_CACHE, else the platform's folder for caches."""
    return user_folder("NORMGRADE_CACHE", "Caches", ("LOCALAPPDATA", "Local", "normgrade/Cache"), ("XDG_CACHE_HOME", ".cache"))


def user_config() -> Path:
    """Return the folder in NORMGRADE_CONFIG, else the platform's folder for settings."""
    windows = "APPDATA", "Roaming", "normgrade"
    return user_folder("NORMGRADE_CONFIG", "Application Support", windows, ("XDG_CONFIG_HOME", ".config"))


def user_folder(variable: str, macos: str, windows: tuple[str, str, str], others: tuple[str, str]) -> Path:
    """Return the folder that the variable names, else the platform's.

    `macos` is a folder in ~/Library. `windows` and `others` are a variable of the platform, the folder if that is not set (in ~/AppData,
    in the home folder), and for Windows the path from there.
    """
    if named := os.environ.get(variable):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / macos / "normgrade"
    if sys.platform == "win32":
        platform_variable, usual, path = windows
        return Path(os.environ.get(platform_variable) or Path.home() / "AppData" / usual) / path
    platform_variable, usual = others
    return Path(os.environ.get(platform_variable) or Path.home() / usual) / "normgrade"
