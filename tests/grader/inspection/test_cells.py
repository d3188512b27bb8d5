"""The cells of a notebook: what is read of them, and what is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.inspection.cells import readable, told_of_cells
from normgrade.inspection.inspection import Inspection
from normgrade.report.report import Rule

RIGHT = (Path(__file__).parents[1] / "fixtures" / "inspection" / "right.py").read_text()
Inspect = Callable[..., Inspection]


def in_cells(*cells: str) -> str:
    return "\n".join(f"# In[{number}]:\n{cell}\n" for number, cell in enumerate(cells, 1))


def test_cell_that_is_not_python_becomes_comments() -> None:
    source, [finding] = readable(in_cells("x = 1", "for i in\n  y", "z = 3"))
    assert source == in_cells("x = 1", "# for i in\n#   y", "z = 3")
    assert (finding.line, finding.rule) == (5, Rule.SYNTAX)


@pytest.mark.parametrize("source", ["x = (1", in_cells("x = 1", "y = 2"), "", "# In[1]: of a sentence"])
def test_other_sources_stay(source: str) -> None:
    assert readable(source) == (source, [])


def test_open_bracket_breaks_only_its_own_cell() -> None:
    assert readable(in_cells("f(", 's = """', "x = 1"))[0] == in_cells("# f(", '# s = """', "x = 1")


def test_lines_above_the_first_cell_belong_to_it() -> None:
    assert readable("#!/usr/bin/env python\nx =\n" + in_cells("y = 1", "z = 2"))[0].count("\n# y = 1") == 1


def test_broken_cells_do_not_decide(inspect: Inspect) -> None:
    found = inspect(in_cells("print 'x'", RIGHT))
    assert found.runnable and not found.findings and found.left_out == {2: "this is not valid Python"}


def test_broken_cell_of_the_class_is_shown(inspect: Inspect) -> None:
    found = inspect(in_cells("x = 1", "class LayerNorm:\n    def forward(self:\n        pass"), "LayerNorm(dim)")
    assert [(each.line, each.rule) for each in found.findings] == [(6, Rule.SYNTAX), (0, Rule.CONTRACT)]
    assert "def forward(self:" in found.findings[0].text and not found.runnable


def test_only_cell_is_shown_if_it_is_broken(inspect: Inspect) -> None:
    assert [(each.line, each.rule) for each in inspect(in_cells("class LayerNorm(:")).findings] == [(2, Rule.SYNTAX)]


def test_own_test_against_the_library_is_left_out(inspect: Inspect) -> None:
    test = "import torch\nassert torch.layer_norm(\n    1\n) == 1\ny = 2"
    found = inspect(in_cells(RIGHT, test))
    assert not found.findings and list(found.left_out.values()) == ["`torch.layer_norm` is not available here"]
    assert found.source is not None and "# assert torch.layer_norm(\n#     1\n# ) == 1\ny = 2" in found.source


@pytest.mark.parametrize("call", ["compare()", ""])
def test_test_function_against_the_library_is_left_out(inspect: Inspect, call: str) -> None:
    found = inspect(in_cells(RIGHT, f"import torch\ndef compare():\n    return torch.layer_norm(1)\n{call}"))
    assert not found.findings and len(found.left_out) == 1


def test_banned_helper_of_the_class_is_found(inspect: Inspect) -> None:
    uses = RIGHT.replace("def forward", "def other(self): return helper(1)\n\n    def forward")
    helper = "import torch\ndef helper(x):\n    return torch.layer_norm(x)"
    assert uses != RIGHT and [each.rule for each in inspect(in_cells(helper, uses)).findings] == [Rule.BANNED]


@pytest.mark.parametrize(
    "use",
    [
        "import torch\nhelper = torch.layer_norm",
        "import torch\nhelper = lambda x: torch.layer_norm(x)",
        "from torch import layer_norm as helper\nclass Helper:\n    f = helper",
    ],
)
def test_usable_banned_name_is_found_in_every_cell(inspect: Inspect, use: str) -> None:
    assert [each.rule for each in inspect(in_cells(use, RIGHT)).findings] == [Rule.BANNED]


def test_own_test_beside_a_string_is_found(inspect: Inspect) -> None:
    found = inspect(in_cells(RIGHT, 'import torch\ns = """\n"""; torch.layer_norm(1)'))
    assert found.runnable and [each.rule for each in found.findings] == [Rule.BANNED]


def test_each_cell_is_told_once() -> None:
    source = in_cells("a()\nb()", "c()", "d()\n" + "x" * 90, "e()", "f()")
    told = told_of_cells(source, {line: f"E{line}" for line in (2, 3, 10, 13, 16)})
    assert told[0] == "Cell 1 did not run as a whole: line 2, `a()`: E2"
    assert told[1] == f"Cell 3 did not run as a whole: line 10, `{'x' * 60}…`: E10"
    assert told[3:] == ("1 more cell did not run as a whole.",)
    assert told_of_cells(source, {}) == told_of_cells("x = 1", {1: "E"}) == ()
