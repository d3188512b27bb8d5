"""`normgrade doctor`: which walls hold on this machine, with their promises and the things that are missing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version

import click
from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from normgrade import __version__
from normgrade.language import _
from normgrade.worker.walls import TIERS, Protection, at_least, walls_of
from normgrade.worker.walls.kernel import Missing, landlock_version


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
