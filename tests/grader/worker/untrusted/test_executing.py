"""The execution of cells: what fails is left out, and nothing else."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from normgrade.worker.untrusted import executing
from normgrade.worker.untrusted.executing import Failures, execute, in_words, raise_cause


def executed(source: str) -> tuple[ModuleType, Failures]:
    module, failed = ModuleType("submission"), Failures()
    module.__file__ = "mine.py"
    execute(source, module, failed)
    return module, failed


def ran(source: str) -> tuple[ModuleType, dict[str, str]]:
    module, failed = executed(f"# In[1]:\n{source}")
    return module, in_words(failed)


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("assert False, 'mine\\nand more'", "AssertionError: mine"),
        ("raise SystemExit", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("await f()", "SyntaxError: 'await' outside function (mine.py, line 2)"),
        ("return 3", "SyntaxError: 'return' outside function (mine.py, line 2)"),
    ],
)
def test_statement_that_fails_is_left_out(statement: str, why: str) -> None:
    module, failed = ran(f"{statement}\nx = 3")
    assert failed == {"2": why} and module.x == 3


def test_source_without_cells_raises() -> None:
    with pytest.raises(AssertionError):
        executed("assert False\nx = 3")


def test_stand_ins_for_ipython() -> None:
    module, failed = ran("get_ipython().run_line_magic('matplotlib', 'inline')\ncolab = 'colab' in str(get_ipython())\ndisplay(3)")
    assert failed == {} and module.colab is False


def test_future_of_one_cell_counts_for_the_next() -> None:
    module, failed = ran("from __future__ import annotations\n# In[2]:\ndef f(x: Nothing): return x")
    assert failed == {} and module.f(3) == 3


def test_endless_loops_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executing, "WITHIN_S", 0.2)
    before = sys.gettrace()
    module, failed = ran("while True:\n    pass\ndef f():\n    while True:\n        pass\nf()\nx = 3")
    assert {*failed} == {"2", "7"} and failed["2"] == "TimeoutError: no end after 0.1 s"
    assert module.x == 3 and sys.gettrace() is before


def test_last_definition_counts() -> None:
    assert ran("class A: x = 1\n# In[2]:\nassert False\n# In[3]:\nclass A: x = 2")[0].A.x == 2


@pytest.mark.parametrize(
    ("source", "raised"),
    [
        ("assert False\nclass A(missing): pass", NameError),
        ("assert False\nA = missing", NameError),
        ("assert False", AssertionError),
        ("assert False\nclass A: pass", None),
        ("class A: pass\nclass A(missing): pass", None),
        ("x = 1", None),
    ],
)
def test_exception_that_left_a_name_undefined(source: str, raised: type[BaseException] | None) -> None:
    module, failed = executed(f"# In[1]:\n{source}")
    if raised is None:
        raise_cause(module, ["A"], failed)
    else:
        with pytest.raises(raised):
            raise_cause(module, ["A"], failed)


def test_message_that_cannot_be_read() -> None:
    assert ran("class E(Exception):\n    def __str__(self): raise self\nraise E")[1] == {"4": "E: its message could not be read"}
