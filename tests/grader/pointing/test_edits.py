"""The changes of an edit, token by token."""

from __future__ import annotations

import ast

import pytest

from normgrade.pointing.edits import Span, changed


def pieces(old: str, new: str) -> list[str]:
    lines = new.encode().splitlines()
    return [lines[span.start[0] - 1][span.start[1] : span.end[1]].decode() for span in changed(old, new)]


def test_only_new_tokens_are_told() -> None:
    assert pieces("y = x - mean\n", "y = x + mean\n") == ["+"]
    assert pieces("a = f(x, 1)\nb = 2\n", "a = f(x)\nb = 3\n") == ["", "3"]
    assert pieces("a = 1\n", "a = 1\n") == []


def test_layout_and_comments_are_no_change() -> None:
    assert pieces("y = f(x, 1)  # one\n", "y = f(\n    x,\n    1)\n") == []


def test_places_are_counted_in_bytes_as_in_syntax_trees() -> None:
    [span] = changed("é = 'ü' + a\n", "é = 'ü' + bc\n")
    tree = ast.parse("é = 'ü' + bc\n").body[0]
    assert isinstance(tree, ast.Assign) and isinstance(tree.value, ast.BinOp)
    assert span.start == (1, tree.value.right.col_offset) and span.touches(tree.value.right) and not span.touches(tree.value.left)


def test_removed_tokens_are_a_point_inside_their_node() -> None:
    [span] = changed("y = x.var(-1, correction=0) + 1\n", "y = x.var(-1) + 1\n")
    statement = ast.parse("y = x.var(-1) + 1\n").body[0]
    assert isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BinOp)
    total, call = statement.value, statement.value.left
    assert span.start == span.end and span.touches(call) and span.touches(total) and not span.touches(total.right)
    assert span.apart(call) < span.apart(total)


def test_nothing_touches_a_missing_node() -> None:
    assert not Span((1, 0), (1, 4)).touches(None)


def test_invalid_python_is_refused() -> None:
    with pytest.raises(ValueError):
        changed("a = 1\n", "a = (\n")
