"""`normgrade doctor`, `warm` and `demo`: which walls hold on this machine, the cache filled in advance, and a first report."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click
from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from normgrade import __version__
from normgrade.cli.bar import progress
from normgrade.cli.check import early, seed_of
from normgrade.cli.options import course_option, exit_code, say, slugs_alike, whole_number
from normgrade.cli.warn import warn_of_folders, warn_of_unfinished, without_hindered
from normgrade.course.course import Course
from normgrade.course.folders import user_cache
from normgrade.course.package import carried
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options, available
from normgrade.language import _, n_
from normgrade.learner.workspace import find_course
from normgrade.report.render import USUAL
from normgrade.worker.walls import TIERS, Protection, at_least, walls_of
from normgrade.worker.walls.kernel import Missing, landlock_version

# Doctor


@click.command("doctor")
def doctor_command() -> int:
    """Show how well this machine isolates submissions.

    The walls are tested in a separate process, as before every grading. Only results of this test are shown.
    """
    from normgrade.report.render.terminal import open_console  # loads NumPy
    from normgrade.report.render.whole import indented  # loads NumPy
    from normgrade.worker.trusted.host import Host  # loads tomllib

    console = open_console()
    console.print(Text(_("This machine"), style="bold"))
    for name, value in machine():
        console.print(indented(Text(set_cell_size(name, 12) + value)))
    with Host() as host:
        protection = host.protection
    console.print()
    console.print(Text(_("Isolation of submissions: {tier}", tier=protection.tier), style="bold"))
    for tier in sorted(TIERS, key=lambda tier: tier != protection.tier):
        show_tier(console, tier, protection)
    console.print()
    console.print(Text(_("Suites and references are hidden from the graded code, not from the owner of this disk.")))
    return 0


def machine() -> Iterator[tuple[str, str]]:
    """Yield names and values of everything that walls depend on: versions, system, user, Landlock, bubblewrap. No wall is put up."""
    yield "normgrade", f"{__version__}, Python {platform.python_version()}, {', '.join(map(installed, ('torch', 'numpy')))}"
    yield _("system"), f"{platform.system()} {platform.release()}, {platform.machine()}"
    if sys.platform != "linux":
        return

    user = os.geteuid()
    yield _("user"), _("root: submissions run as nobody") if user == 0 else _("{number}: an ordinary user", number=user)
    yield "Landlock", asked(lambda: _("version {number}", number=landlock_version()))
    yield "bubblewrap", shutil.which("bwrap") or _("not installed: namespaces are set up without it")


def installed(name: str) -> str:
    """Return a package with its version, without importing it."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return _("no {name}", name=name)


def asked(ask: Callable[[], str]) -> str:
    """Return the answer of `ask`, or the reason why the kernel gives none."""

    try:
        return ask()
    except Missing as missing:
        return str(missing)


def show_tier(console: Console, tier: str, protection: Protection) -> None:
    """Print one tier: its promises beyond those of the next weaker tier, and its losses if no stronger tier makes up for them."""
    from normgrade.report.render.whole import indented  # loads NumPy

    walls, rank = walls_of(tier), TIERS.index(tier)
    weaker = walls_of(TIERS[rank - 1]).promises if rank else ()
    console.print()
    mark = ("✓ ", "green") if holds(tier, protection) else ("✗ ", "red")
    console.print(Text.assemble(mark, (tier, "bold"), "  ", how_it_stands(tier, protection)))
    for promise in walls.promises:
        if promise not in weaker:
            console.print(indented(Text(f"+ {_(promise)}")))
    losses = protection.loses if tier == protection.tier else map(_, walls.loses) if not holds(tier, protection) else ()
    for loss in losses:
        console.print(indented(Text(f"− {loss}")))


def holds(tier: str, protection: Protection) -> bool:
    """Return True if the walls here promise everything that this tier promises."""
    return {*walls_of(tier).promises} <= {*walls_of(protection.tier).promises}


def how_it_stands(tier: str, protection: Protection) -> str:
    """Return in words that a tier holds here, or why it does not."""
    if tier == protection.tier:
        return _("active: all {number} probes of the self-test passed", number=protection.trials)
    if holds(tier, protection):
        return _("included in the active tier")
    if tier not in at_least(protection.tier):
        return _("not tested: {tier} is stronger", tier=protection.tier)
    return _("not available: {why}", why=protection.reasons.get(tier) or _("it was not tested"))


# Warm


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


# Demo


SLUG = "batch_norm"
WRONG = Path(__file__).with_name("demo_files") / f"{SLUG}.py"


@click.command("demo")
def demo_command() -> int:
    """Grade a wrong batch norm, then the right one."""
    from normgrade.report.render.terminal import open_console, show  # loads NumPy

    exercise = Course.find(carried()).exercise(SLUG)
    submissions = [Submission(exercise, WRONG, WRONG.name), Submission(exercise, exercise.reference, exercise.reference.name)]
    warn_of_folders()
    with progress() as watched:
        on_report = early(watched, submissions, "terminal", None, USUAL)
        wrong, right = grade(submissions, Options(progress=watched, cores=available()), on_report)
    console = open_console()
    console.print(_("This batch norm trains and evaluates, but it has two mistakes that neither shapes nor losses show:") + "\n")
    show([wrong], console, with_losses=False)
    console.print()
    console.print(_("And the reference:") + "\n")
    show([replace(right, submission="reference.py")], console)
    as_expected = exit_code([wrong]) == 1 and exit_code([right]) == 0 and len(wrong.diagnoses) == 1
    return 0 if as_expected else 3
