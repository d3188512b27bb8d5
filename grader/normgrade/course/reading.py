"""The reading of `course.toml` and `exercise.toml`. A wrong key or value is refused with the valid ones."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path

from normgrade.course.ban import Ban, needed_operation
from normgrade.course.exercise import Exercise, Limits
from normgrade.course.layout import Files
from normgrade.course.settings import CREDITS, REVEALS, Minimum, Settings
from normgrade.course.table import Table, between, languages, mapping, one_of, seconds, signatures, text, texts
from normgrade.course.translations import translated, translations
from normgrade.language import _

# The time of someone who has written the layer before and does not look it up. A warm-up is one formula, level 2 adds a contract,
# level 3 adds state or a second mode, and level 4 adds a mechanism of its own.
MINUTES = {1: 5, 2: 10, 3: 15, 4: 25}  # by level


def read_settings(path: Path) -> Settings:
    """Return the settings in `course.toml`; the defaults if there is no such file. Raise CourseError if it is wrong."""
    table, usual = Table.of_optional(path), Settings()
    settings = Settings(
        title=table.take("title", text, usual.title),
        reveal=table.take("reveal", one_of(*REVEALS), usual.reveal),
        credit=table.take("credit", one_of(*CREDITS), usual.credit),
        banned=bans_of(table),
        languages=table.take("languages", languages, usual.languages),
        minimum=read_minimum(table.table("minimum", {})),
    )
    table.finish()
    return settings


def read_exercise(files: Files, settings: Settings) -> Exercise:
    """Return the exercise that `exercise.toml` describes. Raise CourseError if a key or a value is wrong."""
    table = Table.of_file(files.description)
    level = table.take("level", between(1, 4))
    say = partial(translated, folder=files.folder)
    exercise = Exercise(
        slug=files.slug,
        course=files.course,
        title=say(table.take("title", text)),
        group=say(table.take("group", text)),
        level=level,
        order=table.take("order", between(0, 9999)),
        points=table.take("points", between(1, 1000), 20),
        defines=table.take("defines", signatures),
        after=table.take("after", texts, ()),
        banned=settings.banned + bans_of(table),
        allowed=table.take("allowed", texts, ()),
        hints=tuple(map(say, table.take("hints", texts, ()))),
        places=translations(files.folder),
        limits=read_limits(table.table("limits", {})),
        reveal=table.take("reveal", one_of(*REVEALS), settings.reveal),
        spread=table.take("spread", texts, ()),
        left_out=table.take("left_out", mapping, {}),
        left_out_habits=table.take("habits", mapping, {}),
        courtesy=table.take("courtesy", texts, ()),
        credit=table.take("credit", one_of(*CREDITS), settings.credit),
        minutes=table.take("minutes", between(1, 600), MINUTES[level]),
        importance=table.take("importance", between(1, 5), 3),
    )
    for name in exercise.allowed:
        if Ban(exercise.banned).against(name) is None:
            banned = ", ".join(exercise.banned) or _("none")
            table.wrong("allowed", _('"{name}" is not banned; banned are {banned}', name=name, banned=banned))
    table.finish()
    return exercise


def predecessors(files: Files) -> tuple[str, ...]:
    """Return the slugs of the exercises that one comes after, without reading the rest. Raise CourseError if they are wrong."""
    return Table.of_file(files.description).take("after", texts, ())


def bans_of(table: Table) -> tuple[str, ...]:
    """Return the patterns that a file bans. Raise CourseError if one of them bans an operation that the grader itself needs."""
    banned = table.take("banned", texts, ())
    for pattern in banned:
        if name := needed_operation(pattern):
            said = _(
                '"{pattern}" also bans `{name}`, which the grader itself calls: ban a more specific name, '
                'or ban "torch" if PyTorch must not be imported at all',
                pattern=pattern,
                name=name,
            )
            table.wrong("banned", said)
    return banned


def read_minimum(table: Table) -> Minimum:
    """Return the table `minimum` of `course.toml`. Raise CourseError if a key or a value is wrong."""
    usual = asdict(Minimum())
    minimum = Minimum(**{key: table.take(key, between(0, 1000), default) for key, default in usual.items()})
    table.finish()
    return minimum


def read_limits(table: Table) -> Limits:
    """Return the table `limits` of `exercise.toml`. Raise CourseError if a key or a value is wrong."""
    usual = Limits()
    limits = Limits(
        answer_s=table.take("answer_s", seconds, usual.answer_s),
        total_s=table.take("total_s", seconds, usual.total_s),
        memory_mib=table.take("memory_mib", between(16, 2**20), usual.memory_mib),
    )
    table.finish()
    return limits
