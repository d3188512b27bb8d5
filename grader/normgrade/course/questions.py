"""The interview questions in a prompt, with their answers, which a page folds away, as it does a derivation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

FOLDED = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>\s*", re.DOTALL)
ANSWERS = ("Answer", "答案")  # summaries that are no question themselves: the question stands before them
DERIVATIONS = ("Show the derivation", "展开推导")  # summaries of folded parts that are no question
NUMBERED = re.compile(r"^\*\*\d+\. (?P<title>.*?)\*\*$(?P<rest>.*)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its answer, in Markdown; `about` is the slug of its exercise."""

    about: str
    text: str
    answer: str


def questions_in(prompt: str, about: str) -> tuple[Question, ...]:
    """Return all questions in the prompt of an exercise, in their order."""
    return tuple(found(prompt, about))


def found(prompt: str, about: str) -> Iterator[Question]:
    end = 0
    for fold in FOLDED.finditer(prompt):
        summary = fold[1].strip()
        if summary not in DERIVATIONS:
            yield Question(about, before(prompt[end : fold.start()]) if summary in ANSWERS else summary, fold[2].strip())
        end = fold.end()


def before(text: str) -> str:
    """Return the question at the end of a text: from its number on, else the last paragraph."""
    numbered = NUMBERED.search(text)
    return f"{numbered['title']}{numbered['rest']}".strip() if numbered else text.strip().rpartition("\n\n")[2]
