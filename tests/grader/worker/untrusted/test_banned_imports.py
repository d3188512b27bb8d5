"""Tests of libraries that are banned as a whole: no code can load them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from normgrade.course.ban import Ban
from normgrade.worker.untrusted.banned_imports import BannedImport, refuse
from normgrade.worker.untrusted.stopping import ByHand

BAN = Ban(("colours*", "torch.nn"), ("colours_of_mine",))


def test_a_module_of_a_banned_library_is_refused() -> None:
    with pytest.raises(BannedImport, match=r"this imports `colours.deep`, which the exercise bans \(by the rule `colours\*`\)"):
        refuse(BAN, "colours.deep")
    assert issubclass(BannedImport, ByHand) and issubclass(BannedImport, ImportError)


@pytest.mark.parametrize("name", ["colours_of_mine", "torch.nn", "numpy"])
def test_other_modules_are_not_refused(name: str) -> None:
    refuse(BAN, name)


PREPARED = """
from normgrade.course.ban import Ban
from normgrade.worker.untrusted.banned_imports import forbid_loading
forbid_loading(Ban(("wave",)))
"""
FINDERS = "import sys\nfrom importlib.machinery import *\nsys.meta_path[:] = [BuiltinImporter, FrozenImporter, PathFinder]\n"


@pytest.mark.parametrize("before", ["", FINDERS])
@pytest.mark.parametrize(("name", "refused"), [("wave", True), ("colorsys", False)])
def test_loading_is_refused_even_with_other_finders(before: str, name: str, refused: bool) -> None:
    done = subprocess.run([sys.executable, "-c", f"{PREPARED}{before}import {name}"], capture_output=True, text=True, check=False)
    assert ("BannedImport: this imports `wave`, which the exercise bans (by the rule `wave`)" in done.stderr) == refused, done.stderr
    assert (done.returncode != 0) == refused
