"""The command `reset`: the stub is back, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The folder that commands run in."""
    return tmp_path


@pytest.mark.parametrize("command", ["reset rms", "progress"])
def test_what_needs_a_workspace_says_so(command: str, run: Run, here: Path) -> None:
    code, out, err = run(*command.split())
    assert (code, out) == (
        2,
        "",
    ) and err == f'Error: "{here}" is in no workspace. Begin one with `normgrade init`, or go to the folder of yours.'
