"""The usual causes of crashes that cannot be played here, or that differ in a detail; whole/test_beginners.py plays the others."""

from __future__ import annotations

import re

import pytest

from normgrade.course.signature import Signature
from normgrade.inspection.program import program_of
from normgrade.remarks.pitfalls.advice import advice_for
from normgrade.remarks.pitfalls.pitfalls import Crash, Pitfall
from normgrade.remarks.pitfalls.pitfalls_in_libraries import LIBRARIES
from normgrade.remarks.pitfalls.pitfalls_in_python import AT_LAST, PYTHON
from normgrade.remarks.pitfalls.pitfalls_in_shapes import SHAPES

CONTRACT = (Signature.parse("Norm(size, eps=1e-5)"), Signature.parse("softmax(x, dim=-1)"))


def advice(source: str, kind: str, message: str, line: int = 0, ending: str = "raised") -> str:
    program = program_of(source)
    assert program is not None
    kinds = {"FileNotFoundError": ("OSError",), "BlockingIOError": ("OSError",), "ModuleNotFoundError": ("ImportError",)}
    types = (kind, *kinds.get(kind, ()), "Exception") if kind else ()
    around = program.around(line)
    function = around.node.name if around else "<module>"
    return advice_for(Crash(program, ending, types, message, line, function if line else "", "norm", CONTRACT)).text


@pytest.mark.parametrize(
    ("source", "kind", "message", "line", "said"),
    [
        ("import torch\nf = torch.compile(g)\n", "InductorError", "PermissionError: no", 0, ""),
        ("import torch\nf = torch.compile(g)\n", "OSError", "no", 2, "Remove `torch.compile`"),
        ("x = g.read()\n", "OSError", "no", 1, "without access to files, the network and other processes"),
        ("raise OSError('no')\n", "OSError", "no", 1, ""),
        ("np.load('x')\n", "FileNotFoundError", "no 'x'", 1, "without access to files: use"),
        ("os.fork()\n", "BlockingIOError", "again", 1, "other processes"),
        ("import pdb\npdb.set_trace()\n", "BdbQuit", "", 2, "Run `normgrade repro norm` to write"),
        ("x = 1\n", "BdbQuit", "", 1, "Run `normgrade repro norm` to write"),
        (
            "class A:\n    def f(self):\n        return self.b\n",
            "AttributeError",
            "'A' object has no attribute 'b'",
            3,
            "`self.b` is never set",
        ),
        ("class A:\n    def f(self):\n        self.b = self.b\n", "AttributeError", "'A' object has no attribute 'b'", 3, ""),
        ("x.b\n", "AttributeError", "'Other' object has no attribute 'b'", 1, ""),
        ("x.b\n", "AttributeError", "'NoneType' object has no attribute 'b'", 1, "This value is None"),
        ("x * y\n", "TypeError", "unsupported operand type(s) for *: 'Tensor' and 'NoneType'", 1, "One of the two values is None"),
        ("def f(x):\n    return y\ndef g(y): pass\n", "NameError", "name 'y' is not defined", 2, ""),
        ("class A:\n    def f(z):\n        return self.y\n", "NameError", "name 'self' is not defined", 3, "add it to `f`"),
        ("x = Optional[int]\n", "NameError", "name 'Optional' is not defined", 1, "Add `from typing import Optional` at"),
        ("def softmax(a, b): pass\n", "TypeError", "softmax() got an unexpected keyword argument 'dim'", 0, "`softmax(x, dim=-1)`: use"),
        ("def other(a, b): pass\n", "TypeError", "other() got an unexpected keyword argument 'dim'", 0, ""),
        (
            "class Norm:\n    def forward(self, x, y): pass\n",
            "TypeError",
            "Norm.forward() missing 1 required positional argument: 'y'",
            0,
            "store 'y' in",
        ),
        (
            "y = x - x.mean(-1)\n",
            "RuntimeError",
            "The size of tensor a (4) must match the size of tensor b (3) at",
            1,
            "`x.mean(-1)` on line 1",
        ),
        (
            "y = x - x.mean(0, keepdim=True)\n",
            "RuntimeError",
            "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1",
            1,
            "dimension 1 has lengths 4 and 3",
        ),
        (
            "y = x - x.mean()\n",
            "ValueError",
            "operands could not be broadcast together with shapes (4,) (3,)",
            1,
            "must be equal, or one must be 1",
        ),
        (
            "y = x @ w\n",
            "RuntimeError",
            "mat1 and mat2 shapes cannot be multiplied (4x7 and 5x3)",
            1,
            "needs (4, 7) @ (7, …), but the right matrix is (5, 3)",
        ),
        ("a, b = f(x)\n", "ValueError", "too many values to unpack (expected 2)", 1, ""),
        ("a, b = x.size()\n", "ValueError", "too many values to unpack (expected 2)", 1, "This line expects 2 dimensions"),
        ("n = x.size(0)\n", "TypeError", "'int' object is not callable", 1, "`x.shape[…]`"),
        ("n = f(0)\n", "TypeError", "'int' object is not callable", 1, ""),
        ("y = x.frobnicate()\n", "AttributeError", "'numpy.ndarray' object has no attribute 'frobnicate'", 1, ""),
        ("y = x.rsqrt()\n", "AttributeError", "'numpy.ndarray' object has no attribute 'rsqrt'", 1, "write `1 / np.sqrt(x)`"),
        ("y = x.mean(a, foo=1)\n", "TypeError", "mean() got an unexpected keyword argument 'foo'", 1, ""),
        ("y -= 0.5\n", "UFuncTypeError", "Cannot cast ufunc 'subtract' output", 1, ""),
        ("y -= 0.5\n", "TypeError", "Cannot cast ufunc 'subtract' output", 1, "write `a = a + b`"),
        ("x[0] = 1\n", "ValueError", "assignment destination is read-only", 1, "must not be changed"),
        ("x.to('mps')\n", "RuntimeError", "PyTorch is not linked with support for mps devices", 1, "graded on a CPU"),
        (
            "copy(x)\n",
            "RuntimeError",
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol",
            0,
            "cannot be copied",
        ),
        ("y\n", "RuntimeError", "Trying to backward through the graph a second time (or", 0, "store `tensor.detach()` in `self`"),
        (
            "y\n",
            "RuntimeError",
            "element 0 of tensors does not require grad and does not have a grad_fn",
            0,
            "detached from the input and the parameters",
        ),
        ("x * 2\n", "KeyError", "'anything'", 1, ""),
    ],
)
def test_the_cause_is_told_if_it_is_certain(source: str, kind: str, message: str, line: int, said: str) -> None:
    found = advice(source, kind, message, line)
    assert said in found and bool(said) == bool(found), found


def test_a_compiler_that_fails_is_to_be_left_out() -> None:
    source = "import torch\n@torch.compile\ndef softmax(x): pass\n"
    for kind, ending in (("", "timed out"), ("TorchDynamoException", "raised")):
        assert advice(source, kind, "no answer", 0, ending).startswith("Remove `torch.compile`")


def test_a_call_that_fails_while_loading_is_told() -> None:
    source = "import torch\nf = torch.compile\ndef g():\n    raise KeyError\ng()\n"
    assert advice(source, "KeyError", "", 4, "not loaded").startswith("This call is made while the file is loaded")
    assert advice(source, "KeyError", "", 5, "not loaded") == advice(source, "KeyError", "", 4) == ""


def test_an_endless_loop_is_told_by_its_line() -> None:
    source = "def f():\n    while 1:\n        for i in x:\n            pass\n        y = 1\n"
    assert advice(source, "", "no answer", 4, "timed out").startswith("The loop that begins on line 3 ")
    assert advice(source, "", "no answer", 5, "timed out").startswith("The loop that begins on line 2 ")
    assert advice(source, "", "no answer", 1, "timed out") == ""


def test_a_source_nested_too_deeply_has_no_advice() -> None:
    deep = "x = " + "-" * 2000 + "1\nclass A:\n    def f(self): return self.b\n"
    assert advice(deep, "AttributeError", "'A' object has no attribute 'b'", 3) in ("", "`self.b` is never set: set it in `__init__`.")


@pytest.mark.parametrize("pitfall", [*PYTHON, *LIBRARIES, *SHAPES, *AT_LAST], ids=lambda pitfall: f"{pitfall.raised} {pitfall.says}"[:60])
def test_an_entry_names_exceptions_and_is_short(pitfall: Pitfall) -> None:
    raised, says, text, clue = pitfall
    assert re.compile(says) and len(text) <= 160 and text.endswith((".", "?"))
    names = set(re.findall(r"\{(\w+)\}", text)) - {"slug", *re.compile(says).groupindex}
    assert not names or clue is not None, f"nothing says what {names} are"
    assert "" not in raised.split("|")
