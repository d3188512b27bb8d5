"""The source that is graded: it runs elsewhere as it ran in the notebook. And the things that are passed to `check`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from textwrap import dedent
from types import GenericAlias, ModuleType
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.notebook.sent_source import cell_with_needs, definitions, exercise_for, name_of, text_of


def elsewhere(source: str) -> dict[str, Any]:
    """Return the names that a source defines by itself."""
    names: dict[str, Any] = {"__name__": "elsewhere"}
    exec(compile(source, "<sent>", "exec", dont_inherit=True), names)
    return names


def sent(name: str, *cells: str) -> str:
    """Return the source that is sent for a name, after these cells ran."""
    return definitions([name], [dedent(cell) for cell in reversed(cells)])


def completed(cell: str, *cells: str) -> str:
    return cell_with_needs(dedent(cell), [dedent(each) for each in reversed(cells)])


def refusal(function: Callable[..., object], *arguments: object) -> str:
    with pytest.raises(UsageError) as raised:
        function(*arguments)
    return str(raised.value)


# Names


def test_a_class_goes_with_its_imports_constants_and_helpers() -> None:
    source = sent(
        "Norm",
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

        normgrade.check(Norm)
        """,
    )
    assert source == dedent("""\
        EPS = 1e-5
        from collections import OrderedDict as Ordered, Counter
        import os.path as paths
        import math


        def root(x):  # of x
            return math.sqrt(x + EPS)


        class Norm:
            '''Divides by a root.'''

            def __init__(self, x=EPS):
                self.kept = Ordered(x=x)

            def forward(self):
                return root(self.kept["x"]), paths.sep
        """)
    assert elsewhere(source)["Norm"](3).forward() == (math.sqrt(3 + 1e-5), "/")


def test_several_names_share_what_they_need() -> None:
    source = definitions(
        ["first", "Second"], ["class Pair(tuple): pass\n\ndef first():\n    return Pair()\n\nclass Second:\n    pair = Pair\n"]
    )
    assert source.count("class Pair(tuple): pass") == 1
    names = elsewhere(source)
    assert isinstance(names["first"](), names["Second"].pair)


def test_decorators_and_inner_comments_are_sent() -> None:
    cell = "import functools\n\n@functools.cache\n# remembered\ndef f(x):\n    return x  # as it is\n\n# not this"
    assert sent("f", cell) == "import functools\n\n\n@functools.cache\n# remembered\ndef f(x):\n    return x  # as it is\n"


def test_the_newest_definition_counts() -> None:
    assert sent("g", "def g(): return 0\n", "def g(): return 1\n\ndef g(): return 2\n") == "def g(): return 2\n"


def test_a_base_that_was_run_again_comes_first() -> None:
    base, child = "class Base:\n    x = 1\n", "class Child(Base):\n    pass\n"
    assert elsewhere(sent("Child", base, child, base))["Child"].x == 1


def test_definitions_may_need_each_other() -> None:
    cell = "def even(n): return n == 0 or odd(n - 1)\ndef odd(n): return n > 0 and even(n - 1)\n"
    assert elsewhere(sent("odd", cell))["odd"](3) is True


def test_a_name_without_a_definition_is_refused() -> None:
    assert refusal(sent, "A", "x = 1") == (
        '"A" has no source code to grade: it was created by other code, or typed at the Python prompt. '
        "Define it at the top level of a cell or file."
    )


# Cells


def test_a_cell_without_needs_is_unchanged() -> None:
    cell = "import math\ndef f(x): return [math.sqrt(y) for y in x]\nfor x in (1, 2): print(x)\n"
    assert completed(cell, "x = object()") == cell


def test_a_cell_is_sent_with_its_needs() -> None:
    source = completed(
        "def f(x, eps=EPS):\n    return helper(math.sqrt(x)) + eps\n",
        "import math\nfrom math import tau",
        "EPS = 2\ndef helper(x): return x + EPS\n",
        "EPS = 3",
    )
    assert source == dedent("""\
        EPS = 3


        def helper(x): return x + EPS
        import math


        def f(x, eps=EPS):
            return helper(math.sqrt(x)) + eps
        """)
    assert elsewhere(source)["f"](4) == 8


@pytest.mark.parametrize("cell", ["def f(:\n", "return\ndef f(x):\n  global x\n", "", "\0"])
def test_an_invalid_cell_is_unchanged(cell: str) -> None:
    assert completed(cell, "x = 1") == cell


@pytest.mark.parametrize("before", ["W = torch.ones(2)", "for W in range(3): pass", "W += 1", "with open('x') as W: pass"])
def test_a_computed_value_is_refused(before: str) -> None:
    said = refusal(completed, "def f(x): return x * W\n", "W = 1", before)
    assert said == (
        '"The cell" uses "W", which is computed elsewhere. Only imports, definitions and literals of other cells are sent: '
        "create it where it is used, or pass it as an argument."
    )


@pytest.mark.parametrize("value", ["-1.5", "(1, ('a', None))", "2 ** -10", "[K, 2]", "{'a': 1}"])
def test_constants_are_sent_as_written(value: str) -> None:
    source = completed("def f(): return C\n", "K = 1", f"C: object = {value}")
    assert f"C: object = {value}\n" in source and elsewhere(source)["f"]() == eval(value, {"K": 1})


def test_only_the_statement_that_is_needed_is_sent() -> None:
    cells = ("await something()", "import math; math.gone()", "x = 1; return\n", "while True:\n  break")
    assert completed("def f(): return math.pi\n", *cells) == "import math\n\n\ndef f(): return math.pi\n"


def test_postponed_annotations_stay_postponed() -> None:
    future, cell = "from __future__ import annotations\n", "x: Unknown = K\n"
    for source in (completed(cell, future, "K = 1"), completed(future + cell, "K = 1"), completed(future + "x: Unknown = 1\n", "K = 2")):
        assert elsewhere(source)["x"] == 1
    assert completed(f'"""A docstring."""\n{future}{cell}', "K = 1").startswith(f"{future}K = 1\n")


# Classes and functions that are passed to `check`


class Norm:
    def __call__(self) -> None: ...

    def forward(self) -> None: ...


class Shy:
    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)

    def __call__(self) -> None: ...


def plain(x: Any) -> Any:
    return x


@cache
def cached(x: Any) -> Any:
    return x


@pytest.mark.parametrize(("thing", "name"), [(Norm, "Norm"), (plain, "plain"), (cached, "cached")])
def test_a_thing_has_a_name_and_a_text(thing: object, name: str) -> None:
    assert name_of(thing) == name
    assert text_of(thing) == Path(__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize("thing", [3, None, "LayerNorm", math, ModuleType("mine"), object(), [Norm], GenericAlias(list, int)])
def test_other_things_are_refused(thing: object) -> None:
    said = refusal(name_of, thing)
    assert said.startswith("Cannot grade ")
    assert said.endswith(": it is neither a class nor a function. Pass the class or function that you defined, as in check(…, LayerNorm).")


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (Norm(), "Norm"),
        (Norm().forward, "Norm"),
        (partial(Norm), "Norm"),
        (partial(plain, 1), "plain"),
        pytest.param(Shy(), "Shy", id="shy"),
    ],
)
def test_an_instance_is_refused_and_its_definition_named(thing: object, name: str) -> None:
    assert refusal(name_of, thing).endswith(f"Pass the class or function that you defined, as in check(…, {name}).")


@pytest.mark.parametrize(
    ("thing", "name"), [(len, "len"), (dict, "dict"), (math.sqrt, "sqrt"), (pytest.raises, "raises"), (str.join, "join")]
)
def test_library_definitions_are_refused(thing: object, name: str) -> None:
    assert refusal(name_of, thing) == f'"{name}" comes with Python or a library. Pass a class or a function that you wrote.'


def test_a_method_that_was_added_from_outside_is_refused() -> None:
    extended = type("Norm", (Norm,), {"__module__": __name__, "backward": plain})
    assert refusal(name_of, extended) == '"Norm.backward" was added to the class from outside. Define it in the class.'


def test_a_lambda_is_refused() -> None:
    assert refusal(name_of, lambda x: x) == "A lambda cannot be graded. Write it as a function: `def softmax(…): …`."


@pytest.mark.parametrize(
    ("names", "slug"),
    [
        (["LayerNorm"], "layer_norm"),
        (["Helper", "softmax", "normalised"], "softmax"),
        (["PreNorm"], "pre_post_norm"),
        (["DeepNorm", "deepnorm_coefficients", "deepnorm_init_"], "deep_norm"),
    ],
)
def test_names_tell_the_exercise(names: list[str], slug: str) -> None:
    assert exercise_for(names, Course.find()) == slug


def test_names_of_several_exercises_are_refused() -> None:
    said = refusal(exercise_for, ["forward", "backward"], Course.find())
    assert said.startswith("Several exercises ask for forward, backward: softmax_backward, rms_norm_backward, ")
    assert said.endswith('. Choose one, as in check("softmax_backward", forward, backward).')


@pytest.mark.parametrize(("names", "meant"), [(["Layernorm"], ' Did you mean "LayerNorm"?'), (["Wavelet", "mask"], "")])
def test_names_of_no_exercise_are_refused(names: list[str], meant: str) -> None:
    passed = ", ".join(names)
    said = f'No exercise asks for {passed}.{meant} Pass the exercise too, as in check("layer_norm", {passed}).'
    assert refusal(exercise_for, names, Course.find()) == said
