"""Patterns of a course's own layout, such as "{student}/*/{exercise}.py"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from normgrade.language import _
from normgrade.language.errors import UsageError, listed

GOOD = "hw3/{student}/**/{file}"
FIELDS = {"student": "[^/]+?", "exercise": "[^/]+?", "id": "[^/]+?", "file": "[^/]+"}
TOKENS = re.compile(r"\{(?P<field>[^{}]*)\}|(?P<folders>(?:(?<=/)|^)\*\*/)|(?P<star>\*)|(?P<other>.)", re.DOTALL)
MOST_STARS = 8  # a path of a stranger could keep a longer pattern busy for long


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
    pieces, fields = [], []
    for token in TOKENS.finditer(text):
        fields += [token["field"]] if token["field"] is not None else []
        pieces.append(expression_of(token, text))
    if fields.count("student") != 1 or len(set(fields)) < len(fields):
        raise refused(text, _("it needs {field} once, and every other field at most once", field="{student}"))
    if text.count("*") > MOST_STARS:
        raise refused(text, _("it has more than {most} signs *", most=MOST_STARS))
    return Pattern(re.compile("".join(pieces), re.DOTALL))


def expression_of(token: re.Match[str], text: str) -> str:
    if (field := token["field"]) is not None:
        if field not in FIELDS:
            raise refused(text, _("{field} is none of {known}", field=f"{{{field}}}", known=listed(f"{{{each}}}" for each in FIELDS)))
        return f"(?P<{field}>{FIELDS[field]})"
    if token["folders"]:
        return "(?:[^/]+/)*"
    return "[^/]*" if token["star"] else re.escape(token["other"])


def refused(text: str, why: str) -> UsageError:
    return UsageError(_('The pattern "{pattern}" of the layout is wrong: {why}. A good one is "{good}".', pattern=text, why=why, good=GOOD))
