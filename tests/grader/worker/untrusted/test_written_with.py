"""Tests of the libraries that submissions are written with: both offer all functions of a library, and NumPy needs no PyTorch."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from normgrade.worker.untrusted.written_with import MODULES, Backend, backend

ASKED = [name for name, value in vars(Backend).items() if inspect.isfunction(value) and not name.startswith("_")]


@pytest.mark.parametrize("name", MODULES)
def test_library_has_every_function(name: str) -> None:
    found = backend(name)
    for asked in ASKED:
        wanted = [each for each in inspect.signature(getattr(Backend, asked)).parameters if each != "self"]
        assert [*inspect.signature(getattr(found, asked)).parameters] == wanted
    assert found.probes.function_call and found.EXAMPLE


def test_numpy_does_not_import_pytorch() -> None:
    code = "import sys\nfrom normgrade.worker.untrusted import zygote\nzygote.warm_up('numpy')\n"
    code += "print('torch' in sys.modules, zygote.example_works('numpy'))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False True\n"
