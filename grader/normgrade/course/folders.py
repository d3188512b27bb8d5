"""Where normgrade keeps what is the user's, and not a workspace's."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_cache() -> Path:
    """NORMGRADE_CACHE, else the place that the platform keeps for caches."""
    if named := os.environ.get("NORMGRADE_CACHE"):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "normgrade"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "normgrade" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "normgrade"


def user_config() -> Path:
    """NORMGRADE_CONFIG, else the place that the platform keeps for what a user has chosen."""
    if named := os.environ.get("NORMGRADE_CONFIG"):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "normgrade"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "normgrade"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "normgrade"
