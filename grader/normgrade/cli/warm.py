"""`normgrade warm`: compute the expected values of the checks before the first check."""

from __future__ import annotations

import time
from pathlib import Path

import click

from normgrade.cli.bar import progress
from normgrade.cli.check import seed_of
from normgrade.cli.options import course_option, say, whole_number
from normgrade.cli.shell_words import slugs_alike
from normgrade.cli.warn import warn_of_folders, warn_of_unfinished, without_hindered
from normgrade.course.folders import user_cache
from normgrade.grading.grading_options import Options, available
from normgrade.language import n_
from normgrade.learner.workspace import find_course

MEGABYTE = 10**6


@click.command("warm")
@click.argument("slugs", nargs=-1, metavar="[SLUG]…", shell_complete=slugs_alike)
@click.option("--cores", callback=whole_number(1, 256), metavar="N", help="Number of cores to use, all by default.")
@click.option("--seed", callback=seed_of, default="0", metavar="N", help="Seed of the inputs, 0 by default.")
@course_option
def warm_command(slugs: tuple[str, ...], cores: int | None, seed: int, course_folder: Path | None) -> int:
    """Compute the expectations of the checks in advance.

    Otherwise the first check of an exercise computes them, and takes longer. Without SLUG, the whole course is prepared.
    """
    course = find_course(course_folder)
    if not slugs:
        warn_of_unfinished(course, course_folder)
    chosen = [course.exercise(slug) for slug in dict.fromkeys(slugs)] if slugs else without_hindered(course, course_folder)
    warn_of_folders()
    from normgrade.grading.warming import warm  # loads pytest

    started = time.monotonic()
    with progress() as watched:
        warm(chosen, Options(seed, progress=watched, cores=cores or available()))
    say(
        n_(
            "{n} exercise is ready after {seconds:.1f} s. The cache in {folder} uses {size} MB. Running this again takes no time.",
            "{n} exercises are ready after {seconds:.1f} s. The cache in {folder} uses {size} MB. Running this again takes no time.",
            len(chosen),
            seconds=time.monotonic() - started,
            size=f"{size_of(user_cache()) / MEGABYTE:.1f}",
            folder=user_cache(),
        )
    )
    return 0


def size_of(folder: Path) -> int:
    """Return the size of all files in a folder and below it, in bytes."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
