"""A package for Gradescope: normgrade, a course, and a cache in which the expectations of its exercises are kept already."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import join, quote
from tempfile import TemporaryDirectory

from normgrade import __version__
from normgrade.classes.export.check_arguments import arguments
from normgrade.classes.export.fixed_zip import Entry, entries_in, zipped
from normgrade.classes.export.requirements import constraints, requirements
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.layout import folders_in, settings_in
from normgrade.course.package import PACKAGE
from normgrade.grading.grading_options import Options
from normgrade.language import _
from normgrade.report.render.json import dumped

FILES = Path(__file__).parent / "autograder_files"
MADE_BY = "normgrade "  # in the comment of the zip, before the version
PROGRAM = "program/normgrade"
SECONDS = 540  # for a grading: Gradescope ends a container after ten minutes
EXECUTABLE = 0o755
PRIVATE = 0o600


def autograder(course: Course, exercises: Sequence[Exercise], options: Options, index: str = "") -> bytes:
    """Return the zip to upload. The expectations of the exercises are computed for it, with the seed of the options.

    In the package, the course is the one that normgrade carries, so a report does not name a folder. pip takes packages from `index`, too.
    """
    slugs = [exercise.slug for exercise in exercises]
    return zipped(
        {
            "setup.sh": Entry((FILES / "setup.sh").read_bytes(), EXECUTABLE),
            "run_autograder": Entry((FILES / "run_autograder").read_bytes(), EXECUTABLE),
            "settings.sh": Entry(settings(slugs, options, index).encode()),
            "unfinished.json": Entry(unfinished().encode()),
            "requirements.txt": Entry(requirements().encode()),
            "constraints.txt": Entry(constraints().encode()),
            **{name: entry for name, entry in entries_in(PACKAGE, PROGRAM) if not name.startswith(f"{PROGRAM}/_course/")},
            **dict(course_in(course)),
            **kept(exercises, options),
        },
        f"{MADE_BY}{__version__}",
    )


def settings(slugs: Sequence[str], options: Options, index: str) -> str:
    """Return the settings that both scripts read."""
    return (
        "# The settings of this package. To change them, change the file, zip all files again, and upload the zip.\n"
        f"slugs=({join(slugs)})\n"
        f"seed={options.seed}\n"
        f"options=({join(arguments(options))})\n"
        f"seconds={SECONDS}  # for a whole grading\n"
        f"index={quote(index)}  # a package index with CPU builds of PyTorch: without them, the image is some gigabytes larger\n"
    )


def unfinished() -> str:
    """Return the `results.json` that stays if a grading comes to no end."""
    said = _("The grading was ended before its result was known, by a lack of time, memory or disk. This says nothing about your code.")
    again = _("Submit it again. If that does not help, tell your instructor, who finds more in the output of the autograder.")
    return dumped(
        {"extra_data": {"normgrade": __version__}, "score": 0, "output": f"{said}\n{again}", "output_format": "text", "tests": []}
    )


def course_in(course: Course) -> Iterator[tuple[str, Entry]]:
    """Yield the files of a course, at the place of the course that normgrade carries."""
    below = f"{PROGRAM}/_course"
    for folder in folders_in(course.root):
        yield from entries_in(folder, f"{below}/{folder.relative_to(course.root).as_posix()}")
    if (path := settings_in(course.root)).is_file():
        yield f"{below}/{path.name}", Entry(path.read_bytes())


def kept(exercises: Sequence[Exercise], options: Options) -> Mapping[str, Entry]:
    """Return the files of a cache in which the expectations of these exercises are kept, and its own key."""
    from normgrade.grading.warming import warm  # loads pytest

    with TemporaryDirectory(prefix="normgrade-") as folder, own_folders(Path(folder)) as (cache, config):
        warm(exercises, options)
        return {
            **dict(entries_in(cache, "cache", PRIVATE)),
            **{name: entry for name, entry in entries_in(config, "config", PRIVATE) if name.endswith(".key")},
        }


@contextmanager
def own_folders(root: Path) -> Iterator[tuple[Path, Path]]:
    """Have normgrade use a cache and a configuration in this folder; afterwards those of the user again."""
    folders = {"NORMGRADE_CACHE": root / "cache", "NORMGRADE_CONFIG": root / "config"}
    before = {name: os.environ.get(name) for name in folders}
    os.environ.update({name: str(folder) for name, folder in folders.items()})
    try:
        yield folders["NORMGRADE_CACHE"], folders["NORMGRADE_CONFIG"]
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
