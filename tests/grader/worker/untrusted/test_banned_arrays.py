"""Tests that banned functions of NumPy raise, in exercises with PyTorch and without."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.course.ban import Ban
from normgrade.course.tensor_library import Library
from normgrade.worker.trusted.host import Host
from normgrade.worker.untrusted.banned_arrays import banned_functions, in_numpy
from normgrade.worker.wire.observation import Request

BAN = Ban(("numpy.*corrcoef", "torch.*corrcoef"))
X = "np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]])"
SPELLINGS = {
    f"np.corrcoef({X})": "numpy.corrcoef",
    f"getattr(np, 'corr' + 'coef')({X})": "numpy.corrcoef",
    f"np.corrcoef.__wrapped__({X})": "numpy.corrcoef",
    f"np.corrcoef._implementation({X})": "numpy.corrcoef",
    f"np.lib._function_base_impl.corrcoef({X})": "numpy.corrcoef",
    f"np.ma.corrcoef({X})": "numpy.ma.corrcoef",
}


@pytest.mark.parametrize("expression", SPELLINGS)
@pytest.mark.parametrize("written_with", ["numpy", "torch"])
def test_banned_function_raises_in_every_spelling(hosts: dict[str, Host], expression: str, written_with: str) -> None:
    with hosts[written_with].worker(f"import numpy as np\ndef f():\n    return {expression}\n", "f.py", ban=BAN) as worker:
        error = worker.play(Request("function_call", {"function": "f", "args": [], "kwargs": {}}), 10_000).error
    assert error is not None and error.types[0] == "ByHand"
    rule = "(by the rule `numpy.*corrcoef`): it must be written by hand"
    assert error.message == f"this calls `{SPELLINGS[expression]}`, which the exercise bans {rule}"


@pytest.fixture(scope="module")
def hosts() -> object:
    with Host(bans=[BAN], written_with=Library.NUMPY) as numpy, Host(bans=[BAN]) as torch:
        yield {"numpy": numpy, "torch": torch}


def test_statistics_are_allowed(hosts: dict[str, Host]) -> None:
    source = f"import numpy as np\ndef f():\n    return float(np.cov({X}).sum() + np.ma.cov({X}).sum() + np.std({X}))\n"
    with hosts["numpy"].worker(source, "f.py", ban=BAN) as worker:
        assert worker.play(Request("function_call", {"function": "f", "args": [], "kwargs": {}}), 10_000).error is None


def test_allowed_functions_are_not_banned() -> None:
    found = [name for _function, name, _pattern in in_numpy(Ban(("numpy.c*coef", "numpy.cov"), ("numpy.corrcoef",)))]
    assert found == ["numpy.cov"]
    assert list(banned_functions(np.linalg, BAN)) == []
