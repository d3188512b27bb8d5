"""Tests of the English of docstrings and comments: they are as plain as those of click, pytest and rich.

Their words show a habit. Riddles begin with "what" or "where", and conditions that stand in the place of "if" are hard to read. The limits
are near those of well-kept libraries, measured in the same way: in 1,000 words, click, rich, pluggy and pytest have less than one "what",
at most one "where", and 9 to 17 times "if" or "when".
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import normgrade

HOUSE = Path(normgrade.__file__).parent
TESTS = Path(__file__).parents[1]
MOST = {"what": 1.5, "where": 2.0}  # in 1,000 words
LEAST_CONDITIONS = 8.0  # "if" and "when", in 1,000 words
MOST_RIDDLES = 0.02  # the share of docstrings that begin with one
LONGEST_NAME = 9  # words of a test's name
RIDDLE = re.compile(r"(What(ever)?|Whether|Whoever|That|Where|The same|Those|Of|As)\b")
NOT_OURS = {"fixtures", "wild", "_course"}  # code of learners, and the course in the wheel


def sources() -> list[Path]:
    return [path for root in (HOUSE, TESTS) for path in sorted(root.rglob("*.py")) if NOT_OURS.isdisjoint(path.relative_to(root).parts)]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def comments(path: Path) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def rates() -> Counter[str]:
    """Return how often each word is used in 1,000 words of docstrings and comments."""
    texts = (text for path in sources() for text in (*docstrings(path), *comments(path)))
    words = [word for text in texts for word in re.findall(r"[a-z']+", text.lower())]
    assert len(words) > 10_000
    return Counter({word: 1000 * count / len(words) for word, count in Counter(words).items()})


def test_docstrings_and_comments_are_plain() -> None:
    rate = rates()
    assert {word: rate[word] for word, most in MOST.items() if rate[word] > most} == {}
    assert rate["if"] + rate["when"] >= LEAST_CONDITIONS


def test_few_docstrings_begin_with_a_riddle() -> None:
    said = [(path, text) for path in sources() for text in docstrings(path) if text]
    riddles = [f"{path.name}: {text.splitlines()[0]}" for path, text in said if RIDDLE.match(text)]
    assert len(riddles) <= MOST_RIDDLES * len(said), "\n".join(riddles)


def test_names_of_tests_are_short() -> None:
    nodes = (node for path in sources() for node in ast.walk(parsed(path)))
    names = [node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    assert [name for name in names if name.count("_") > LONGEST_NAME] == []
