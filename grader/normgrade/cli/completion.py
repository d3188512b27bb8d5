"""`normgrade completion`: have the shell complete commands, options and slugs."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from normgrade.errors import UsageError, did_you_mean
from normgrade.language import _

SHELLS = {  # where what is printed belongs
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/normgrade.fish",
}
VARIABLE = "_NORMGRADE_COMPLETE"  # which click looks for


@click.command("completion")
@click.argument("shell", metavar="[bash|zsh|fish]", required=False)
def completion_command(shell: str | None) -> None:
    """Have your shell complete commands, options and slugs.

    It prints what the shell is to read, by default for the one that the variable SHELL names.
    """
    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise UsageError(
            _(
                'No completion is known for the shell "{name}".{meant} Name one of {shells}.',
                name=name,
                meant=did_you_mean(name, SHELLS),
                shells=", ".join(SHELLS),
            )
        )
    from normgrade.cli import normgrade

    kind = get_completion_class(name)
    assert kind is not None
    click.echo(_("# normgrade; this belongs in {file}", file=SHELLS[name]))
    click.echo(kind(normgrade, {}, "normgrade", VARIABLE).source())
