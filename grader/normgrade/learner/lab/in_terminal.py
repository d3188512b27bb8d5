"""A study in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from normgrade.course.exercise import Exercise
from normgrade.inspection.program import program_of
from normgrade.language import _
from normgrade.learner.lab.curves import chart
from normgrade.learner.lab.in_words import company_in_words, headline, judged, rows, sides, sizes, stopped
from normgrade.learner.lab.study import Study
from normgrade.remarks.crash import raised
from normgrade.report.render.whole import raised_lines
from normgrade.suite.blame import alone
from normgrade.worker.wire.observation import Error

SHOWN = 6  # sublayers


def parts(study: Study, exercise: Exercise, source: str) -> Iterator[RenderableType]:
    """Yield the parts of a study: its curves, its numbers, and what they say. `source` is the learner's."""
    yield Text(headline(study), style="bold")
    yield Text()
    yield from drawn(study)
    yield Text()
    yield numbers(study)
    yield Text()
    for what, title in (
        ("activations", _("root mean square of the output of each sublayer, at the first step")),
        ("gradients", _("root mean square of its gradient")),
    ):
        yield Text(title, style="dim")
        yield layers(study, what)
    yield Text()
    if study.error is not None:
        yield Text(stopped(study.error), style="bold red")
        yield from error_lines(study.error, exercise, source)
    else:
        yield Text(judged(study), style="green" if study.agrees else "bold red")
    for sentence in company_in_words(study.company) if study.company is not None else ():
        yield Text(sentence)


def drawn(study: Study) -> Iterator[Text]:
    """Yield the lines of the chart: no norm first, so that the other curves are drawn over it, and the learner's over the reference's."""
    found = {named.mark: named for named in reversed(sides(study))}
    for line in chart({mark: named.trained.losses for mark, named in found.items()}):
        text = Text("  ")
        for character in line.rstrip():
            text.append(character, style=found[character].colour if character in found else "dim")
        yield text
    legend = Text("  " + _("loss") + "  ", style="dim")
    for named in sides(study):
        legend.append(f"{named.mark} {named.name}   ", style=named.colour)
    yield legend


def numbers(study: Study) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    table.add_column("")
    for heading in (_("first loss"), _("last loss"), _("on others"), _("right")):
        table.add_column(heading, justify="right")
    for name, cells in rows(study):
        table.add_row(name, *cells)
    return Padding(table, (0, 0, 0, 2))


def layers(study: Study, what: str) -> RenderableType:
    """Return a table with some sublayers: the first, the last, and some between them."""
    table = Table(box=None, show_header=True, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("")
    found = sizes(study, what, "first")
    count = min(len(of) for of in found.values())
    chosen = sorted({round(number * (count - 1) / (SHOWN - 1)) for number in range(SHOWN)}) if count else []
    for number in chosen:
        table.add_column(str(number + 1), justify="right")
    for name, of in found.items():
        table.add_row(name, *(of[number] for number in chosen))
    return Padding(table, (0, 0, 0, 2))


def error_lines(error: Error, exercise: Exercise, source: str) -> Iterator[RenderableType]:
    """Yield the lines about an exception, with the learner's line."""
    program = program_of(source)
    if program is None:
        yield Text(alone(error))
    else:
        yield from raised_lines(raised(error, exercise, program))
