"""Tests of the results of probes: the examples in the docstrings, and the names that need no PyTorch."""

from __future__ import annotations

import subprocess
import sys

import pytest

from normgrade import probes
from normgrade.probes import layers, results


def test_every_name_is_found_in_the_package() -> None:
    for module, names in ((results, probes.RESULTS), (layers, probes.LAYERS)):
        assert all(getattr(probes, name) is getattr(module, name) for name in names)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'normgrade.probes' has no attribute 'nothing'"):
        probes.nothing  # noqa: B018


@pytest.mark.parametrize(
    "imported", ["from normgrade.probes import Estimate, Place, Stopped, gradient_of, parts", "from normgrade.probes import arrays"]
)
def test_results_and_array_probes_do_not_import_pytorch(imported: str) -> None:
    code = f"{imported}\nimport sys\nprint('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
