"""Libraries that are banned as a whole: nobody can load them."""

from __future__ import annotations

import sys

import pytest

from normgrade.course.ban import Ban
from normgrade.worker.banned_imports import BannedImport, ByHand, Refusing, forbid_loading, refuse

BAN = Ban(("colours*", "torch.nn"), ("colours_of_mine",))


def test_a_module_of_a_banned_library_is_refused() -> None:
    with pytest.raises(BannedImport, match=r"this imports `colours.deep`, which the exercise bans \(by the rule `colours\*`\)"):
        refuse(BAN, "colours.deep")
    assert issubclass(BannedImport, ByHand) and issubclass(BannedImport, ImportError)


@pytest.mark.parametrize("name", ["colours_of_mine", "torch.nn", "numpy"])
def test_any_other_is_not(name: str) -> None:
    refuse(BAN, name)
    assert Refusing(BAN).find_spec(name) is None  # type: ignore[func-returns-value]


def test_python_asks_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    forbid_loading(BAN)
    with pytest.raises(BannedImport):
        __import__("colours")
