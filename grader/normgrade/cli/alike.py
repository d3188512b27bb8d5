"""Answers that are alike, for people and for programs: a table for each exercise, two sources with the lines that share something."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from normgrade.classes.hand_ins import LeftOut
from normgrade.classes.similar.fingerprints import Lines
from normgrade.classes.similar.similarity import HIGH, LEAST_ANSWERS, TYPICAL, Pair, Ranking, Similarity
from normgrade.cli.solution import WIDE
from normgrade.language import _, n_
from normgrade.language.errors import listed
from normgrade.language.text import lines_of
from normgrade.language.visible import in_columns, visible_name
from normgrade.report.render.json import as_object
from normgrade.report.render.terminal import WIDEST, open_console

NAMED = 5  # students in a sentence
SHARED = "▌"  # marks a line
SHARED_STYLE = "bold yellow"


def show(found: Sequence[Ranking], whole: bool) -> None:
    """Print the result; with `whole`, the sources of its pairs as well."""
    print_all(open_console(), found, whole)


def as_text(found: Sequence[Ranking], whole: bool) -> str:
    """Return the text that `show` would print without a terminal."""
    console = open_console(io.StringIO())
    print_all(console, found, whole)
    assert isinstance(console.file, io.StringIO)
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())


def print_all(console: Console, found: Sequence[Ranking], whole: bool) -> None:
    for each in found:
        for part in parts_of_pair(each, console.width) if whole else parts_of(each):
            console.print(part) if isinstance(part, Table) else console.print(part, width=min(console.width, WIDEST))
        console.print()
    for line in advice(found, whole):
        console.print(Text(line), width=min(console.width, WIDEST))


def parts_of(found: Ranking) -> Iterator[RenderableType]:
    """Yield the lines about an exercise: how usual scores are, its table, and the answers that are not in it."""
    similarity = found.similarity
    yield Text(found.slug, style="bold")
    yield Text(base_rate(similarity))
    if found.pairs:
        yield table_of(found)
    for students in similarity.identical:
        yield Text(_("The files of {students} are identical except for whitespace.", students=some(students)))
    if similarity.short:
        yield Text(_("Too short to tell, without the code that comes with the exercise: {students}.", students=some(similarity.short)))


def base_rate(similarity: Similarity) -> str:
    """Return how usual scores are, as far as the class can tell."""
    answers = len(similarity.compared)
    if answers < 2:
        return n_("{n} answer can be compared, and a pair takes two.", "{n} answers can be compared, and a pair takes two.", answers)
    if not similarity.tells:
        return _(
            "{answers} answers are compared. To tell how usual a score is, a class needs at least {least}.",
            answers=answers,
            least=LEAST_ANSWERS,
        )
    return _(
        "{answers} answers are compared, in {pairs:,} pairs. Half of these score at most {typical:.2f}, and 95 % at most {high:.2f}.",
        answers=answers,
        pairs=similarity.pairs,
        typical=similarity.reached_by(TYPICAL),
        high=similarity.reached_by(HIGH),
    )


def table_of(found: Ranking) -> Table:
    """Return a table with a row for each pair."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column(_("student"), overflow="fold")
    table.add_column(_("student"), overflow="fold")
    table.add_column(_("score"), justify="right", no_wrap=True)
    if found.similarity.tells:
        table.add_column(_("pairs that score as high"), no_wrap=True)
    for rank, pair in enumerate(found.pairs, 1):
        usual = [usual_in_words(found.similarity, pair)] if found.similarity.tells else []
        cells = (str(rank), shown(pair.one.student), shown(pair.other.student), f"{pair.score:.2f}", *usual)
        table.add_row(*map(Text, cells))
    return table


def usual_in_words(similarity: Similarity, pair: Pair) -> str:
    return _("{number:,} of {pairs:,}", number=similarity.as_high(pair.score), pairs=similarity.pairs)


def parts_of_pair(found: Ranking, width: int) -> Iterator[RenderableType]:
    """Yield the lines about a single pair: its score, how usual it is, and both sources."""
    for pair in found.pairs:
        yield Text.assemble((found.slug, "bold"), f" · {shown(pair.one.student)} · {shown(pair.other.student)}")
        yield Text(score_in_words(found.similarity, pair))
        yield Text(base_rate(found.similarity))
        yield from sources(pair, width)


def score_in_words(similarity: Similarity, pair: Pair) -> str:
    if pair.one.digest == pair.other.digest:
        return _("The files are identical except for whitespace.")
    least, most = sorted((len(pair.one.own), len(pair.other.own)))
    said = _(
        "Score {score:.2f}: of {least} and {most} fingerprints of their own they share {shared}.",
        score=pair.score,
        least=least,
        most=most,
        shared=pair.shared,
    )
    return _("{said} As high: {usual} pairs.", said=said, usual=usual_in_words(similarity, pair)) if similarity.tells else said


def sources(pair: Pair, width: int) -> Iterator[RenderableType]:
    """Yield both sources, side by side if there is room."""
    one, other = (marked(answer.student, answer.source, lines) for answer, lines in zip((pair.one, pair.other), pair.lines, strict=True))
    if width < WIDE:
        yield grid(one)
        yield grid(other)
    else:
        yield grid([(*left, *right) for left, right in zip_longest(one, other, fillvalue=(Text(), Text()))])


def grid(rows: Sequence[Sequence[Text]]) -> Table:
    """Return rows of numbers and lines, as wide as the console; a long line is folded."""
    table = Table.grid(padding=(0, 1, 0, 0), expand=True)
    for _side in range(len(rows[0]) // 2):
        table.add_column(no_wrap=True)
        table.add_column(ratio=1, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def marked(student: str, source: str, shared: Sequence[Lines]) -> list[tuple[Text, Text]]:
    """Return the title of a source and its lines, each with its number; a mark stands at the lines that share something."""
    numbers = {number for lines in shared for number in range(lines.first, lines.last + 1)}
    rows = [(Text(), Text(shown(student), style="bold"))]
    for number, line in enumerate(lines_of(source.rstrip()), 1):
        style = SHARED_STYLE if number in numbers else "dim"
        rows.append((Text(f"{SHARED if number in numbers else ' '}{number:>4}", style=style), Text(in_columns(line), style=style)))
    return rows


def advice(found: Sequence[Ranking], whole: bool) -> Iterator[str]:
    """Yield what to do next, and that a score is no proof."""
    if not found:
        yield _("No answers were found to compare.")
    pair = next((pair for each in found for pair in each.pairs), None)
    if pair is None:
        return
    if whole:
        yield _("A mark stands at lines with code that both have. Answers can be alike for many reasons: read both before you judge.")
    else:
        yield _(
            'Answers can be alike for many reasons. Read both before you judge: --pair "{one}" "{other}" shows them.',
            one=shown(pair.one.student),
            other=shown(pair.other.student),
        )


def some(students: Sequence[str]) -> str:
    """Return the first names as a list, and how many more there are."""
    more = len(students) - NAMED
    names = [*map(shown, students[:NAMED])]
    return listed([*names, n_("{n} more", "{n} more", more)] if more > 0 else names)


def shown(student: str) -> str:
    return visible_name(student)


def as_json(found: Sequence[Ranking], left_out: Sequence[LeftOut]) -> str:
    """Return the result as one JSON object."""
    return as_object(
        {
            "exercises": [exercise_as_json(each) for each in found],
            "left_out": [{"file": each.origin, "why": each.why} for each in left_out],
        }
    )


def exercise_as_json(found: Ranking) -> dict[str, Any]:
    similarity = found.similarity
    return {
        "exercise": found.slug,
        "compared": len(similarity.compared),
        "pairs": similarity.pairs,
        "median": similarity.reached_by(TYPICAL) if similarity.tells else None,
        "percentile_95": similarity.reached_by(HIGH) if similarity.tells else None,
        "too_short": list(similarity.short),
        "identical": [list(each) for each in similarity.identical],
        "alike": [pair_as_json(similarity, each) for each in found.pairs],
    }


def pair_as_json(similarity: Similarity, pair: Pair) -> dict[str, Any]:
    lines = pair.lines
    return {
        "students": [pair.one.student, pair.other.student],
        "score": pair.score,
        "of_both": pair.of_both,
        "shared": pair.shared,
        "own": [len(pair.one.own), len(pair.other.own)],
        "score_as_high": similarity.as_high(pair.score) if similarity.tells else None,
        "lines": [[list(each) for each in side] for side in lines],
    }
