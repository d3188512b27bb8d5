"""A command with commands of its own, in the language of the user."""

from __future__ import annotations

import click

from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean


class Subcommands(click.Group):
    """A group of commands, each with its help in the current language and with the option --lang."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        from normgrade.cli import in_language  # only when a command is called

        found = super().get_command(context, name)
        return None if found is None else in_language(found, f"{self.name} {name}")

    def resolve_command(self, context: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        known = [*self.commands]
        if args and args[0] not in known and not args[0].startswith("-"):
            said = _(
                '`normgrade {group}` has no command "{name}".{meant} It has: {known}.',
                group=self.name,
                name=args[0],
                meant=did_you_mean(args[0], known),
                known=", ".join(known),
            )
            raise UsageError(said)
        return super().resolve_command(context, args)
