"""The formats by name, and what each of them imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import normgrade
from normgrade.language.errors import UsageError
from normgrade.report.render import FORMATS, render


def test_an_unknown_format_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UsageError) as refused:
        render([], "jnit")
    assert str(refused.value) == 'No format named "jnit". Did you mean "junit"? Formats are terminal, json, junit, html.'


def test_only_the_terminal_imports_rich() -> None:
    program = (
        "import sys\nfrom normgrade.report.render import render\nrender([], 'json'), render([], 'junit')\nprint('rich' in sys.modules)"
    )
    path = str(Path(normgrade.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


@pytest.mark.parametrize("format", [format for format in FORMATS if format != "html"])
def test_only_the_page_imports_jinja(format: str) -> None:
    program = f"import sys\nfrom normgrade.report.render import render\nrender([], {format!r})\nprint('jinja2' in sys.modules)"
    path = str(Path(normgrade.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"
