"""The table of all exercises in README, by part: `python tests/grader/harness/readme_table.py` brings it up to date with the course.

Level and order come from the course. The last column, the difficulty of an exercise, is written by hand and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.package import carried

README = Path(__file__).parents[3] / "README.md"
HEAD = "| exercise | level | best after | what is hard about it |\n|---|---|---|---|\n"
UNWRITTEN = "TODO"
ROW = re.compile(r"^\| `(\w+)` \|.*\| (.*) \|$", re.MULTILINE)


def between(text: str) -> tuple[str, str, str]:
    """Return the part of README before its table, the table, and the part after it."""
    start = text.index("| exercise | level |")
    end = text.index("\n\n", start) + 1
    return text[:start], text[start:end], text[end:]


def table_of(course: Course, hard: Mapping[str, str]) -> str:
    """Return the table. `hard` has the last column, the difficulty of each exercise, by slug."""
    return HEAD + "".join(f"{row}\n" for row in rows(course, hard))


def rows(course: Course, hard: Mapping[str, str]) -> Iterator[str]:
    """Yield a row for each part, and below it a row for each of its exercises."""
    exercises = list(course)
    for group in dict.fromkeys(exercise.group for exercise in exercises):
        yield f"| **{group}** | | | |"
        yield from (row(each, hard.get(each.slug, UNWRITTEN)) for each in exercises if each.group == group)


def row(exercise: Exercise, hard: str) -> str:
    after = ", ".join(f"`{slug}`" for slug in exercise.after)
    return f"| `{exercise.slug}` | {exercise.level} |{f' {after} ' if after else ' '}| {hard} |"


def updated(text: str, course: Course) -> str:
    """Return README with a table that agrees with the course."""
    before, table, behind = between(text)
    return before + table_of(course, dict(ROW.findall(table))) + behind


def main() -> None:
    text = updated(README.read_text(encoding="utf-8"), Course(carried()))
    README.write_text(text, encoding="utf-8")
    for line in text.splitlines():
        if line.endswith(f"| {UNWRITTEN} |"):
            print(f"README.md: say what is hard about it: {line}")


if __name__ == "__main__":
    main()
