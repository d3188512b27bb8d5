"""What a docstring says: in English, and in a paragraph "zh: …" of its own in Chinese."""

from __future__ import annotations

import ast
import re
from inspect import cleandoc

from normgrade.language import ENGLISH, LANGUAGES, spoken

QUOTES = '"""'
OTHERS = tuple(f"{language}: " for language in LANGUAGES if language != ENGLISH)  # how their paragraphs begin
SIGN = r"[\u3000-\u9fff\uff00-\uffef]"  # Chinese, which has no spaces where lines break


def first_paragraph(docstring: str | None) -> str:
    """The first paragraph of a docstring in the language that is spoken, or else in English."""
    return first_paragraph_in(docstring, spoken()) or first_paragraph_in(docstring, ENGLISH)


def first_paragraph_in(docstring: str | None, language: str) -> str:
    """The first paragraph as one line; for another language than English, the paragraph that begins with "zh: ". "" where there is none."""
    first, *others = cleandoc(docstring or "").split("\n\n")
    if language == ENGLISH:
        return joined(first)
    begins = f"{language}: "
    return next((joined(other.removeprefix(begins)) for other in others if other.startswith(begins)), "")


def as_spoken(source: str) -> str:
    """The source of a module, whose docstring keeps only the paragraphs of the language that is spoken. The code stays as it is."""
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
    """The lines of a paragraph as one, without spaces between Chinese characters."""
    return re.sub(rf"(?<={SIGN}) (?={SIGN})", "", " ".join(paragraph.split()))
