"""Tests of the search for patterns that match nothing: typing errors in bans and exceptions from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.oracle.cache import Cache
from normgrade.verify import bans
from normgrade.verify.bans import literal, matches_something, matching_nothing

KEY = bytes(32)


@pytest.mark.parametrize(
    "pattern",
    [
        *("torch", "torch.rms_norm", "torch.nn.*Norm*", "torch.nn.functional.*_norm", "torch.ops.*layer_norm*", "torch.Tensor.norm"),
        *("torch._refs.*", "torch._C._VariableFunctions.*_norm*", "torch._C._*_to_static_module", "torch.masked.*normalize", "*norm*"),
        *("numpy", "numpy.linalg.norm", "torch.testing._internal.*", "torch.[kl]ayer_norm"),
    ],
)
def test_existing_names_are_matched(pattern: str) -> None:
    assert matches_something(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *("torch.rms_nrom", "torch.nn.functional.*_nrom", "torch.nn.LayerNorms", "torch.ops.aten.*layer_nrom*", "torch.Tensor.nrom"),
        *("numpy.linalg.nrm", "torch.nn.nothing.*", "nunpy", "torhc.*", "torch.pi.real.nothing"),
    ],
)
def test_misspelt_pattern_matches_nothing(pattern: str) -> None:
    assert not matches_something(pattern)


def test_pattern_of_a_missing_library_is_accepted() -> None:
    assert matches_something("qwzxqwzx.layers.*")


def test_literal_parts_of_a_pattern_are_found() -> None:
    assert [literal(pattern) for pattern in ("torch.nn.*Norm*", "a.b", "*norm", "a.[bc].d")] == [("torch", "nn"), ("a", "b"), (), ("a",)]


def test_sound_bans_are_remembered(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise, known = tiny.exercise("rms"), Cache(tmp_path, KEY)
    slip = replace(exercise, banned=(*exercise.banned, "torch.rms_nrom"), allowed=("torch.nn.LayerNrom",))
    assert matching_nothing(slip, known) == ("torch.rms_nrom", "torch.nn.LayerNrom")
    assert matching_nothing(exercise, known) == ()
    monkeypatch.setattr(bans, "matches_something", lambda pattern: False)
    assert matching_nothing(exercise, Cache(tmp_path, KEY)) == ()
    assert matching_nothing(slip, Cache(tmp_path, KEY)) == (*exercise.banned, "torch.rms_nrom", "torch.nn.LayerNrom")
