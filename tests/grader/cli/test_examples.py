"""Tests of the examples of commands: every command has some, and they can be called as written."""

from __future__ import annotations

import shlex

import click
import pytest

from normgrade import cli
from normgrade.cli.examples import EXAMPLES, LONGEST, examples


def test_every_command_that_takes_anything_has_examples() -> None:
    assert {name for name, _line, _does in EXAMPLES} == {"normgrade", *cli.every_command()} - {"demo"}


@pytest.mark.parametrize(("command", "line"), [(name, line) for name, line, _does in EXAMPLES if line.startswith("normgrade")])
def test_example_calls_its_command_with_known_options(command: str, line: str) -> None:
    _program, *arguments = shlex.split(line.partition(" >")[0])
    if command == "normgrade" and (not arguments or arguments[0] in cli.COMMANDS):
        command, arguments = (arguments[0], arguments) if arguments else (command, [])
    if command != "normgrade":
        found: click.Command | None = cli.normgrade
        for name in command.split():
            assert isinstance(found, click.Group) and arguments.pop(0) == name
            found = found.get_command(click.Context(found), name)
        if isinstance(found, click.Group):
            found = found.get_command(click.Context(found), arguments[0])
        assert found is not None
        known = {name for option in found.params if isinstance(option, click.Option) for name in option.opts}
        assert {each.partition("=")[0] for each in arguments if each.startswith("-")} <= known


def test_explanations_stand_in_one_column_and_below_longer_commands() -> None:
    lines = examples("new").splitlines()
    assert lines[:2] == ["\b", "Examples:"]
    columns = {line.index(said) for line in lines for said in ("add a ", "forward and ") if said in line}
    assert len(columns) == 1 and any(len(line.strip()) > LONGEST for line in lines)


def test_an_unknown_command_has_none() -> None:
    assert examples("nothing") == ""
