"""The source of live classes and functions, with everything that they use: it runs elsewhere as it ran in the notebook."""

from __future__ import annotations

import linecache
import math
import random
import subprocess
import sys
from itertools import count
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from normgrade.language.errors import UsageError
from normgrade.notebook.standalone import Session, completed, standalone

numbers = count(1)


class Notebook:
    """Cells, run one after the other as a notebook runs them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.module = ModuleType(f"notebook_{next(numbers)}")
        self.names: dict[str, Any] = vars(self.module)
        self.cells: list[str] = []
        self.given = {"open": object(), "unused": object()}
        self.names |= self.given
        patch.setitem(sys.modules, self.module.__name__, self.module)

    def run(self, *cells: str) -> None:
        for cell in map(dedent, cells):
            name = f"<{self.module.__name__}, cell {len(self.cells) + 1}>"
            self.patch.setitem(linecache.cache, name, (len(cell), None, cell.splitlines(keepends=True), name))
            self.cells.insert(0, cell)
            exec(compile(cell, name, "exec", dont_inherit=True), self.names)

    def session(self, postponed: bool = False) -> Session:
        return Session(self.names, self.cells, self.given, postponed)

    def sent(self, *names: str) -> str:
        return standalone([self.names[name] for name in names], self.session())

    def refusal(self, *names: str) -> str:
        with pytest.raises(UsageError) as raised:
            self.sent(*names)
        return str(raised.value).replace(f"{self.module.__name__}.", "")

    def completed(self, cell: str, postponed: bool = False) -> str:
        return completed(dedent(cell), self.session(postponed))


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    return Notebook(monkeypatch)


def elsewhere(source: str) -> dict[str, Any]:
    """Return the names that a source defines by itself."""
    names: dict[str, Any] = {"__name__": "elsewhere"}
    exec(compile(source, "<sent>", "exec", dont_inherit=True), names)
    return names


# Source that is sent


def test_a_class_goes_with_its_imports_constants_and_helpers(notebook: Notebook) -> None:
    notebook.run(
        "import math\nimport os.path as paths\nfrom collections import OrderedDict as Ordered, Counter",
        "EPS = 1e-5\nunused = object()",
        """\
        def root(x):  # of x
            return math.sqrt(x + EPS)
        """,
        """\
        class Norm:
            '''Divides by a root.'''

            def __init__(self, x=EPS):
                self.kept = Ordered(x=x)

            def forward(self):
                return root(self.kept["x"]), paths.sep
        """,
    )
    assert notebook.sent("Norm") == dedent("""\
        import os.path as paths
        import math
        from collections import OrderedDict as Ordered

        EPS = 1e-05


        class Norm:
            '''Divides by a root.'''

            def __init__(self, x=EPS):
                self.kept = Ordered(x=x)

            def forward(self):
                return root(self.kept["x"]), paths.sep


        def root(x):  # of x
            return math.sqrt(x + EPS)
        """)
    assert elsewhere(notebook.sent("Norm"))["Norm"](3).forward() == notebook.names["Norm"](3).forward()


def test_several_things_share_their_dependencies(notebook: Notebook) -> None:
    notebook.run("class Pair(tuple): pass\n\ndef first():\n    return Pair()\n\nclass Second:\n    pair = Pair\n")
    sent = notebook.sent("first", "Second")
    assert sent.count("class Pair(tuple): pass") == 1
    names = elsewhere(sent)
    assert isinstance(names["first"](), names["Second"].pair)


def test_decorators_and_inner_comments_are_sent(notebook: Notebook) -> None:
    notebook.run(
        "import functools\nfunctools = functools\n\n@functools.cache\n# remembered\ndef f(x):\n    return x  # as it is\n\n# not this"
    )
    assert notebook.sent("f") == "import functools\n\n\n@functools.cache\n# remembered\ndef f(x):\n    return x  # as it is\n"


def test_the_last_definition_in_a_cell_counts(notebook: Notebook) -> None:
    notebook.run("class A:\n    def f(self): return 1\n\nclass A:\n    def f(self): return 2\n\ndef g(): return 1\n\ndef g(): return 2\n")
    assert notebook.sent("A") == "class A:\n    def f(self): return 2\n"
    assert notebook.sent("g") == "def g(): return 2\n"


def test_the_live_definition_of_two_cells_counts(notebook: Notebook) -> None:
    notebook.run("class A:\n    def f(self): return 1\n", "Old = A", "class A:\n    def f(self): return 2\n")
    assert notebook.sent("A") == "class A:\n    def f(self): return 2\n"
    assert notebook.sent("Old") == "class A:\n    def f(self): return 1\n"


def test_a_class_without_functions_is_found_by_name(notebook: Notebook) -> None:
    notebook.run("from typing import NamedTuple\nclass Two(NamedTuple):\n    a: int\n", "class Two(NamedTuple):\n    a: float = 0.5\n")
    assert notebook.sent("Two") == "from typing import NamedTuple\n\n\nclass Two(NamedTuple):\n    a: float = 0.5\n"


@pytest.mark.parametrize(
    "body",
    [
        "@property\n    def f(self): return 1",
        "@staticmethod\n    def f(): return 1",
        "@classmethod\n    def f(cls): return 1",
        "@functools.cached_property\n    def f(self): return 1",
        "@functools.cache\n    def f(self): return 1",
        "f = lambda self: 1",
    ],
)
def test_a_class_is_found_by_functions_of_every_kind(notebook: Notebook, body: str) -> None:
    notebook.run(f"import functools\nclass A:\n    {body}\n", "Old = A", "class A:\n    pass\n")
    assert body in notebook.sent("Old")


def test_a_dataclass_and_an_enum_are_found(notebook: Notebook) -> None:
    notebook.run(
        "from dataclasses import dataclass\nfrom enum import Enum\n\n@dataclass\nclass D:\n    x: int = 3\n\nclass E(Enum):\n    one = 1\n"
    )
    names = elsewhere(notebook.sent("D", "E"))
    assert names["D"]().x == 3 and names["E"].one.value == 1


def test_a_subclass_goes_with_its_own_bases(notebook: Notebook) -> None:
    notebook.run("import math\nclass Base:\n    def f(self): return math.pi\n", "class A(Base):\n    pass\n")
    notebook.run("class Base:\n    def f(self): return 'another one'\n")
    assert elsewhere(notebook.sent("A"))["A"]().f() == math.pi


def test_definitions_come_after_their_immediate_dependencies(notebook: Notebook) -> None:
    notebook.run(
        """\
        class Base:
            def child(self): return Child()
        class Child(Base):
            pass
        def even(n): return n == 0 or odd(n - 1)
        def odd(n): return n > 0 and even(n - 1)
        def marked(f): return mark(f)
        def mark(f): f.mark = even(4); return f
        @marked
        def g(x=Child): return x
        """
    )
    for name in ("Base", "Child", "even", "odd", "g"):
        elsewhere(notebook.sent(name))
    names = elsewhere(notebook.sent("g"))
    assert names["g"].mark is True and isinstance(names["g"]().child(names["Child"]()), names["Base"])


def test_lambdas_and_aliases_are_sent(notebook: Notebook) -> None:
    notebook.run("square = lambda x: x * x", "def twice(x): return 2 * x\n", "double = twice", "def f(x): return square(double(x))\n")
    assert elsewhere(notebook.sent("f"))["f"](3) == 36
    assert notebook.sent("square") == "square = lambda x: x * x\n"


def test_a_function_under_a_plain_decorator_is_sent(notebook: Notebook) -> None:
    notebook.run("def plus_one(f):\n    def inner(x): return f(x) + 1\n    return inner\n", "@plus_one\ndef helper(x): return x\n")
    notebook.run("def f(x): return helper(x)\n")
    assert elsewhere(notebook.sent("f"))["f"](1) == 2


def test_definitions_in_a_branch_are_found(notebook: Notebook) -> None:
    notebook.run("import sys\nif sys.platform:\n    class A:\n        def f(self):\n            return 1\nelse:\n    A = None\n")
    assert notebook.sent("A") == "class A:\n    def f(self):\n        return 1\n"


def test_private_names_in_a_class_are_found(notebook: Notebook) -> None:
    notebook.run("_A__eps = 2\n\nclass A:\n    def f(self): return __eps\n")
    assert elsewhere(notebook.sent("A"))["A"]().f() == 2


# Files


def test_imports_from_own_files_are_sent_as_source(notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_layers_1.py").write_text(
        "from math import sqrt\nEPS = 2\n\ndef root(x):\n    return sqrt(x + EPS)\n\nclass Kept:\n    x = 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    notebook.run("from own_layers_1 import root as rooted, Kept", "EPS = 5\ndef f(x): return rooted(x) + Kept.x\n")
    sent = notebook.sent("f")
    assert "own_layers_1" not in sent and elsewhere(sent)["f"](7) == 4.0
    import own_layers_1  # type: ignore[import-not-found]

    assert standalone([own_layers_1.root], Session()) == "from math import sqrt\n\nEPS = 2\n\n\ndef root(x):\n    return sqrt(x + EPS)\n"


def test_a_changed_file_is_sent_in_its_current_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own_layers_2.py"
    path.write_text("def f():\n    return 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    import own_layers_2  # type: ignore[import-not-found]

    path.write_text("\n\n\n\ndef f():\n    return 2\n")
    assert standalone([own_layers_2.f], Session()) == "def f():\n    return 2\n"


# Imports


def test_the_learners_own_import_is_preferred(notebook: Notebook) -> None:
    notebook.run("import os.path\nfrom os import path, sep as separator", "import os", "def f(): return os, path, separator\n")
    assert notebook.sent("f").startswith("import os\nfrom os import path, sep as separator\n")


def test_every_module_that_an_import_loads_is_imported(notebook: Notebook) -> None:
    notebook.run("import xml\nimport xml.etree.ElementTree\ndef f(): return xml.etree.ElementTree.Element\n")
    assert notebook.sent("f").startswith("import xml\nimport xml.etree.ElementTree\n")


def test_an_outdated_import_is_not_sent(notebook: Notebook) -> None:
    notebook.run("from cmath import sqrt as root", "from math import sqrt as root", "def f(): return root(4)\n", "from cmath import sqrt")
    assert notebook.sent("f") == "from math import sqrt as root\n\n\ndef f(): return root(4)\n"


def test_a_value_without_an_import_is_imported_from_home(notebook: Notebook) -> None:
    notebook.names.update(mathematics=math, root=math.sqrt)
    notebook.run("def f(): return root(mathematics.pi)\n")
    assert notebook.sent("f").startswith("import math as mathematics\nfrom math import sqrt as root\n")


@pytest.mark.parametrize("statement", ["from random import random", "from random import *", "from random import random as random"])
def test_a_value_without_a_module_is_found_by_import(notebook: Notebook, statement: str) -> None:
    assert random.random.__module__ is None
    notebook.run(statement, "def f(): return random()\n")
    assert notebook.sent("f").startswith("from random import random\n")


def test_a_library_class_is_imported_and_not_copied(notebook: Notebook) -> None:
    notebook.run("from collections import OrderedDict", "class A(OrderedDict): pass\n")
    assert notebook.sent("A") == "from collections import OrderedDict\n\n\nclass A(OrderedDict): pass\n"


# Constants


@pytest.mark.parametrize("value", [0, -1.5, 1e-300, True, None, "a'\"\n", (), (1,), (1, ("a", (None, False))), math.inf, (-math.inf,)])
def test_plain_constants_are_written_down(notebook: Notebook, value: object) -> None:
    notebook.names["K"] = value
    notebook.run("def f(): return K\n")
    found = elsewhere(notebook.sent("f"))["f"]()
    assert found == value and type(found) is type(value)


def test_an_imported_constant_is_imported(notebook: Notebook) -> None:
    notebook.run("from math import pi, inf as most\ndef f(): return pi, most\n")
    assert notebook.sent("f").startswith("from math import inf as most, pi\n")


# Annotations


def test_postponed_annotations_stay_postponed(notebook: Notebook) -> None:
    notebook.run("'''A cell.'''\nfrom __future__ import annotations\n\nclass A:\n    def f(self) -> Unknown: return 1\n")
    assert notebook.sent("A").startswith("from __future__ import annotations\n\n\nclass A:")
    later = standalone([notebook.names["A"]], notebook.session(postponed=True))
    assert later == notebook.sent("A")


def test_postponed_annotations_need_nothing(notebook: Notebook) -> None:
    notebook.run(
        """\
        from __future__ import annotations
        Shape = object()
        class Base:
            def f(self, x: Shape) -> Child: ...
        class Child(Base): pass
        """
    )
    assert "Shape = " not in notebook.sent("Child")
    elsewhere(notebook.sent("Base"))


# Cells


def test_a_cell_without_dependencies_is_unchanged(notebook: Notebook) -> None:
    notebook.run("x = 1")
    cell = "import math\ndef f(x): return [math.sqrt(y) for y in x]\nfor x in (1, 2): print(x)\n"
    assert notebook.completed(cell) == cell


def test_a_cell_is_sent_with_its_dependencies(notebook: Notebook) -> None:
    notebook.run("import math\nfrom math import tau", "EPS = 2\ndef helper(x): return x + EPS\n", "EPS = 3")
    assert notebook.completed("def f(x, eps=EPS):\n    return helper(math.sqrt(x)) + eps\n") == dedent("""\
        import math

        EPS = 3


        def helper(x): return x + EPS


        def f(x, eps=EPS):
            return helper(math.sqrt(x)) + eps
        """)


def test_a_cell_may_redefine_a_name(notebook: Notebook) -> None:
    notebook.run("class A:\n    def f(self): return 1\n", "k = 3")
    names = elsewhere(notebook.completed("class A(A):\n    def g(self): return self.f() + k\nk = k + 1\n"))
    assert names["A"]().g() == 5


def test_names_of_the_notebook_itself_are_not_sent(notebook: Notebook) -> None:
    cell = "def f(): return open(unused)\n"
    assert notebook.completed(cell) == cell
    notebook.run("unused = 2")
    assert notebook.completed(cell) == f"unused = 2\n\n\n{cell}"


def test_future_imports_of_a_cell_stay_first(notebook: Notebook) -> None:
    notebook.run("K = 1")
    cell = '"""A docstring."""\nfrom __future__ import annotations; import math\nx: Unknown = K\n'
    sent = notebook.completed(cell)
    assert sent.startswith("from __future__ import annotations\n\nK = 1\n") and elsewhere(sent)["x"] == 1


def test_future_imports_of_earlier_cells_hold(notebook: Notebook) -> None:
    elsewhere(notebook.completed("def f(x: Unknown): return x\n", postponed=True))


@pytest.mark.parametrize("cell", ["def f(:\n", "return\ndef f(x):\n  global x\n", "", "\0"])
def test_an_invalid_cell_is_unchanged(notebook: Notebook, cell: str) -> None:
    notebook.run("x = 1")
    assert notebook.completed(cell) == cell


def test_a_cell_that_uses_a_live_object_is_refused(notebook: Notebook) -> None:
    notebook.run("x = object()")
    with pytest.raises(UsageError) as raised:
        notebook.completed("def f(): return 1\nprint(x)\n")
    assert str(raised.value) == (
        '"The cell" uses "x", a value of type object, but only source code can be sent. '
        "Create it where it is used, or pass it as an argument."
    )


# Refusals

NO_SOURCE = (
    '"{}" has no source code to grade: it was created by other code, or typed at the Python prompt. '
    "Define it at the top level of a cell or file."
)


@pytest.mark.parametrize(
    "cell",
    [
        "A = type('A', (), {'f': lambda self: 1})",
        "A = type('A', (), {})",
        "exec('class A:\\n    def f(self): return 1')",
        "exec('A = lambda: 1')",
        "exec('def A(): return 1')",
        "def make():\n    class A:\n        def f(self): return 1\n    return A\nA = make()",
        "def make():\n    def A(): return 1\n    return A\nA = make()",
        "def deco(f):\n    def A(): return 1\n    return A\nA = deco(1)",
    ],
)
def test_generated_definitions_are_refused(notebook: Notebook, cell: str) -> None:
    notebook.run("class A:\n    x = 1\n", cell)
    assert notebook.refusal("A") == NO_SOURCE.format("A")


def test_definitions_typed_into_python_are_refused() -> None:
    from normgrade.worker.trusted import launch

    lines = (
        "import normgrade.notebook.standalone as s",
        "class A:",
        "  def f(self): return 1",
        "",
        "print(A().f())",
        "s.standalone([A], s.Session())",
    )
    done = subprocess.run(
        [sys.executable, "-"], input="\n".join(lines), capture_output=True, text=True, cwd=Path(launch.__file__).parents[2]
    )
    assert done.stdout == "1\n" and done.stderr.endswith(NO_SOURCE.format("A") + "\n")


def test_a_live_object_is_refused(notebook: Notebook) -> None:
    notebook.run("from array import array\nW = array('f', [1.0])", "def helper(): return W\ndef f(): return helper()\n")
    assert notebook.refusal("f") == (
        '"helper" uses "W", a value of type array.array, but only source code can be sent. '
        "Create it where it is used, or pass it as an argument."
    )


def test_an_earlier_definition_of_a_name_is_not_used(notebook: Notebook) -> None:
    notebook.run("def W(): return 1\n", "for W in [object()]: pass", "def f(): return W\n")
    assert notebook.refusal("f").startswith('"f" uses "W", a value of type object,')


def test_an_own_module_is_refused(notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_layers_3.py").write_text("K = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    notebook.run("import own_layers_3 as own", "def f(): return own.K\n")
    assert notebook.refusal("f") == (
        '"f" uses your own module "own", which cannot be imported during grading. '
        "Import the names that you use: `from own_layers_3 import …`."
    )


def test_a_name_with_two_meanings_is_refused(notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_layers_4.py").write_text("EPS = 1\ndef helper(): return EPS\n")
    monkeypatch.syspath_prepend(tmp_path)
    notebook.run("from own_layers_4 import helper", "EPS = True\ndef f(): return helper() + EPS\n")
    assert notebook.refusal("f") == '"EPS" is the name of two things: True and 1. Rename one of them.'


def test_a_class_that_extends_its_namesake_is_refused(notebook: Notebook) -> None:
    notebook.run("class A:\n    def f(self): return 1\n", "class A(A):\n    def g(self): return 2\n")
    assert notebook.refusal("A") == '"A" is the name of two things: A and another A. Rename one of them.'


@pytest.mark.parametrize("name", ["forward", "other"])
def test_a_function_put_into_a_class_is_refused(notebook: Notebook, name: str) -> None:
    notebook.run("class A:\n    def forward(self): return 1\n", f"def {name}(self): return 2\nA.{name} = {name}")
    assert notebook.refusal("A") == f'"A.{name}" was added to the class from outside. Define it in the class.'


def test_a_function_assigned_in_a_class_is_sent(notebook: Notebook) -> None:
    notebook.run("def forward(self): return 2\n", "class A:\n    call = forward\n    def f(self): return self.call()\n")
    assert elsewhere(notebook.sent("A"))["A"]().f() == 2
