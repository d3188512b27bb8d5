"""The source of a notebook."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.classes.notebooks import LIMIT_NOTEBOOK_BYTES, source_of_notebook
from normgrade.inspection.source import LIMIT_BYTES


def notebook(*cells: Any, **more: Any) -> bytes:
    code = [{"cell_type": "code", "source": cell, "outputs": []} for cell in cells]
    return json.dumps({"cells": code, "nbformat": 4, "metadata": {}} | more).encode()


def source(*cells: Any) -> str:
    found = source_of_notebook(notebook(*cells))
    assert isinstance(found, bytes), found
    return found.decode()


def test_cells_are_joined_with_their_numbers() -> None:
    assert source("x = 1", ["y = 2\n", "z = 3"]) == "# In[1]:\nx = 1\n\n# In[2]:\ny = 2\nz = 3\n"


def test_only_code_counts() -> None:
    cells = [{"cell_type": "markdown", "source": "# Task"}, {"cell_type": "code", "source": "x = 1"}]
    assert source_of_notebook(notebook(cells=cells)) == b"# In[1]:\nx = 1\n"


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%matplotlib inline\nx = 1", "# %matplotlib inline\nx = 1"),
        ("!pip install \\\n  torch\nx = 1", "# !pip install \\\n  pass  # torch\nx = 1"),
        ("?torch\ntorch.nn??\nx = 1", "# ?torch\n# torch.nn??\nx = 1"),
        ("files = !ls\nt = %timeit -o f()", "# files = !ls\n# t = %timeit -o f()"),
        ("if x:\n    %time f()", "if x:\n    pass  # %time f()"),
        ("x = (7\n  % 4)", "x = (7\n  % 4)"),
        ("x = 7 \\\n  % 4", "x = 7 \\\n  % 4"),
        ('s = """\n%time\n!ls\n"""\n%time', 's = """\n%time\n!ls\n"""\n# %time'),
        ("s = '(' # (\n%time", "s = '(' # (\n# %time"),
        ("s = '\\''\n%time", "s = '\\''\n# %time"),
        ("s = 'open\n%time", "s = 'open\n# %time"),
        ("x = a != b\ny = a == b", "x = a != b\ny = a == b"),
        ("%%bash\nls\n\nif x:\n  y", "# %%bash\n# ls\n#\n# if x:\n#   y"),
        ("%%time\nx = 1", "# %%time\nx = 1"),
        ("%%capture out\nx = 1", "# %%capture out\nx = 1"),
        ("\n%%normgrade layer_norm\nx = 1", "\n# %%normgrade layer_norm\nx = 1"),
        ("%%timeit\nx = 1", "# %%timeit\n# x = 1"),
    ],
)
def test_lines_for_ipython_become_comments(cell: str, python: str) -> None:
    assert source(cell) == f"# In[1]:\n{python}\n"


def test_line_numbers_stay() -> None:
    cell = "%time\r\nx = 1\n!ls\ny = 2"
    assert source(cell).split("\n")[1:5] == ["# %time", "x = 1", "# !ls", "y = 2"]


DAMAGED = "The notebook is damaged, since its JSON cannot be read: open it in Jupyter, and save it again."


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", DAMAGED),
        (b"{", DAMAGED),
        (b"\xff\xfe{}", DAMAGED),
        (b"[" * 100_000, DAMAGED),
        (b"[]", DAMAGED),
        (b'{"nbformat": 4}', DAMAGED),
        (b'{"nbformat": Infinity, "cells": []}', DAMAGED),
        (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 7}]}', DAMAGED),
        (b'{"nbformat": 4, "cells": 7}', DAMAGED),
        (b'{"nbformat": 3, "worksheets": []}', "The notebook has a format older than version 4: open it in Jupyter, and save it again."),
        (notebook(), "The notebook has no code cell: hand in one with the code of the exercise."),
        (notebook(" \n"), "The notebook has no code cell: hand in one with the code of the exercise."),
        (b" " * (LIMIT_NOTEBOOK_BYTES + 1), "The notebook is larger than 4 MiB: clear its outputs, and save it again."),
    ],
)
def test_a_notebook_without_code_gives_the_reason(content: bytes, why: str) -> None:
    assert source_of_notebook(content) == why


def test_byte_order_mark_and_half_characters_are_read() -> None:
    assert source_of_notebook(b"\xef\xbb\xbf" + notebook("x = '\ud800'")) == "# In[1]:\nx = '\ud800'\n".encode(errors="surrogatepass")


def test_a_long_source_is_cut_above_the_limit() -> None:
    found = source_of_notebook(notebook("#" * LIMIT_BYTES * 2))
    assert isinstance(found, bytes) and len(found) == LIMIT_BYTES + 1


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda below: st.lists(below) | st.dictionaries(st.sampled_from(["cell_type", "source", "cells", "nbformat"]), below),
    )
)
def test_no_json_is_too_strange(value: object) -> None:
    assert source_of_notebook(json.dumps(value).encode())


@settings(deadline=None)
@given(st.text("%!?'\"#()\\ \nx=", max_size=40))
def test_every_cell_keeps_its_number_of_lines(cell: str) -> None:
    assert source(f"x\n{cell}").count("\n") == cell.count("\n") + 3
