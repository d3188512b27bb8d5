"""Cells of IPython, as Python that runs elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from normgrade.language.errors import UsageError
from normgrade.notebook.shell import python, session, session_of, words


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return an IPython that neither reads nor writes files of the user."""
    pytest.importorskip("IPython", reason="`pip install ipython`")
    from IPython.core import interactiveshell
    from traitlets.config import Config

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setattr(sys, "displayhook", sys.displayhook)
    module: Any = interactiveshell
    return module.InteractiveShell(config=Config({"HistoryManager": {"hist_file": ":memory:"}}))


@pytest.mark.parametrize(
    ("cell", "source"),
    [
        ("x = 1\n%time y = 2\n", "x = 1\n\n"),
        ("!ls\nfiles = !ls\nx = 1\n", "\n\nx = 1\n"),
        ("def f(:\n", "def f(:\n"),
    ],
)
def test_syntax_of_ipython_is_left_out(shell: Any, cell: str, source: str) -> None:
    assert python(shell, cell) == source


def test_a_session_has_names_and_cells_newest_first(shell: Any) -> None:
    for cell in ("from __future__ import annotations", "x = 1", "%%time\ny = 2"):
        shell.run_cell(cell, store_history=True)
    found = session_of(shell)
    assert [cell.strip() for cell in found.cells[:3]] == ["y = 2", "x = 1", "from __future__ import annotations"]
    assert found.namespace["x"] == 1 and found.postponed and found.gives("get_ipython", found.namespace["get_ipython"])


def test_in_plain_python_no_cells_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert session().cells == () and not session().namespace


def test_words_are_quoted_as_in_a_shell() -> None:
    assert words('try layer_norm "LayerNorm(4)"', "%normgrade COMMAND") == ["try", "layer_norm", "LayerNorm(4)"]
    with pytest.raises(UsageError) as raised:
        words('show "layer_norm', "%normgrade COMMAND")
    assert str(raised.value) == '"show "layer_norm" cannot be read (No closing quotation). Use %normgrade COMMAND.'
