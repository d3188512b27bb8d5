"""The folders that are the user's own, as the platform places them."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_config() -> Path:
    """Where the user's configuration lies: what NORMGRADE_CONFIG names, else the platform's place for it."""
    if named := os.environ.get("NORMGRADE_CONFIG"):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "normgrade"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "normgrade"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "normgrade"
