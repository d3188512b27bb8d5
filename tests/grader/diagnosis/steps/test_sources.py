"""The places of a source: texts, names, definitions, and edits as in `mistakes.toml`."""

from __future__ import annotations

import ast

from normgrade.course.mistakes import Edit
from normgrade.diagnosis.steps.sources import Source, source_of
from normgrade.worker.untrusted.rewriting import SpotKind

TEXT = """class Layer:
    def forward(self, x):
        dims, é = (0, 2), 1e-5
        mean = x.mean(dims, keepdim=True)  # ε
        a, b = x.var(dims), x.std(
            dims)
        self.seen += 0.1 * mean
        lo, hi = torch.aminmax(x)
        return (x - mean) / (a + é)
"""
SOURCE = source_of(TEXT)


def place(text: str, kind: SpotKind | None = None) -> int:
    return next(number for number, spot in enumerate(SOURCE.spots) if SOURCE.text_of(spot) == text and kind in (None, spot.kind))


def test_a_place_has_a_text_and_an_expression() -> None:
    spot = place("(x - mean) / (a + é)")
    assert isinstance(SOURCE.expression(spot), ast.BinOp) and SOURCE.spots[spot].line == 9
    updated = SOURCE.expression(place("self.seen += 0.1 * mean"))
    assert updated is not None and ast.unparse(updated) == "0.1 * mean"
    unpacked = SOURCE.expression(place("lo"))
    assert unpacked is not None and ast.unparse(unpacked) == "torch.aminmax(x)"


def test_a_value_has_the_name_of_its_assignment() -> None:
    assert SOURCE.name_of(place("x.mean(dims, keepdim=True)")) == "mean"
    assert SOURCE.name_of(place("x.var(dims)")) == "a"
    assert SOURCE.name_of(place("self.seen += 0.1 * mean")) == "seen"
    assert SOURCE.name_of(place("hi")) == "hi"
    assert SOURCE.name_of(place("x - mean")) == ""


def test_a_name_has_one_definition() -> None:
    call = SOURCE.expression(place("x.mean(dims, keepdim=True)"))
    assert isinstance(call, ast.Call) and isinstance(call.args[0], ast.Name)
    definition = SOURCE.definition(call.args[0])
    assert definition is not None and SOURCE.text_of(definition) == "(0, 2)"
    twice = source_of("def f(x):\n    a = 1\n    a = 2\n    return x + a\n")
    name = next(node for node in ast.walk(twice.tree) if isinstance(node, ast.Name) and node.id == "a" and isinstance(node.ctx, ast.Load))
    assert twice.definition(name) is None


def test_an_expression_uses_names_of_its_own_function() -> None:
    assert SOURCE.uses(place("x - mean"), "mean", place("x.mean(dims, keepdim=True)"))
    assert not SOURCE.uses(place("x.var(dims)"), "mean", place("x.mean(dims, keepdim=True)"))


def texts(source: Source, old: str, new: str, at: int = 0) -> list[list[str]]:
    start = source.text.index(old, at)
    return source.as_texts([Edit(start, start + len(old), new)])


def test_an_edit_uses_a_text_that_occurs_once() -> None:
    assert texts(SOURCE, "(0, 2)", "0") == [["= (0, 2)", "= 0"]]
    for old, new, at in (
        ("mean", "x", TEXT.index("x - mean")),
        ("dims", "1", TEXT.index("keepdim") - 6),
        (")", ", 1)", TEXT.index("aminmax")),
    ):
        [[before, after]] = texts(SOURCE, old, new, at)
        start = TEXT.index(old, at)
        assert TEXT.count(before) == 1
        assert TEXT.replace(before, after) == TEXT[:start] + new + TEXT[start + len(old) :]


def test_invalid_python_has_no_places() -> None:
    assert source_of("def").spots == ()
