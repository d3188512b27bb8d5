"""Docstrings in several languages: a paragraph "zh: …" holds the Chinese text, and the others are English."""

from __future__ import annotations

import ast
import re
from inspect import cleandoc

from normgrade.language import ENGLISH, LANGUAGES, spoken

QUOTES = '"""'
OTHERS = tuple(f"{language}: " for language in LANGUAGES if language != ENGLISH)  # the beginnings of their paragraphs
SIGN = r"[\u3000-\u9fff\uff00-\uffef]"  # Chinese, which has no spaces where lines break


def first_paragraph(docstring: str | None) -> str:
    """Return the first paragraph of a docstring in the current language, or else in English."""
    return first_paragraph_in(docstring, spoken()) or first_paragraph_in(docstring, ENGLISH)


def first_paragraph_in(docstring: str | None, language: str) -> str:
    """Return the first paragraph as one line; for a language like "zh", the paragraph that begins with "zh: ". "" if there is none."""
    first, *others = cleandoc(docstring or "").split("\n\n")
    if language == ENGLISH:
        return joined(first)
    begins = f"{language}: "
    return next((joined(other.removeprefix(begins)) for other in others if other.startswith(begins)), "")


def as_spoken(source: str) -> str:
    """Return the source of a module with only the paragraphs of the current language in its docstring. The code stays as it is."""
    first = next(iter(ast.parse(source).body), None)
    literal = ast.get_source_segment(source, first) if isinstance(first, ast.Expr) else None
    if literal is None or not (literal.startswith(QUOTES) and literal.endswith(QUOTES)):
        return source
    english, *others = literal.removeprefix(QUOTES).removesuffix(QUOTES).strip().split("\n\n")
    foreign = {other: begins for other in others for begins in OTHERS if other.startswith(begins)}
    said = [other.removeprefix(begins) for other, begins in foreign.items() if begins == f"{spoken()}: "] or [english]
    text = "\n\n".join((*said, *(other for other in others if other not in foreign)))
    before, _literal, after = source.partition(literal)
    return f"{before}{QUOTES}{text}{chr(10) if chr(10) in text else ''}{QUOTES}{after}" if foreign else source


def joined(paragraph: str) -> str:
    """Join the lines of a paragraph, without spaces between Chinese characters."""
    return re.sub(rf"(?<={SIGN}) (?={SIGN})", "", " ".join(paragraph.split()))
