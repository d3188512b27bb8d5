"""Patterns of a course's own layout, such as "{student}/*/{exercise}.py"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from normgrade.language import _
from normgrade.language.errors import UsageError, listed

GOOD = "hw3/{student}/**/{file}"
FIELDS = ("student", "exercise", "id", "file")
FOLDERS, NAME = "**", "*"  # any number of folders; any name, or a part of one
ANY_FOLDERS = "(?:[^/]+/)*?"
WILD = re.compile(r"\{([^{}]*)\}|\*+")


@dataclass(frozen=True, slots=True)
class Found:
    """The parts of a path that a pattern names: `file` is the exercise, or else the part below the student."""

    student: str
    file: str
    above: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern for the end of a path. It begins at a name: first at those below the folder that was passed."""

    expression: re.Pattern[str]

    def search(self, path: str) -> Found | None:
        starts = [0, *(place.end() for place in re.finditer("/", path))]
        for start in (*starts[1:2], 0, *starts[2:]):
            if match := self.expression.fullmatch(path, start):
                return found(path, start, match)
        return None


def found(path: str, start: int, match: re.Match[str]) -> Found:
    told = match.groupdict()
    below = path[match.end("student") :].lstrip("/")
    return Found(told["student"], told.get("exercise") or below or match[0], path[:start], told.get("id") or "")


def pattern_of(text: str) -> Pattern:
    """Return the pattern that a text describes. Raise a UsageError if it names no student, or a field twice or unknown."""
    fields = [field for field in WILD.findall(text) if field] + ["" for _each in re.findall(r"\{\}", text)]
    if unknown := [field for field in fields if field not in FIELDS]:
        known = listed(f"{{{each}}}" for each in FIELDS)
        raise refused(text, _("{field} is none of {known}", field=f"{{{unknown[0]}}}", known=known))
    if fields.count("student") != 1 or len(set(fields)) < len(fields):
        raise refused(text, _("it needs {field} once, and every other field at most once", field="{student}"))
    return Pattern(re.compile(expression_of([*filter(None, text.split("/"))])))


def expression_of(parts: list[str]) -> str:
    """Return the expression for the parts of a path.

    The first folders that fit are taken, and the search never goes back over them: a stranger's path could have it do so for long.
    """
    *folders, last = [*parts, NAME] if parts[-1] == FOLDERS else parts
    runs = [""]  # folders one below the other, between any number of others
    for part in folders:
        if part == FOLDERS:
            runs.append("")
        else:
            runs[-1] += f"(?>{of_name(part)}/)"
    first, *others = runs
    if not others:
        return first + of_name(last)
    middle = "".join(f"(?>{ANY_FOLDERS}{run})" for run in others[:-1])
    return f"{first}{middle}{ANY_FOLDERS}{others[-1]}{of_name(last)}"


def of_name(part: str) -> str:
    """Return the expression for one name. Between two signs that stand for anything, the first text that fits is taken."""
    pieces, end, wild = [], 0, ""
    for match in WILD.finditer(part):
        fixed = re.escape(part[end : match.start()])
        pieces.append(f"(?>{wild}{fixed})" if wild and fixed else wild + fixed)
        wild, end = f"(?P<{match[1]}>[^/]+?)" if match[1] else "[^/]*?", match.end()
    return "".join(pieces) + wild + re.escape(part[end:])


def refused(text: str, why: str) -> UsageError:
    return UsageError(_('The pattern "{pattern}" of the layout is wrong: {why}. A good one is "{good}".', pattern=text, why=why, good=GOOD))
