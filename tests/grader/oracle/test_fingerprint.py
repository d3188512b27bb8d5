"""Tests of the names of things that are kept."""

from __future__ import annotations

from normgrade.oracle.fingerprint import fingerprint


def test_cache_key_separates_its_parts() -> None:
    assert len({fingerprint("ab", "c"), fingerprint("a", "bc"), fingerprint("abc"), fingerprint("abc", ""), fingerprint("", "abc")}) == 5
    assert fingerprint("é") == fingerprint("é".encode())
