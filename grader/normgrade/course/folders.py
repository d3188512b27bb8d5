"""The folders for files that belong to the user and to no workspace."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_cache() -> Path:
    """The folder that NORMGRADE_CACHE names, else one in the platform's folder for caches."""
    if named := os.environ.get("NORMGRADE_CACHE"):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "normgrade"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "normgrade" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "normgrade"


def user_config() -> Path:
    """The folder that NORMGRADE_CONFIG names, else one in the platform's folder for configuration."""
    if named := os.environ.get("NORMGRADE_CONFIG"):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "normgrade"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "normgrade"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "normgrade"
