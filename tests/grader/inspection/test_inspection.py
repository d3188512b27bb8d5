"""What inspection says of a source without running it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from normgrade.course.course import Course, Exercise
from normgrade.course.signature import Signature
from normgrade.inspection.inspection import Inspection, inspect_file, inspect_source
from normgrade.report.report import Finding

LAYER_NORM = "LayerNorm(normalized_shape, eps=1e-5, elementwise_affine=True, bias=True)"
FUNCTION = "layer_norm(x, weight=None, eps=1e-5)"
BANNED = Course(Path(__file__).parents[3]).settings.banned

STUB = '''"""The task."""
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Normalises."""

    def __init__(self, normalized_shape, eps: float = 1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        raise NotImplementedError("keep the arguments")

    def forward(self, x: Tensor) -> Tensor:
        """Over the last dimensions."""
        raise NotImplementedError("normalise x")
'''
RIGHT = STUB.replace('raise NotImplementedError("normalise x")', "return x - x.mean(-1, keepdim=True)")


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    return an_exercise(tmp_path, STUB, LAYER_NORM)


def an_exercise(course: Path, stub: str, *contract: str) -> Exercise:
    folder = course / "exercises" / "layer_norm"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "layer_norm.py").write_text(stub)
    defines = tuple(map(Signature.parse, contract))
    return Exercise("layer_norm", course, "Layer normalisation", "Layers", 1, 10, 20, defines, BANNED)


Inspect = Callable[..., Inspection]


@pytest.fixture
def inspect(tmp_path: Path) -> Inspect:
    """Inspect a source, as a file, against contracts; the class of layer normalisation where none is given."""

    def inspected(source: str | bytes, *contract: str, allow_stub: bool = False) -> Inspection:
        path = tmp_path / "layer_norm.py"
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        return inspect_file(path, an_exercise(tmp_path, STUB, *(contract or [LAYER_NORM])), allow_stub=allow_stub)

    return inspected


def the_finding(inspection: Inspection) -> Finding:
    [finding] = inspection.findings
    return finding


# The file


def the_path_finding(path: Path, exercise: Exercise) -> str:
    inspection = inspect_file(path, exercise)
    finding = the_finding(inspection)
    assert (inspection.source, inspection.runnable, finding.rule, finding.line, finding.column) == (None, False, "file", 0, 0)
    return finding.text


def test_a_right_file_has_no_findings(inspect: Inspect) -> None:
    assert inspect(RIGHT) == Inspection(RIGHT, (), started=True)
    assert inspect(RIGHT).runnable


def test_a_missing_file_is_a_finding(tmp_path: Path, exercise: Exercise) -> None:
    path = tmp_path / "none.py"
    assert (
        the_path_finding(path, exercise)
        == f"{path} does not exist: check the name, or begin it with `normgrade show --stub layer_norm > {path.name}`."
    )


def test_a_directory_is_a_finding(tmp_path: Path, exercise: Exercise) -> None:
    assert the_path_finding(tmp_path, exercise) == f"{tmp_path} is a directory, not a file: name the Python file itself."


def test_a_path_through_a_file_is_a_finding(tmp_path: Path, exercise: Exercise) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "layer_norm.py"
    assert the_path_finding(path, exercise) == f"{path} cannot be read (Not a directory): check the path, or name another file."


@pytest.mark.parametrize("target", ["there.py", "gone.py", "link.py"])
def test_a_link_is_a_finding_wherever_it_leads(target: str, tmp_path: Path, exercise: Exercise) -> None:
    (tmp_path / "there.py").write_text(RIGHT)
    link = tmp_path / "link.py"
    link.symlink_to(target)
    followed = "and links are not followed: put the file itself there, or name it where it lies."
    assert the_path_finding(link, exercise) == f"{link} is a symbolic link to {target}, {followed}"


def test_a_file_swapped_for_a_link_is_not_followed(tmp_path: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there.py").write_text(RIGHT)
    link, regular = tmp_path / "link.py", (tmp_path / "there.py").stat()
    link.symlink_to("there.py")
    with monkeypatch.context() as patch:
        patch.setattr("normgrade.course.files.os.lstat", lambda path: regular)
        found = the_path_finding(link, exercise)
    assert found == f"{link} cannot be read (Too many levels of symbolic links): check the path, or name another file."


def test_a_file_is_known_by_the_hash_of_its_bytes(inspect: Inspect) -> None:
    content = b"\xef\xbb\xbf" + RIGHT.encode().replace(b"\n", b"\r\n")
    assert inspect(content).digest == sha256(content).hexdigest()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_is_a_finding_and_not_waited_for(tmp_path: Path, exercise: Exercise) -> None:
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    assert the_path_finding(pipe, exercise) == f"{pipe} is a named pipe, not a file: name the Python file itself."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_file_swapped_for_a_named_pipe_is_not_waited_for(tmp_path: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, regular = tmp_path / "pipe.py", (tmp_path / "exercises/layer_norm/layer_norm.py").stat()
    os.mkfifo(pipe)
    with monkeypatch.context() as patch:
        patch.setattr("normgrade.course.files.os.lstat", lambda path: regular)
        found = the_path_finding(pipe, exercise)
    assert found == f"{pipe} is a named pipe, not a file: name the Python file itself."


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no sockets in folders")
def test_a_socket_is_a_finding(tmp_path: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the full path may be too long for a socket
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.py")
        assert the_path_finding(Path("socket.py"), exercise) == "socket.py is a socket, not a file: name the Python file itself."


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_a_device_is_a_finding(exercise: Exercise) -> None:
    assert the_path_finding(Path("/dev/zero"), exercise) == "/dev/zero is a device, not a file: name the Python file itself."


def test_a_file_without_permission_is_a_finding(tmp_path: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.py"
    path.write_text(RIGHT)

    def refuse(*_: object) -> int:  # the superuser may read any file, so that chmod would prove nothing
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("normgrade.inspection.source.os.open", refuse)
    expected = f"{path} cannot be read, its permissions forbid it: allow it with `chmod u+r {path}`."
    assert the_path_finding(path, exercise) == expected


def test_a_file_of_64_kib_is_read(inspect: Inspect) -> None:
    assert inspect(RIGHT + "#" * (65536 - len(RIGHT))).findings == ()


def test_a_larger_file_is_a_finding(tmp_path: Path, exercise: Exercise) -> None:
    path = tmp_path / "large.py"
    path.write_text(RIGHT + "#" * (65537 - len(RIGHT)))
    assert the_path_finding(path, exercise) == f"{path} is larger than 64 KiB (65536 bytes): hand in the code of this exercise alone."


@pytest.mark.parametrize("source", ["", " \n\n", "# later\n"])
def test_a_file_without_code_is_a_finding(inspect: Inspect, source: str) -> None:
    inspection = inspect(source)
    text = "The file holds no code: write it, or begin again with `normgrade show --stub layer_norm > layer_norm.py`."
    assert inspection == Inspection(source, (Finding(0, 0, "file", text),), started=True)
    assert not inspection.runnable


def test_another_encoding_is_a_finding_with_its_byte(inspect: Inspect, tmp_path: Path) -> None:
    inspection = inspect("é = 1\ns = 'x".encode() + b"\xff'\n")
    text = f"{tmp_path / 'layer_norm.py'} is not UTF-8: byte 14 is 0xff. Save it as UTF-8 in your editor."
    assert inspection == Inspection(None, (Finding(2, 7, "file", text),), started=True)


def test_the_byte_is_counted_from_the_byte_order_mark_on(inspect: Inspect) -> None:
    assert "byte 5 is 0xff" in the_finding(inspect(b"\xef\xbb\xbfa\xff")).text


def test_a_byte_order_mark_is_no_part_of_the_source(inspect: Inspect) -> None:
    assert inspect(b"\xef\xbb\xbf" + RIGHT.encode()) == Inspection(RIGHT, (), started=True)


@pytest.mark.parametrize("cookie", ["latin-1", "no-such-encoding"])
def test_a_coding_cookie_is_ignored(inspect: Inspect, cookie: str) -> None:
    assert inspect(f"# -*- coding: {cookie} -*-\n{RIGHT}").findings == ()


def test_a_nul_byte_is_a_finding(inspect: Inspect) -> None:
    inspection = inspect(RIGHT + "\nx = '\0'\n")
    text = "The file holds a NUL byte, which Python source cannot: save it again as plain text."
    assert the_finding(inspection) == Finding(RIGHT.count("\n") + 2, 6, "file", text)
    assert not inspection.runnable


# Syntax


def test_a_syntax_error_shows_its_line_and_column(inspect: Inspect) -> None:
    inspection = inspect("x = 1\nf(a b)\n")
    text = "The file is not valid Python: invalid syntax. Perhaps you forgot a comma?\n    f(a b)\n      ^"
    assert inspection == Inspection("x = 1\nf(a b)\n", (Finding(2, 3, "syntax", text),), started=True)
    assert not inspection.runnable


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("if x:\n\t\ty = = 2", "            y = = 2\n                ^"),
        ("é = '日本'; y = = 2", "    é = '日本'; y = = 2\n                    ^"),
        ("e\u0301 = 'e\u0301'; y = = 2", "    e\u0301 = 'e\u0301'; y = = 2\n                 ^"),
        ("x = '\x1b[31m'; y = = 2", "    x = '·[31m'; y = = 2\n                     ^"),
    ],
)
def test_the_caret_stands_under_the_column(inspect: Inspect, line: str, shown: str) -> None:
    assert the_finding(inspect(line)).text.partition("\n")[2] == shown


def test_a_long_line_is_cut_around_the_caret(inspect: Inspect) -> None:
    _, line, caret = the_finding(inspect("x = '" + "a" * 500 + "'; y = = '" + "b" * 500 + "'")).text.split("\n")
    assert len(line) < 120
    assert line.startswith("    …a") and line.endswith("b…")
    assert line[len(caret) - 1] == "=" and line[len(caret) - 3] == "="


def test_a_form_feed_does_not_shift_lines(inspect: Inspect) -> None:
    finding = the_finding(inspect("x = 1\n\x0c\ny = = 2\n"))
    assert (finding.line, finding.text.split("\n")[1]) == (3, "    y = = 2")


def test_an_error_behind_the_last_line_shows_one_there_is(inspect: Inspect) -> None:
    assert the_finding(inspect("x = 1\nif x:")).text.endswith("\n    if x:\n         ^")


@pytest.mark.parametrize("source", ["-" * 60000 + "1", "1" + "+1" * 30000, "a" + ".b" * 30000, "x = " + "0 if x else " * 5000 + "0"])
def test_a_source_too_deep_for_python_is_a_finding(inspect: Inspect, source: str) -> None:
    text = "The file is too deeply nested to be read: split its longest expressions or blocks into named steps."
    assert the_finding(inspect(source)) == Finding(0, 0, "syntax", text)


def test_a_source_too_deep_for_inspection_is_the_same_finding(inspect: Inspect) -> None:
    inspection = inspect(RIGHT + "x = 1" + "+1" * 800)
    assert the_finding(inspection).text.startswith("The file is too deeply nested to be read")
    assert not inspection.runnable


def test_too_many_parentheses_are_a_finding(inspect: Inspect) -> None:
    assert the_finding(inspect("(" * 30000 + ")" * 30000)).text.startswith("The file is not valid Python: too many nested parentheses.\n")


def test_an_odd_character_is_a_finding(exercise: Exercise) -> None:
    finding = the_finding(inspect_source("x = '\ud800'", exercise))
    assert (finding.rule, "surrogates not allowed" in finding.text) == ("syntax", True)


def test_warnings_of_the_parser_stay_quiet(inspect: Inspect, recwarn: pytest.WarningsRecorder) -> None:
    assert inspect(RIGHT + r"x = '\d'; 1 is 1").findings == ()
    assert not recwarn.list


# The contract


def test_a_near_miss_is_to_be_renamed(inspect: Inspect) -> None:
    inspection = inspect(RIGHT.replace("class LayerNorm", "class Layernorm"))
    assert the_finding(inspection) == Finding(5, 1, "contract", "The file defines no `LayerNorm`; found `Layernorm`. Rename it.")
    assert not inspection.runnable


def test_without_a_near_miss_the_names_are_listed(inspect: Inspect) -> None:
    text = (
        "The file defines no `LayerNorm`; found only `EPS`, `scale` and `RMSNorm`. "
        "Add the class `LayerNorm(normalized_shape, eps=1e-5, elementwise_affine=True, bias=True)`."
    )
    source = "import torch\n__all__ = []\nEPS = 1\ndef scale(x): return x\nclass RMSNorm: pass\n"
    assert the_finding(inspect(source)) == Finding(0, 0, "contract", text)


def test_a_file_that_defines_nothing_is_told_so(inspect: Inspect) -> None:
    text = "The file defines no `layer_norm`, nor anything else. Add the function `layer_norm(x, weight=None, eps=1e-5)`."
    assert the_finding(inspect("import torch\n", FUNCTION)) == Finding(0, 0, "contract", text)


def test_a_function_is_no_near_miss_of_a_class(inspect: Inspect) -> None:
    assert "; found only `layernorm`." in the_finding(inspect("def layernorm(x): return x")).text


def test_another_contract_name_is_no_near_miss(inspect: Inspect) -> None:
    inspection = inspect("class BatchNorm1d: pass", "BatchNorm1d()", "BatchNorm2d()")
    text = "The file defines no `BatchNorm2d`, nor anything else. Add the class `BatchNorm2d()`."
    assert the_finding(inspection).text == text


@pytest.mark.parametrize(
    "source",
    [
        "class _LN: pass\nLayerNorm = _LN",
        "class _LN: pass\nLayerNorm: type = _LN",
        "class _LN: pass\nOther, LayerNorm = 1, _LN",
        "from mine import LayerNorm",
        "from mine import LN as LayerNorm",
        "import torch\nif torch:\n    class LayerNorm: pass",
        "try:\n    from mine import LayerNorm\nexcept ImportError:\n    class LayerNorm: pass",
        "with open('x'):\n    class LayerNorm: pass",
        "for i in 'a':\n    class LayerNorm: pass",
        "class LayerNorm: pass\nLayerNorm = final(LayerNorm)",
    ],
)
def test_a_name_may_be_bound_in_any_way(inspect: Inspect, source: str) -> None:
    assert inspect(source).findings == ()


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    class LayerNorm: pass",
        "class Outer:\n    class LayerNorm: pass",
        "LayerNorm: type",
        "if __name__ == '__main__':\n    class LayerNorm: pass",
        "from torch.nn import *",
        "print(LayerNorm)",
    ],
)
def test_a_name_bound_elsewhere_is_missing(inspect: Inspect, source: str) -> None:
    assert {finding.rule for finding in inspect(source).findings} >= {"contract"}


def test_a_function_where_a_class_is_asked_for_is_a_finding(inspect: Inspect) -> None:
    text = "`LayerNorm` is a function, and should be a class: `LayerNorm(n)`."
    assert the_finding(inspect("def LayerNorm(n): pass", "LayerNorm(n)")) == Finding(1, 1, "contract", text)


def test_a_class_where_a_function_is_asked_for_is_a_finding(inspect: Inspect) -> None:
    text = "`layer_norm` is a class, and should be a function: `layer_norm(x)`."
    assert the_finding(inspect("class layer_norm: pass", "layer_norm(x)")) == Finding(1, 1, "contract", text)


def test_a_decorated_definition_may_become_anything(inspect: Inspect) -> None:
    assert inspect("@made\ndef LayerNorm(n): pass", "LayerNorm(n)").findings == ()


# Signatures


def constructor(parameters: str, base: str = "(nn.Module)") -> str:
    return f"from torch import nn\nclass LayerNorm{base}:\n    def __init__(self, {parameters}):\n        pass\n"


def test_both_signatures_and_every_difference_are_told(inspect: Inspect) -> None:
    inspection = inspect(constructor("normalized_shape, eps=1e-6"))
    text = (
        "`LayerNorm(normalized_shape, eps=1e-6)` should be `LayerNorm(normalized_shape, eps=1e-5, elementwise_affine=True, bias=True)`: "
        "`eps` defaults to 1e-6, not 1e-5; `elementwise_affine` and `bias` are missing."
    )
    assert the_finding(inspection) == Finding(3, 5, "signature", text)
    assert inspection.runnable


def test_a_function_is_compared_with_all_its_parameters(inspect: Inspect) -> None:
    text = "`layer_norm(x, eps=1e-5)` should be `layer_norm(x, weight=None, eps=1e-5)`: `weight` is missing."
    assert the_finding(inspect("def layer_norm(x, eps=1e-5): return x", FUNCTION)) == Finding(1, 1, "signature", text)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ("x, weight, eps=1e-5", "`weight` has no default, and should have None"),
        ("x, weight=None, eps=1e-6", "`eps` defaults to 1e-6, not 1e-5"),
        ("x, weight=False, eps=1e-5", "`weight` defaults to False, not None"),
        ("x, weight=None, eps='" + "a" * 100 + "'", "`eps` defaults to '" + "a" * 39 + "…, not 1e-5"),
        ("x, weight=None, epsilon=1e-5", "`epsilon` should be called `eps`"),
        ("x, eps=1e-5, weight=None", "the order should be `x`, `weight` and `eps`"),
        ("x, weight=None, *, eps=1e-5", "`eps` can only be given by keyword"),
        ("x, /, weight=None, eps=1e-5", "`x` cannot be given by keyword"),
        ("x, weight=None, eps=1e-5, *, mine", "`mine` is not in the contract and has no default"),
        ("x, mine, weight=None, eps=1e-5", "`mine` is not in the contract and has no default"),
        ("x, mine=1, weight=None, eps=1e-5", "`mine` is not in the contract and should come after `eps`"),
        ("x", "`weight` and `eps` are missing"),
        ("x, weight=None, eps=1e-6, **more", "`eps` defaults to 1e-6, not 1e-5"),
    ],
)
def test_a_wrong_parameter_is_named(inspect: Inspect, parameters: str, problem: str) -> None:
    finding = the_finding(inspect(f"def layer_norm({parameters}): return x", FUNCTION))
    assert finding.rule == "signature"
    assert finding.text.endswith(f" should be `layer_norm(x, weight=None, eps=1e-5)`: {problem}.")


def test_keyword_only_parameters_are_shown_as_such(inspect: Inspect) -> None:
    text = the_finding(inspect("def layer_norm(x, /, weight=None, *, eps=1e-5, **more): return x", FUNCTION)).text
    assert text.startswith("`layer_norm(x, /, weight=None, *, eps=1e-5, **more)` should be ")


def test_true_is_not_one(inspect: Inspect) -> None:
    assert "`n` defaults to 1, not True" in the_finding(inspect("def f(n=1): return n", "f(n=True)")).text


@pytest.mark.parametrize(
    "parameters",
    [
        "x, weight=None, eps=0.00001",
        "x: int, weight: 'int | None' = None, eps: float = 1e-5",
        "x, weight=None, eps=1e-5, mine=3",
        "x, weight=None, eps=1e-5, *, mine=3",
        "x, weight=None, eps=1e-5, **more",
        "x=None, weight=None, eps=1e-5",
        "x, weight=None, eps=EPS",
        "x, weight=None, eps=10 ** -5",
        "x, weight=None, eps={[]}",
        "*args",
        "x, **more",
        "x, weight=None, eps=0x" + "f" * 5000,
    ],
)
def test_a_signature_that_takes_every_call_or_may_do_so_is_let_pass(inspect: Inspect, parameters: str) -> None:
    assert inspect(f"EPS = 1e-5\ndef layer_norm({parameters}): return x", FUNCTION).findings == ()


@pytest.mark.parametrize(
    "source",
    [
        constructor("shape", ""),
        constructor("shape", "()"),
        constructor("shape", "(object)"),
        constructor("shape", "(nn.Module)"),
        "import torch\n" + constructor("shape", "(torch.nn.Module)"),
        "from torch.nn import Module as Base\n" + constructor("shape", "(Base)"),
        "from torch.nn import *\n" + constructor("shape", "(Module)"),
    ],
)
def test_the_constructor_of_a_plain_class_is_compared(inspect: Inspect, source: str) -> None:
    assert the_finding(inspect(source)).text.startswith("`LayerNorm(shape)` should be ")


@pytest.mark.parametrize(
    "source",
    [
        constructor("shape", "(Mine)"),
        constructor("shape", "(nn.Module, Mixin)"),
        constructor("shape", "(nn.Module, metaclass=Meta)"),
        constructor("shape").replace("class", "@dataclass\nclass"),
        constructor("shape").replace("    def", "    @wrapped\n    def"),
        constructor("shape") + "    def __new__(cls, *args): return 1\n",
        constructor("shape") + "    __init__ = other\n",
        constructor("shape") + "LayerNorm = wrap(LayerNorm)\n",
        "from torch import nn\nclass LayerNorm(nn.Module):\n    if nn:\n        def __init__(self): pass\n",
        "from torch import nn\nclass LayerNorm(nn.Module):\n    def forward(self, x): return x\n",
    ],
)
def test_where_something_may_change_the_constructor_nothing_is_said(inspect: Inspect, source: str) -> None:
    assert inspect(source).findings == ()


@pytest.mark.parametrize(
    "source", ["@jit\ndef layer_norm(y): return y", "layer_norm = lambda y: y", "def layer_norm(y): pass\nlayer_norm = 1"]
)
def test_where_something_may_change_the_function_nothing_is_said(inspect: Inspect, source: str) -> None:
    assert inspect(source, FUNCTION).findings == ()


def test_methods_are_not_compared(inspect: Inspect) -> None:
    assert inspect(RIGHT.replace("self, x: Tensor", "self, x, *args, mask=3")).findings == ()


# Banned calls


def banned(inspection: Inspection) -> list[tuple[int, str]]:
    assert {finding.rule for finding in inspection.findings} <= {"banned"}
    named = [(finding.line, finding.text.split("`")[1]) for finding in inspection.findings]
    texts = [f"This line uses `{name}`: the exercise is to write it by hand." for _, name in named]
    assert [finding.text for finding in inspection.findings] == texts
    return named


LN = "torch.nn.functional.layer_norm"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import torch\ndef f(x): return torch.nn.functional.layer_norm(x)", LN),
        ("import torch.nn.functional\ndef f(x): return torch.nn.functional.layer_norm(x)", LN),
        ("import torch as t\ndef f(x): return t.layer_norm(x)", "torch.layer_norm"),
        ("import torch.nn as nn\ndef f(x): return nn.functional.layer_norm(x)", LN),
        ("import torch.nn.functional as F\ndef f(x): return F.layer_norm(x)", LN),
        ("from torch.nn import functional as f\ndef g(x): return f.layer_norm(x)", LN),
        ("from torch.nn.functional import layer_norm as ln\ndef f(x): return ln(x)", LN),
        ("from torch import nn\nln = nn.LayerNorm(3)", "torch.nn.LayerNorm"),
        ("from torch import nn\nclass Mine(nn.GroupNorm): pass", "torch.nn.GroupNorm"),
        ("from torch.nn import *\nln = LayerNorm(3)", "torch.nn.LayerNorm"),
        ("from torch import *\nln = nn.LayerNorm(3)", "torch.nn.LayerNorm"),
        ("import torch; f = torch.nn.functional\nln = f.layer_norm", LN),
        ("import torch.nn.functional as F; a, (b, c) = 1, (F, 2)\nln = b.layer_norm", LN),
        ("import torch.nn.functional as F; f: object = F\nln = f.layer_norm", LN),
        ("import torch.nn.functional as F\nif (f := F): f.layer_norm(1)", LN),
        ("import torch.nn.functional as F\ndef f(x, g=F): return g.layer_norm(x)", LN),
        ("import torch.nn.functional as F\ndef f(x, *, g=F): return g.layer_norm(x)", LN),
        ("import torch.nn.functional as F\ndef f(x, ln=F.layer_norm): return ln(x)", LN),
        ("import torch.nn.functional as F\nln = lambda x: F.layer_norm(x)", LN),
        ("import torch.nn.functional as F\nln = [F.layer_norm(x) for x in 'abc']", LN),
        ("import torch.nn.functional as F\nln = {F.layer_norm: 1 for x in 'abc'}", LN),
        ("import torch.nn.functional as F\n@F.layer_norm\ndef f(): pass", LN),
        ("import torch.nn.functional as F\nx = f'{F.layer_norm}'", LN),
        ("import torch.nn.functional as F\nx = (F if 1 else None).layer_norm", LN),
        ("import torch.nn.functional as F\nx = (None or F).layer_norm", LN),
        ("import torch.nn.functional as F\nx = getattr(F, 'layer_norm')", LN),
        ("import torch.nn.functional as F\nx = getattr(F, 'layer_norm', None)", LN),
        ("import torch.nn.functional as F\nx = vars(F)['layer_norm']", LN),
        ("import torch\nx = torch.nn.__dict__['LayerNorm']", "torch.nn.LayerNorm"),
        ("import torch\nx = torch.nn.__dict__.get('LayerNorm')", "torch.nn.LayerNorm"),
        ("\nx = __import__('torch').nn.LayerNorm", "torch.nn.LayerNorm"),
        ("\nx = __import__('torch.nn').nn.LayerNorm", "torch.nn.LayerNorm"),
        ("\nx = __import__('torch.nn', fromlist=['nn']).LayerNorm", "torch.nn.LayerNorm"),
        ("\nx = __import__('torch.nn', {}, {}, ['nn']).LayerNorm", "torch.nn.LayerNorm"),
        ("import importlib\nx = importlib.import_module('torch.nn.functional').layer_norm", LN),
        ("from importlib import import_module as take\nx = take('torch.nn').functional.layer_norm", LN),
        ("import sys\nx = sys.modules['torch.nn.functional'].layer_norm", LN),
        ("import sys\nx = sys.modules.get('torch.nn.functional').layer_norm", LN),
        ("from sys import modules\nx = modules['torch'].layer_norm", "torch.layer_norm"),
        ("import torch\nx = torch.ops.aten.native_layer_norm(1)", "torch.ops.aten.native_layer_norm"),
        ("import torch\nx = torch.ops.aten.native_layer_norm.default(1)", "torch.ops.aten.native_layer_norm.default"),
        ("import torch\nx = torch.nn.modules.normalization.LayerNorm", "torch.nn.modules.normalization.LayerNorm"),
        ("from torch.nn.modules.normalization import LayerNorm as L\nx = L(3)", "torch.nn.modules.normalization.LayerNorm"),
        ("import torch\nx = torch.nn.LayerNorm(3).weight", "torch.nn.LayerNorm"),
        ("import torch\nx = torch.nn.functional.layer_norm.__call__(1)", LN),
        ("import torch\nasync def f(x): return await torch.layer_norm(x)", "torch.layer_norm"),
        ("import torch\nmatch torch.layer_norm:\n    case _: pass", "torch.layer_norm"),
    ],
)
def test_a_banned_name_is_found_however_it_is_written(inspect: Inspect, source: str, name: str) -> None:
    assert banned(inspect(source + "\nclass LayerNorm: pass\n")) == [(2, name)]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("def f(x):\n    from torch.nn.functional import layer_norm\n    return layer_norm(x)", 3),
        ("def f(x):\n    import torch.nn.functional as F\n    return lambda: F.layer_norm(x)", 3),
        ("def f(x): return F.layer_norm(x)\nimport torch.nn.functional as F", 1),
        ("class A:\n    import torch\n    x = torch.layer_norm", 3),
        ("try:\n    from torch.nn import RMSNorm\nexcept ImportError:\n    RMSNorm = None\nx = RMSNorm(3)", 5),
        ("try:\n    pass\nexcept ImportError as e:\n    import torch\n    torch.layer_norm(e)", 5),
        ("try:\n    import torch\nfinally:\n    torch.layer_norm(1)", 4),
        ("import torch\nwhile 1:\n    f = torch\n    break\nelse:\n    pass\nf.layer_norm(1)", 7),
        ("import torch\nfor i in 'a':\n    f = torch\nf.layer_norm(1)", 4),
        ("import torch\nwith torch.layer_norm as t: pass", 2),
        ("import torch\nmatch 1:\n    case 1 if torch.layer_norm: pass", 3),
        ("def f():\n    global F\n    import torch as F\ndef g(): return F.layer_norm(1)", 4),
        ("def f():\n    F = 1\n    def g():\n        nonlocal F\n        import torch as F\n    return lambda: F.layer_norm(1)", 6),
        ("import torch\nif __name__ == '__main__':\n    pass\nelse:\n    torch.layer_norm(1)", 5),
        ("import torch\nif __name__ == 'main':\n    torch.layer_norm(1)", 3),
    ],
)
def test_a_banned_name_is_found_wherever_it_is_bound(inspect: Inspect, body: str, line: int) -> None:
    assert [found for found, _ in banned(inspect(body + "\nclass LayerNorm: pass\n"))] == [line]


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ndef f(x): return torch.linalg.norm(x) + torch.norm(x) + torch.linalg.vector_norm(x)",
        "from torch.linalg import *\nfrom torch import linalg\ndef f(x): return vector_norm(x) + linalg.vector_norm(x)",
        "def f(self, x): return x.norm() + self.norm(x) + self.batch_norm(x) + self.layer_norm(x) + x.F.layer_norm",
        "def layer_norm(x): return x\ny = layer_norm(1)",
        "from torch.nn.functional import *\ndef layer_norm(x): return x\ndef g(x): return layer_norm(x)",
        "from torch.nn.functional import *\ndef g(x): return layer_norm(x)\ndef layer_norm(x): return x",
        "from torch.nn import *\nclass GroupNorm(Module): pass\nx = GroupNorm(3)",
        "from torch.nn.functional import layer_norm\ndef g(x): return layer_norm(x)\ndef layer_norm(x): return x",
        "from torch.nn.functional import layer_norm\ndef g(x, layer_norm): return layer_norm(x)",
        "from torch.nn.functional import *\ndef g(x, *layer_norm, **batch_norm): return layer_norm(x) + batch_norm",
        "from torch.nn.functional import *\ndef g(x):\n    for layer_norm in x: layer_norm(x)",
        "from torch.nn.functional import *\ndef g(x):\n    with x as layer_norm: layer_norm(x)",
        "from torch.nn.functional import *\ntry: pass\nexcept OSError as layer_norm: layer_norm(1)",
        "from torch.nn.functional import *\nx = [layer_norm for layer_norm in 'abc']",
        "from torch.nn.functional import *\nx = lambda layer_norm: layer_norm(1)",
        "from torch.nn.functional import *\nmatch 1:\n    case [layer_norm, *group_norm]: layer_norm(group_norm)",
        "from torch.nn.functional import *\nmatch 1:\n    case {'a': 1, **layer_norm}: layer_norm(1)",
        "import torch.nn.functional as F\nF = 1\nF.layer_norm(1)",
        "import torch.nn.functional as F\nF += 1\nF.layer_norm(1)",
        "import torch.nn.functional as F\ndel F\nF.layer_norm(1)",
        "from . import functional as F\nfrom .functional import *\nF.layer_norm(layer_norm)",
        "from torch.nn import GroupNorm, LayerNorm as Library\nfrom torch.nn.functional import layer_norm",
        "from torch import nn\ndef f(x: nn.LayerNorm) -> nn.LayerNorm:\n    y: nn.LayerNorm = x\n    z: nn.LayerNorm\n    return y",
        "from torch import nn\ndef f(*x: nn.LayerNorm, **y: nn.LayerNorm): return isinstance(x, nn.LayerNorm)",
        "from torch import nn\nx = issubclass(int, (nn.LayerNorm, nn.GroupNorm))",
        "from torch import nn\nmatch 1:\n    case nn.LayerNorm(eps=3): pass",
        "from torch import nn\nfrom typing import cast\nx = cast(nn.LayerNorm, 1)",
        "'torch.nn.LayerNorm'  # torch.nn.LayerNorm",
        "import torch\nif __name__ == '__main__':\n    print(torch.layer_norm(1))",
        "import torch\nif '__main__' == __name__ and torch:\n    print(torch.layer_norm(1))",
        "import torch\ntorch.nn.functional.layer_norm = None",
        "import torch\nx = getattr(torch, name)(1) + vars(torch)[name] + torch.__dict__[1]",
        "def f():\n    global layer_norm\n    def layer_norm(x): return x\nfrom torch.nn.functional import *",
    ],
)
def test_right_code_is_not_taken_for_a_banned_call(inspect: Inspect, source: str) -> None:
    assert banned(inspect(source + "\nclass LayerNorm: pass\n")) == []


def test_a_class_of_the_librarys_own_name_is_a_use(inspect: Inspect) -> None:
    source = "import torch.nn as nn\nclass LayerNorm(nn.LayerNorm):\n    pass\n"
    assert banned(inspect(source)) == [(2, "torch.nn.LayerNorm")]


def test_a_contract_name_imported_from_the_library_is_a_use(inspect: Inspect) -> None:
    text = "This line uses `torch.nn.LayerNorm`: the exercise is to write it by hand."
    assert the_finding(inspect("import torch\nfrom torch.nn import LayerNorm\n")) == Finding(2, 22, "banned", text)


def test_an_own_class_replaces_an_imported_one(inspect: Inspect) -> None:
    assert banned(inspect("from torch.nn import LayerNorm\n" + RIGHT)) == []


def test_an_alias_is_found_where_it_is_made_and_not_again(inspect: Inspect) -> None:
    source = "import torch.nn.functional as F\nnorm = F.layer_norm\ndef f(x): return norm(x)\nclass LayerNorm: pass\n"
    assert banned(inspect(source)) == [(2, LN)]


def test_a_name_is_reported_once_per_line(inspect: Inspect) -> None:
    source = "from torch.nn.functional import layer_norm as ln, group_norm as gn\nx = ln(ln(gn(1)))\ny = ln(1)\nclass LayerNorm: pass\n"
    assert banned(inspect(source)) == [(2, LN), (2, "torch.nn.functional.group_norm"), (3, LN)]


def test_columns_count_characters_from_one(inspect: Inspect) -> None:
    finding = the_finding(inspect("import torch\ns = 'é日'; y = torch.layer_norm(1)\nclass LayerNorm: pass\n"))
    assert (finding.line, finding.column) == (2, 15)


def test_findings_come_in_the_order_of_the_file(inspect: Inspect) -> None:
    source = "import torch\ny = torch.layer_norm(1)\ndef layer_norm(z): pass\nz = torch.group_norm(1)\n"
    found = [(finding.line, finding.rule) for finding in inspect(source, FUNCTION, "missing()").findings]
    assert found == [(0, "contract"), (2, "banned"), (3, "signature"), (4, "banned")]


def test_code_with_a_banned_call_is_runnable(inspect: Inspect) -> None:
    assert inspect("import torch\nx = torch.layer_norm\n" + RIGHT).runnable


def test_the_course_may_ban_nothing(tmp_path: Path) -> None:
    free = Exercise("layer_norm", tmp_path, "Layers", "Layers", 1, 10, 20, (Signature.parse("f(x)"),))
    assert inspect_source("import torch\ndef f(x): return torch.layer_norm(x)", free).findings == ()


# The stub


def test_the_stub_is_not_started(inspect: Inspect) -> None:
    assert inspect(STUB) == Inspection(STUB, (), started=False)


@pytest.mark.parametrize(
    "source",
    [
        "# mine\n" + STUB.replace("    raise", "    # soon\n\n        raise"),
        STUB.replace('"""Normalises."""', '"""Does it."""').replace('"""The task."""', ""),
        "import math\n" + STUB + "\ndef mean(x):\n    return x.mean()\n",
        STUB + "\nif __name__ == '__main__':\n    LayerNorm(3)\n",
        STUB.replace("\n", "\r\n"),
    ],
)
def test_the_stub_with_trimmings_is_not_started(inspect: Inspect, source: str) -> None:
    assert not inspect(source).started


@pytest.mark.parametrize(
    "source",
    [
        RIGHT,
        STUB.replace('raise NotImplementedError("keep the arguments")', "self.eps = eps"),
        STUB.replace("nn.Module", "Base"),
        STUB.replace("1e-5", "1e-6"),
        STUB.replace("class LayerNorm", "class Layernorm"),
    ],
)
def test_a_change_of_the_stubs_code_is_a_start(inspect: Inspect, source: str) -> None:
    assert inspect(source).started


def test_a_part_beside_the_contract_that_the_stub_leaves_open_counts(tmp_path: Path) -> None:
    stub = "def layer_norm(x): return centred(x)\ndef centred(x):\n    raise NotImplementedError\n"
    exercise = an_exercise(tmp_path, stub, "layer_norm(x)")
    assert not inspect_source(stub, exercise).started
    assert inspect_source(stub.replace("raise NotImplementedError", "return x - x.mean()"), exercise).started


def test_the_stub_may_be_allowed(inspect: Inspect) -> None:
    assert inspect(STUB, allow_stub=True).started


@pytest.mark.parametrize("stub", ["x = = 1", "class Other: pass"])
def test_without_a_stub_that_defines_the_contract_everything_is_started(tmp_path: Path, stub: str) -> None:
    assert inspect_source(STUB, an_exercise(tmp_path, stub, LAYER_NORM)).started


def test_without_a_stub_everything_is_started(tmp_path: Path) -> None:
    exercise = an_exercise(tmp_path, STUB, LAYER_NORM)
    exercise.stub.unlink()
    assert inspect_source(STUB, exercise).started


# Cost


def test_inspection_imports_nothing_heavy() -> None:
    code = "import normgrade.inspection.inspection, sys; print(*sorted({'torch', 'numpy', 'pytest', 'rich', 'click'} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")


STARS = "".join(f"from m{i} import *\n" for i in range(1800)) + "q;" * 14000
BRANCHES = "if x:\n x\n" + "elif x:\n x\n" * 180 + "else:\n " + ";".join(f"a{i}=1" for i in range(6500)) + "\n"
CHAINS = "".join(f"if x: import torch.m{i} as m\n" for i in range(16)) + "".join(f"m.b{i}" + ".a" * 85 + ";" for i in range(340))


@pytest.mark.parametrize("source", [STARS, BRANCHES, CHAINS])
def test_names_that_nobody_could_follow_are_a_finding(inspect: Inspect, source: str) -> None:
    inspection = inspect(f"{RIGHT}\n{source}")
    text = (
        "The file binds too many names in too many branches, or imports everything from too many modules, to be followed: "
        "simplify it, and import by name what you use."
    )
    assert inspection.findings == (Finding(0, 0, "syntax", text),) and not inspection.runnable


def test_fifteen_star_imports_hide_nothing(inspect: Inspect) -> None:
    stars = "".join(f"from a{i} import *\n" for i in range(14)) + "from torch.nn.functional import *\n"
    assert the_finding(inspect(f"{stars}{RIGHT}\nlayer_norm")).rule == "banned"


def test_two_names_that_change_places_stand_for_each_other(inspect: Inspect) -> None:
    swapped = "import torch, math\ntorch, math = math, torch\nmath.nn.functional.layer_norm\ntorch.nn.functional.layer_norm\n"
    assert the_finding(inspect(f"{RIGHT}\n{swapped}")).line == RIGHT.count("\n") + 4


def test_a_long_file_of_ordinary_code_can_be_followed(inspect: Inspect) -> None:
    source = RIGHT
    while len(source) + len(RIGHT) < 64 * 1024:
        source += RIGHT.replace("class LayerNorm", f"class Other{len(source)}")
    assert inspect(source).findings == ()


@pytest.mark.parametrize(
    "source",
    [
        "import torch as a\n" + "a = a.x if a else a.y\n" * 2900,
        "import torch as a\n" + "a = a.x\n" * 8000,
        "".join(f"if 1: a{i} = 1\n" for i in range(3500)),
        "from torch import *\n" * 3000,
        "import torch\n" + "torch.layer_norm;" * 3800,
        "(a,)=" * 3000 + "([" + "q," * 22000 + "],)\n",
        "try:\n x\n" + "".join(f"except q: a{i}=1\n" for i in range(3400)),
        "match x:\n" + "".join(f" case {i}, a{i}: q\n" for i in range(3400)),
    ],
)
def test_a_hostile_source_is_inspected_within_seconds(exercise: Exercise, source: str) -> None:
    start = time.perf_counter()
    inspect_source(source, exercise)
    assert time.perf_counter() - start < 20  # far above what it takes, far below what an explosion would
