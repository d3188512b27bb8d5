"""The files with which other systems grade exercises: a package for Gradescope, and a workflow for GitHub Actions.

The package has normgrade, a course, and a cache in which the expectations of its exercises are kept already.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from shlex import join, quote
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from normgrade import __version__
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.layout import folders_in, settings_in
from normgrade.course.package import PACKAGE
from normgrade.course.workflows import workflow_from
from normgrade.grading.grading_options import Options
from normgrade.language import _
from normgrade.worker.walls import TIERS

FILES = Path(__file__).parent / "system_files"
MADE_BY = "normgrade "  # in the comment of the zip, before the version
PROGRAM = "program/normgrade"
SECONDS = 540  # for a grading: Gradescope ends a container after ten minutes
EXECUTABLE = 0o755
PRIVATE = 0o600
NEEDED = ("click", "jinja2", "numpy", "pytest", "rich", "torch")
NAME = re.compile(r"[A-Za-z0-9._-]+")
WORKFLOW = "normgrade"  # the name of the workflow
FIRST_LINE = "# Written by `normgrade export github`."
WEAKEST = "linux"  # the weakest walls behind which a learner's code runs on a machine of GitHub
LEFT_OUT = ("__pycache__", ".pyc", ".writing-")
UNIX = 3  # the system that knows modes


def workflow(exercises: Sequence[Exercise], options: Options, index: str) -> str:
    """Return the workflow for these exercises. A submission runs behind the walls of `linux` at least."""
    walled = replace(options, required=max(options.required, WEAKEST, key=TIERS.index))
    files, said = join(exercise.file_name for exercise in exercises), join([*arguments(walled), "--seed", str(options.seed)])
    return workflow_from(FILES / "normgrade.yml", index, OPTIONS=said, FILES=files)


def arguments(options: Options) -> list[str]:
    """Return the arguments for the walls and the time.

    >>> arguments(Options(timeout_s=2.5, required="linux"))
    ['--require-isolation', 'linux', '--timeout', '2.5']
    """
    timeout = [] if options.timeout_s is None else ["--timeout", f"{options.timeout_s:g}"]
    return ["--require-isolation", options.required, *timeout]


# The package for Gradescope


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
    from normgrade.report.render.json import dumped  # loads NumPy

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


def requirements() -> str:
    """Return the packages to install, a line each."""
    return "".join(f"{name}\n" for name in NEEDED)


def constraints() -> str:
    """Return the versions of these packages, and of all that they need, a line each. Any build of a version will do."""
    versions: dict[str, str] = {}
    names = [*NEEDED]
    while names:
        name = re.sub(r"[-_.]+", "-", names.pop()).lower()
        if name in versions:
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError:  # of another platform, or of an extra
            continue
        versions[name] = found.version.partition("+")[0]
        needed = (each for each in found.requires or () if "extra ==" not in each)
        names += [match[0] for match in map(NAME.match, needed) if match is not None]
    return "".join(f"{name}=={version}\n" for name, version in sorted(versions.items()))


# An archive that depends only on its content: names in order, fixed times, modes as they are meant


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of an archive; `mode` holds its rights."""

    content: bytes
    mode: int = 0o644


def zipped(entries: Mapping[str, Entry], comment: str) -> bytes:
    """Return a zip of these files, by name, with a comment that tells who made it."""
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, entry in sorted(entries.items()):
            info = ZipInfo(name)  # of the first time that a zip can hold
            info.create_system, info.external_attr = UNIX, (stat.S_IFREG | entry.mode) << 16
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, entry.content)
        archive.comment = comment.encode()
    return target.getvalue()


def entries_in(folder: Path, below: str, mode: int = 0o644) -> Iterator[tuple[str, Entry]]:
    """Yield the files in a folder and in all folders below it, with their names in the archive. Links and byte code are left out."""
    with os.scandir(folder) as found:
        for each in sorted(found, key=lambda entry: entry.name):
            if each.name.startswith(LEFT_OUT) or each.name.endswith(LEFT_OUT):
                continue
            if each.is_dir(follow_symlinks=False):
                yield from entries_in(Path(each.path), f"{below}/{each.name}", mode)
            elif each.is_file(follow_symlinks=False):
                yield f"{below}/{each.name}", Entry(Path(each.path).read_bytes(), mode)


def comment_of(path: Path) -> str:
    """Return the comment of a zip; "" if the file is no zip."""
    try:
        with ZipFile(path) as archive:
            return archive.comment.decode(errors="replace")
    except (OSError, BadZipFile):
        return ""
