"""Tests of plays of submissions written only with NumPy, in a worker, from the request to the numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from normgrade.course.ban import Ban
from normgrade.course.tensor_library import Library
from normgrade.worker.trusted.host import Host
from normgrade.worker.untrusted import in_numpy
from normgrade.worker.untrusted.play import load, play
from normgrade.worker.wire.observation import Array, Cause, Observation, Request

BAN = Ban(("torch", "jax"))


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with Host("process", written_with=Library.NUMPY, bans=[BAN]) as host:
        yield host


def asked(host: Host, source: str, function: str = "f", *args: Array) -> Observation:
    with host.worker(source, "f.py", ban=BAN) as worker:
        return worker.play(Request("function_call", {"function": function, "args": list(args), "kwargs": {}}), 2**16)


def test_a_worker_holds_no_pytorch(host: Host) -> None:
    seen = asked(host, "import sys\ndef f():\n    return 'torch' in sys.modules\n")
    assert seen.error is None and seen.values["result"] is False


def test_a_worker_plays_both_functions(host: Host) -> None:
    with host.worker(in_numpy.EXAMPLE, "f.py") as worker:
        seen = worker.play(in_numpy.first_step(), 2**16)
    assert seen.error is None
    gradient = seen.values["step 1 · gradient of input 2"]
    assert isinstance(gradient, Array) and gradient.values.tolist() == [0.0, 0.0, 0.0]


def test_without_fork_processes_are_started_anew() -> None:
    with Host(fork=False, written_with=Library.NUMPY) as host:
        seen = asked(host, "import sys\ndef f():\n    return 'torch' in sys.modules\n")
    assert seen.error is None and seen.values["result"] is False


@pytest.mark.parametrize(
    "statement",
    [
        "import torch",
        "from torch.nn import functional",
        "import importlib; importlib.import_module('torch.nn')",
        "__import__('jax')",
        "exec('import torch', {'__name__': 'elsewhere'})",
        "from importlib import machinery as m; m.SourceFileLoader('other', m.PathFinder.find_spec('torch').origin).load_module()",
        "import sys; sys.meta_path[:] = sys.meta_path[-3:]; exec('import torch', {'__name__': 'elsewhere'})",
        "import builtins, importlib; builtins.__import__ = importlib.__import__; exec('import torch', {'__name__': 'elsewhere'})",
    ],
)
def test_a_banned_library_cannot_be_imported(host: Host, statement: str) -> None:
    error = asked(host, f"def f():\n    {statement}\n").error
    assert error is not None and error.cause is Cause.RAISED and "ByHand" in error.types
    assert "which the exercise bans (by the rule" in error.message


def test_other_libraries_can_be_imported(host: Host) -> None:
    assert asked(host, "import dataclasses, colorsys, numpy.linalg\ndef f():\n    return 1\n").error is None


def test_every_play_starts_with_the_same_settings() -> None:
    source = "import numpy as np, random\ndef f():\n    np.seterr(all='raise')\n    return np.random.rand() + random.random()\n"
    module = load(source, "f.py")
    before = np.geterr()
    one, other = (
        play(module, Request("function_call", {"function": "f", "args": [], "kwargs": {}}), written_with=Library.NUMPY) for _ in "ab"
    )
    assert one.values["result"].values == other.values["result"].values  # type: ignore[union-attr]
    assert np.geterr() == before


def test_inputs_are_copies() -> None:
    array = Array(np.zeros(2, np.float32), "float32")
    in_numpy.given(array)[0] = 5
    assert array.values.tolist() == [0.0, 0.0]


def test_bfloat16_is_refused() -> None:
    with pytest.raises(ValueError, match="NumPy does not support bfloat16: use float16"):
        in_numpy.given(Array(np.zeros(2, np.float32), "bfloat16"))
