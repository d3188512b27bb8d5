"""The uses of a submission in a play, and the traits that distinguish them."""

from __future__ import annotations

import numpy as np
import pytest
from uses_made import X, play, raised, step, story

from normgrade.course.signature import Signature
from normgrade.remarks.uses import Trait, uses
from normgrade.worker.wire.observation import Array, Cause, Error
from normgrade.worker.wire.requests import FunctionCall, NewLayer, OwnProbe

CONTRACT = (Signature.parse("Norm(size, affine=True, mode=None)"), Signature.parse("norm(x, dim=-1)"))


def test_every_step_until_the_error_is_a_use() -> None:
    found = list(uses([play(story([step(X), step(X[0]), step(X)]), raised(2))], CONTRACT))
    assert [(use.step, use.error is not None) for use in found] == [(1, False), (2, True)]
    assert found[0].traits == {
        "size": "a number", Trait.DIMENSIONS: 2, Trait.DTYPE: "float32", Trait.MODE: "train", Trait.SAMPLES: "several",
    }  # fmt: skip
    assert found[1].traits[Trait.DIMENSIONS] == 1 and Trait.SAMPLES not in found[1].traits and found[1].before == (found[0].traits,)


def test_arguments_count_by_their_kind() -> None:
    [use] = uses([play(story([step(X[:1])], args=[(3, 4), False], kwargs={"mode": "same"}))], CONTRACT)
    assert {name: use.traits[name] for name in ("size", "affine", "mode", Trait.SAMPLES)} == {
        "size": "a tuple", "affine": "False", "mode": "'same'", Trait.SAMPLES: "one",
    }  # fmt: skip


def test_an_argument_of_a_probe_is_no_trait() -> None:
    [use] = uses([play(OwnProbe("seen", {"size": 3, "scattered": True}))], CONTRACT)
    assert use.traits == {"size": "a number"}


def test_a_failing_construction_is_one_use() -> None:
    [use] = uses([play(story([step(X)]), raised("build"))], CONTRACT)
    assert use.error is not None and use.traits == {"size": "a number"} and use.is_call


def test_a_construction_is_a_use_but_no_call() -> None:
    called, built = uses([play(FunctionCall("norm", [Array(X, "float32"), 0])), play(NewLayer("Norm", [3]))], CONTRACT)
    assert called.is_call and called.traits[Trait.DIMENSIONS] == 2 and called.traits["dim"] == "a number"
    assert not built.is_call and built.traits == {"size": "a number"}


def test_a_step_that_should_be_refused_is_no_use() -> None:
    due = raised(2)
    [use] = uses([play(story([step(X), step(X)]), raised(2, "IndexError"), due)], CONTRACT)
    assert use.step == 1 and not use.error


@pytest.mark.parametrize(
    "error",
    [
        Error(Cause.TIMED_OUT, "no answer"),
        Error(Cause.RAISED, "Norm.__init__() got an unexpected keyword argument 'affine'", ("TypeError",), step="build"),
    ],
)
def test_timeouts_and_missing_arguments_are_no_uses(error: Error) -> None:
    assert not [*uses([play(story([step(X)]), error)], CONTRACT)]


def test_a_step_whose_numbers_differ_is_not_right() -> None:
    first, second = uses([play(story([step(X), step(X)]), wrong={2})], CONTRACT)
    assert (first.right, second.right) == (True, False) and np.ndim(X) == 2
