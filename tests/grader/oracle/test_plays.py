"""Tests of plays in this process: in float64 or native, and silent."""

from __future__ import annotations

import warnings

import pytest
from oracle_case import FUNCTIONS, X, asked

from normgrade.oracle.inputs import widened
from normgrade.oracle.loading import module
from normgrade.oracle.oracle import Oracle
from normgrade.oracle.plays import play_natively
from normgrade.suite.story import call
from normgrade.worker.wire.observation import Foreign
from normgrade.worker.wire.requests import FunctionCall


def test_one_play_is_in_float64_or_native(oracle: Oracle) -> None:
    wanted = oracle.expectation(FUNCTIONS, asked(call("dtype", X))).request
    exact, native = oracle.exactly(FUNCTIONS, widened(wanted)), oracle.natively(FUNCTIONS, wanted)
    assert (exact.values["result"], native.values["result"]) == ("torch.float64", "torch.float32")


def test_value_above_the_limit_is_foreign(oracle: Oracle) -> None:
    wanted = oracle.expectation(FUNCTIONS, asked(call("mean", X))).request
    assert isinstance(oracle.natively(FUNCTIONS, wanted, 1).values["result"], Foreign)


def test_plays_say_and_warn_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    loud = module("import warnings\ndef loud():\n    print(1)\n    warnings.warn('two')\n    return 3\n", "loud")
    with warnings.catch_warnings(record=True) as warned:
        assert play_natively(loud, FunctionCall("loud"), None).values["result"] == 3
    assert (capsys.readouterr().out, warned) == ("", [])
