"""Tests of the oracle: the cache on disk, and plays that are remembered."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle_case import FUNCTIONS, KEY, MINE, NORM, X, asked, numbers

from normgrade.compare.differences import allowed, unsound
from normgrade.language.errors import CourseError
from normgrade.language.places import Place
from normgrade.oracle.cache import Cache
from normgrade.oracle.expected import Expectation
from normgrade.oracle.fingerprint import fingerprint
from normgrade.oracle.kept import encode, request_key
from normgrade.oracle.oracle import Oracle
from normgrade.suite.story import Story, build, call, probe, request, train
from normgrade.worker import interrupts
from normgrade.worker.wire.observation import Observation
from normgrade.worker.wire.requests import FunctionCall, OwnProbe, TypedRequest

SWALLOWS = """
import os, signal

def mean(x):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        return x
"""
BROKEN = "raise AssertionError('this source must not be executed')\n"


def key_of(source: str, wanted: TypedRequest, probes: str = "") -> str:
    return fingerprint(source, probes, request_key(wanted))


def test_remembered_native_play_is_returned_once(oracle: Oracle) -> None:
    wanted, seen = oracle.expectation(FUNCTIONS, asked(call("dtype", X))).request, Observation({Place("result"): "seen"})
    oracle.remember(FUNCTIONS, wanted, seen)
    assert oracle.natively(FUNCTIONS, wanted) is not seen
    remembering = oracle.remembering()
    remembering.remember(FUNCTIONS, wanted, seen)
    assert remembering.natively(FUNCTIONS, wanted) is seen
    assert remembering.natively(FUNCTIONS, wanted).values["result"] == "torch.float32"


def test_an_error_comes_back_from_the_cache(oracle: Oracle, tmp_path: Path) -> None:
    wanted = asked(build(8), train(X), train(X[0]))
    first, again = oracle.expectation(NORM, wanted), Oracle(Cache(tmp_path, MINE)).expectation(NORM, wanted)
    assert first.error is not None and again.error is not None
    assert (again.error.types, again.error.message, again.error.step) == (first.error.types, first.error.message, first.error.step)


def test_reference_without_numbers_is_unsound_from_cache_too(oracle: Oracle, tmp_path: Path) -> None:
    for one in (oracle, Oracle(Cache(tmp_path, MINE))):
        assert (unsound(one.expectation(FUNCTIONS, asked(call("listed", X)))) or "").startswith("the reference returns a list at result, ")


def test_standard_error_of_an_estimate_survives_the_cache(tmp_path: Path) -> None:
    oracle = Oracle(Cache(tmp_path, MINE), "from normgrade.probes import Estimate\ndef level(impl): return {'level': Estimate(0.5, 0.25)}")
    for _ in range(2):
        place = oracle.expectation(FUNCTIONS, asked(probe("level"))).places[Place("level")]
        assert (numbers(place.value).item(), place.error, allowed(place).item()) == (0.5, 0.25, pytest.approx(5 * 2**0.5 * 0.25, rel=1e-4))


def test_the_same_request_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = (Oracle(Cache(tmp_path / name, MINE)).expectation(NORM, asked(build(8), train(X))) for name in ("a", "b"))
    assert encode(one) == encode(other)


def test_cached_expectation_is_not_computed_again(tmp_path: Path) -> None:
    wanted = asked(call("mean", X))
    known = Oracle(Cache(tmp_path, MINE)).expectation(FUNCTIONS, wanted)
    Cache(tmp_path, MINE).put(key_of(BROKEN, wanted), encode(known))
    assert encode(Oracle(Cache(tmp_path, MINE)).expectation(BROKEN, wanted)) == encode(known)
    with pytest.raises(CourseError, match="cannot be executed: AssertionError: this source must not be executed"):
        Oracle(Cache(tmp_path / "empty", MINE)).expectation(BROKEN, wanted)


def test_cached_expectation_needs_no_torch(tmp_path: Path) -> None:
    source = "import torch\ndef mean(x):\n    return x.mean()\n"
    arguments = f"{source!r}, FunctionCall('mean', draw=1)"
    code = f"""
import sys
from dataclasses import replace
from pathlib import Path
from normgrade.oracle.cache import Cache
from normgrade.worker.wire.requests import FunctionCall
from normgrade.oracle.oracle import Oracle
print(Oracle(Cache(Path(sys.argv[1]), bytes(32))).expectation({arguments}).error.types[0], 'torch' in sys.modules)
"""
    wanted = FunctionCall("mean", draw=1)
    Oracle(Cache(tmp_path, MINE)).expectation(source, wanted)
    printed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True).stdout
    assert printed == "TypeError False\n"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a frame",
        encode(Expectation(OwnProbe("p"), {}))[:-1],
        encode(Expectation(OwnProbe("p"), {})) + b"x",
    ],
)
def test_damaged_cache_entry_is_computed_again(tmp_path: Path, content: bytes) -> None:
    wanted = asked(call("mean", X))
    right = encode(Oracle(Cache(tmp_path / "other", MINE)).expectation(FUNCTIONS, wanted))
    key = key_of(FUNCTIONS, wanted)
    Cache(tmp_path, MINE).put(key, content)
    assert encode(Oracle(Cache(tmp_path, MINE)).expectation(FUNCTIONS, wanted)) == right
    assert Cache(tmp_path, MINE).get(key) == right


def test_cache_key_depends_on_every_part() -> None:
    wanted = asked(call("mean", X))
    keys = [
        key_of(FUNCTIONS, wanted),
        key_of(FUNCTIONS + "\n", wanted),
        key_of(FUNCTIONS, wanted, "def probe(impl): ..."),
        key_of(FUNCTIONS, asked(call("same", X))),
        key_of(FUNCTIONS, asked(call("mean", X.T))),
        key_of(FUNCTIONS, asked(call("mean", np.nextafter(X, np.float32(9))))),
        key_of(FUNCTIONS, asked(call("mean", X.astype(np.float64)))),
        key_of(FUNCTIONS, request([call("mean", X)], "Norm", [1, *KEY[1:]])),
        key_of("", wanted, FUNCTIONS),
    ]
    assert len(set(keys)) == len(keys) and key_of(FUNCTIONS, asked(call("mean", X.copy()))) == keys[0]


@pytest.mark.parametrize(("stop", "raised"), [
    ("KeyboardInterrupt", KeyboardInterrupt), ("SystemExit", SystemExit), ("MemoryError", MemoryError),
    ('RuntimeError("DefaultCPUAllocator: can\'t allocate memory")', MemoryError),
])  # fmt: skip
@pytest.mark.parametrize("story", [[call("stopped", X)], [build(8), train(X), train(X)]], ids=["function", "layer"])
def test_exceptions_that_stop_the_grader_are_not_kept(stop: str, raised: type[BaseException], story: Story, tmp_path: Path) -> None:
    source = f"{NORM}\n\ndef stopped(x):\n    raise {stop}\n\nclass Norm(Norm):\n    def forward(self, x):\n        raise {stop}\n"
    oracle = Oracle(Cache(tmp_path, MINE))
    with pytest.raises(raised):
        oracle.expectation(source, asked(*story))
    assert list(tmp_path.rglob("*")) == []


def test_interrupt_swallowed_by_the_reference_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = Oracle(Cache(tmp_path, MINE))
    monkeypatch.setattr(interrupts.Interrupts, "first", None)  # for the tests that follow
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupts.remember()
        with pytest.raises(KeyboardInterrupt):
            oracle.expectation(SWALLOWS, asked(call("mean", X)))
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(tmp_path.rglob("*")) == []


def test_cached_expectation_is_recomputed_on_request(tmp_path: Path) -> None:
    wanted, cache = asked(call("mean", X)), Cache(tmp_path, MINE)
    right = encode(Oracle(cache).expectation(FUNCTIONS, wanted))
    other = Oracle(cache).expectation(FUNCTIONS, asked(call("mean", X * 2)))
    cache.put(key_of(FUNCTIONS, wanted), encode(other))
    assert encode(Oracle(cache).expectation(FUNCTIONS, wanted)) == encode(other)
    assert encode(Oracle(cache).expectation(FUNCTIONS, wanted, anew=True)) == right == cache.get(key_of(FUNCTIONS, wanted))
