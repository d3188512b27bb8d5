"""The names that a source binds, and those that it uses."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from normgrade.notebook.bindings import (
    at_line,
    binding,
    bound,
    first_line,
    future_imports,
    futures,
    is_named_lambda,
    statements,
    taken,
    text_of,
    uses,
    without,
)


def statement(source: str) -> ast.stmt:
    return ast.parse(source).body[0]


def test_the_text_is_the_current_one_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("x = 1\n")
    assert text_of(str(path)) == "x = 1\n"
    path.write_text("x = 22\n")
    assert text_of(str(path)) == "x = 22\n"
    assert text_of(str(tmp_path / "none.py")) == ""


def test_the_text_is_decoded_or_empty(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    for content, text in ((b"# coding: latin-1\r\nx = '\xe9'", "# coding: latin-1\nx = 'é'"), (b"\xff", ""), (b"# coding: none\n", "")):
        path.write_bytes(content)
        assert text_of(str(path)) == text


def test_a_file_is_found_as_python_found_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "found_on_the_path.py").write_text("x = 1\n")
    assert text_of("found_on_the_path.py") == ""
    monkeypatch.syspath_prepend(tmp_path)
    assert text_of("found_on_the_path.py") == "x = 1\n"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "<string>").write_text("x = 2\n")
    assert text_of("<string>") == ""


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes as POSIX has them")
@pytest.mark.parametrize("kind", ["a pipe", "a device", "a link to a device", "a folder", "a huge file", "a link to a file"])
def test_only_plain_files_are_opened(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "found_on_the_path.py"
    match kind:
        case "a pipe":
            os.mkfifo(path)
        case "a device":
            path = Path("/dev/tty")
        case "a link to a device":
            path.symlink_to("/dev/zero")
        case "a folder":
            path.mkdir()
        case "a huge file":
            path.touch()
            os.truncate(path, 2**40)
        case "a link to a file":
            (tmp_path / "real.py").write_text("x = 1\n")
            path.symlink_to("real.py")

    program = f"from normgrade.notebook.bindings import text_of; print(repr(text_of({str(path)!r})))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    shown = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=20)
    assert shown.stdout == ("'x = 1\\n'\n" if kind == "a link to a file" else "''\n")


def test_statements_exclude_the_bodies_of_definitions() -> None:
    blocks = "if a:\n    b = 1\nelse:\n    c = 1\ntry:\n    d = 1\nexcept E:\n    e = 1\n"
    source = f"{blocks}match f:\n    case 1:\n        g = 1\ndef h():\n    i = 1\n"
    assert [each.lineno for each in statements(source)] == [1, 2, 4, 5, 6, 8, 9, 11, 12]
    assert statements("x = = 1") == ()


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a = b.c = d[e] = 1", {"a"}),
        ("a, (b, *c) = d", {"a", "b", "c"}),
        ("a: int = b", {"a"}),
        ("a += b", {"a"}),
        ("del a", {"a"}),
        ("for a in b: c = 1", {"a"}),
        ("with a as b, c as (d, e): f = 1", {"b", "d", "e"}),
        ("import a.b, c.d as e", {"a", "e"}),
        ("from a import b, c as d", {"b", "d"}),
        ("class A(B): c = 1", {"A"}),
        ("async def f(a): b = 1", {"f"}),
        ("a(b)", set()),
    ],
)
def test_a_statement_binds_its_own_names(source: str, names: set[str]) -> None:
    assert bound(statement(source)) == names


def test_the_last_binding_of_a_name_is_found() -> None:
    found = binding("a = 1\nif b:\n    a = 2\nc = 3\n", "a")
    assert found is not None and found.lineno == 3
    assert binding("def f():\n    a = 1\n", "a") is None


def test_a_definition_is_found_by_any_of_its_lines() -> None:
    text = "@made\n@twice\ndef f():\n    pass\n\nclass A:\n    def f(self):\n        pass\n\ng = lambda x: x\nh = [lambda x: x]\n"
    assert [first_line(found) for line in (1, 3, 7) if (found := at_line(text, "f", line))] == [1, 1, 7]
    assert at_line(text, "f", 6) is None and at_line("x = = 1", "x", 1) is None
    named = at_line(text, "<lambda>", 10)
    assert named is not None and is_named_lambda(named) and at_line(text, "<lambda>", 11) is None


def test_future_imports_are_found_and_taken_out() -> None:
    text = "from __future__ import annotations\nx = 1; from __future__ import division as d\ny = 2"
    assert futures(text) == {"annotations", "division"}
    assert without(text, future_imports(text)) == "\nx = 1; pass\ny = 2"


def test_immediate_and_later_uses_are_told_apart() -> None:
    source = "@a\ndef f(x: b = c) -> d:\n    return e + x + print\nclass G(h):\n    i = j\n    def k(self): return l\n"
    at_once, later = uses(source)
    assert at_once >= {"a", "b", "c", "d", "h", "j"} and later >= {"e", "print", "l"} and not {"e", "l"} & at_once
    postponed, _later = uses(source, postponed=True)
    assert {"b", "d"}.isdisjoint(postponed) and {"a", "c", "h", "j"} <= postponed


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("a = 1\na", set()),
        ("b = a\na = 1", {"a"}),
        ("def f(): return a\na = 1", set()),
        ("def f(): return a", {"a"}),
        ("def f(x=a): return x\na = 1", {"a"}),
        ("import a\na.b", set()),
        ("for a in b: c", {"b", "c"}),
    ],
)
def test_a_cell_takes_names_before_it_binds_them(cell: str, names: set[str]) -> None:
    assert taken(cell) == names
