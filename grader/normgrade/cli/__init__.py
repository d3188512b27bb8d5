"""The command `normgrade`: each command's module is imported when it is asked for.

`--help` and the completion of a command's name import all of them. So a command's module imports NumPy, torch and the modules that need
them (rendering for a terminal, suites) inside its functions, and everything else at its top.
"""

from __future__ import annotations

import errno
import gc
import gettext
import io
import os
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from copy import copy
from datetime import UTC, datetime
from importlib import import_module
from inspect import cleandoc
from typing import Any, NoReturn

import click

from normgrade import __version__
from normgrade.cli import streams
from normgrade.cli.examples import examples
from normgrade.language import CATALOGUES, ENGLISH, LANGUAGES, VARIABLE, _, speak, usual
from normgrade.language.errors import GraderError, UsageError, did_you_mean, either
from normgrade.language.visible import visible
from normgrade.worker import interrupts

COMMANDS: Mapping[str, str] = {  # each with its module
    # to learn
    "init": "stubs",
    "list": "listing",
    "show": "show",
    "check": "check",
    "try": "trials",
    "lab": "trials",
    "watch": "watch",
    "hint": "answers",
    "solution": "answers",
    "reset": "stubs",
    "progress": "listing",
    "review": "practice",
    "interview": "practice",
    "explain": "explain",
    "repro": "trials",
    # to teach a class
    "grade": "grade",
    "gradebook": "gradebook",
    # for authors, and for a machine
    "verify": "verify",
    "new": "new",
    "warm": "installation",
    "export": "export",
    "demo": "installation",
    "doctor": "installation",
}
COMPLETING = "_NORMGRADE_COMPLETE"  # the variable that a shell sets to have click complete a word
USAGE, BROKEN, INTERRUPTED = 2, 3, 130  # exit codes; 0 is passed, 1 is not passed


class Commands(click.Group):
    """A group of commands, each with its help in the current language and with the option --lang."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        found = super().get_command(context, name)
        return None if found is None else in_language(found, f"{self.name} {name}")

    def resolve_command(self, context: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(context)
        if args and args[0] not in known and not args[0].startswith("-"):
            said = _(
                'No command named "{name}".{meant} Run `{group} --help` to see all commands.',
                name=args[0],
                meant=did_you_mean(args[0], known),
                group=context.command_path,
            )
            raise UsageError(said)
        return super().resolve_command(context, args)


class AllCommands(Commands):
    """The commands, in the order in which a learner meets them. Only the module of the one that is called is imported."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [*COMMANDS]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        return in_language(command_named(name)) if name in COMMANDS else None


def command_named(name: str) -> click.Command:
    """Return the command of that name, from its module."""
    module = import_module(f"normgrade.cli.{COMMANDS[name]}")
    found: click.Command = getattr(module, f"{name}_command")
    return found


def every_command() -> dict[str, click.Command]:
    """Return all commands by name, in their order; those of a group come after it, as in "gradebook show"."""
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        found[name] = command = command_named(name)
        if isinstance(command, click.Group):
            found |= {f"{name} {each}": below for each, below in command.commands.items()}
    return found


def in_language(command: click.Command, name: str | None = None) -> click.Command:
    """Return a copy of the command, with its help in the current language, and with the option --lang.

    Its examples are those of the `name`, by default its own.
    """
    command = copy(command)
    command.context_settings = {**normgrade.context_settings, **command.context_settings}
    command.help = _(help_of(command))
    command.short_help = re.split(r"(?<=[.。])", command.help, maxsplit=1)[0].rstrip(".。")  # the first sentence
    command.epilog = examples(name or command.name or "")
    command.params = [*map(copy, (*command.params, lang_option))]
    for option in command.params:
        if isinstance(option, click.Option) and option.help:
            option.help = _(option.help)
    command._help_option = None  # click keeps --help as it was in the language of its first use
    return command


def help_of(command: click.Command) -> str:
    """Return the help of a command in English, each paragraph on a line of its own."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", cleandoc(command.help or ""))


lang_option = click.Option(
    ["--lang"],
    metavar="|".join(LANGUAGES),
    expose_value=False,
    shell_complete=lambda context, option, begun: [language for language in LANGUAGES if language.startswith(begun)],
    help="Language of messages, by default from normgrade.toml or your locale. Also set by NORMGRADE_LANG.",
)  # `language_of` reads it from the arguments before click does


@click.group(cls=AllCommands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="normgrade", message="%(prog)s %(version)s")
@click.pass_context
def normgrade(context: click.Context) -> None:
    """Grade hand-written normalisation layers, and name the mistake. Without a command, show the next step."""
    if context.invoked_subcommand is None:
        say_what_to_do()


def say_what_to_do() -> None:
    """Print the next step in a workspace; outside of one, how to begin."""
    from normgrade.cli.options import say  # only without a command
    from normgrade.learner.workspace import Workspace, find_course  # only without a command

    workspace = Workspace.find()
    if workspace is None:
        say(_("Run `normgrade init my-norms` to create a folder with a stub and a prompt for every exercise."))
        say(_("Run `normgrade list` to see all exercises, and `normgrade --help` to see all commands."))
        return
    from normgrade.cli.warn import warn_of_unfinished  # only without a command
    from normgrade.learner.interviews import going_on, interviews_of  # loads sqlite3
    from normgrade.learner.standing import advice, records  # loads sqlite3

    if (interview := interviews_of(workspace).running()) is not None:
        say(*going_on(interview, datetime.now(UTC)))
        return
    course = find_course(None)
    warn_of_unfinished(course, None)
    say(advice(records(course, workspace)))


# Nearly all objects of a grading are in use to its end. Python would search them for garbage again and again, which takes 80 ms.
RARELY = 100_000  # new objects


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and end the process: 0 passed, 1 not passed, 2 wrong usage, 3 the grader itself broke, 130 interrupted."""
    gc.set_threshold(RARELY)
    if not sys.warnoptions:
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's, about numbers that a report tells of
    interrupts.remember()
    streams.never_raise()
    end(complete() if COMPLETING in os.environ else run(arguments))


def end(code: int) -> NoReturn:
    """End the process, with another exit code if the result could not be written to stdout."""
    interrupts.ignore()
    error = streams.why_dropped()
    if code in (0, 1) and error is not None and error.errno != errno.EPIPE:  # the reader that closed a pipe had seen enough
        code = unwritten(error)
    sys.stderr.flush()
    if code == INTERRUPTED:
        if multiprocessing := sys.modules.get("multiprocessing.util"):
            multiprocessing._exit_function()  # it gives semaphores back; Python calls it only in an ordinary end
        os._exit(code)  # threads and destructors of the interrupted work may crash
    if sys.flags.inspect:  # PYTHONINSPECT: Python would ask for a line, and end with another code
        os._exit(code)
    gc.freeze()  # Python would search everything once more when it ends, which takes 50 ms
    sys.exit(code)


def unwritten(error: OSError) -> int:
    """Print that stdout takes no more output, and return the exit code."""
    why = error.strerror
    return complain(
        _("The output cannot be written ({error}). Free some space, or redirect the output to another place.", error=why), USAGE
    )


def complete() -> int:
    """Print the words that a shell may complete a word to. Errors are not printed: a shell would show them between the words."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
        return run()


def run(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    before = sys.stdout, sys.stderr
    try:
        keep_streams()
        speak_here(ENGLISH)
        speak_here(language_of(sys.argv[1:] if arguments is None else arguments))
        refuse_deleted_folder()
        result: Any = in_language(normgrade).main(arguments, prog_name="normgrade", standalone_mode=False)
    except BaseException as error:
        sys.stdout, sys.stderr = before  # an interrupt may come while they are redirected
        if interrupts.is_remembered():
            interrupts.ignore()  # so that the next one is not reported, too
            return code_of(KeyboardInterrupt())  # it may have surfaced as another error
        return code_of(error)
    return result if isinstance(result, int) else 0


def code_of(error: BaseException) -> int:
    """Print a message about the error that ended a command, and return the exit code."""
    match error:
        case click.UsageError():
            return complain_of_usage(click.UsageError(in_our_words(error), error.ctx))
        case click.ClickException():
            return complain_of_usage(error)
        case UsageError():
            return complain(str(error), USAGE)
        case GraderError():
            return complain(str(error), BROKEN)
        case click.Abort() | KeyboardInterrupt():
            return complain(_("Interrupted before it was done."), INTERRUPTED)
        case OSError(errno=errno.ENOSPC):
            return complain(_("No space is left for the output. Free some space, or use --output FILE to write to another place."), USAGE)
        case MemoryError():
            return complain(_("There is not enough memory to grade. Your code is not at fault. Free some memory, then try again."), BROKEN)
        case SystemExit(code=int() as code) if COMPLETING in os.environ:  # how click ends a completion
            return code
        case Exception() | SystemExit():
            return broken(error)
    raise error


def in_our_words(error: click.UsageError) -> str:
    """Return the message of click; or our own if click's words make no sentence in some language."""
    match error:
        case click.NoSuchOption():
            return _(
                "No such option: {name}.{meant}", name=error.option_name, meant=did_you_mean(error.option_name, error.possibilities or ())
            )
        case click.MissingParameter(param=click.Parameter() as missing):
            return _("Missing argument: {name}.", name=missing.human_readable_name)
    return error.format_message()


def keep_streams() -> None:
    """Have click write to the standard streams: if they are ASCII, it would open UTF-8 streams of its own.

    This replaces two functions of click, which has no setting for it. It is done once for the process, by `run`.
    """
    utils: Any = import_module("click.utils")
    utils._default_text_stdout, utils._default_text_stderr = lambda: sys.stdout, lambda: sys.stderr


def speak_here(language: str) -> None:
    """Speak a language, and have click speak it too: click asks gettext for its texts, and gettext asks the environment.

    Wrapping of Chinese replaces functions of click; report/render/wrapping.py owns these patches.
    """

    speak(language)
    os.environ["LANGUAGE"] = language
    gettext.bindtextdomain("normgrade", CATALOGUES)
    gettext.textdomain("normgrade")
    if language != ENGLISH:
        from normgrade.report.render.wrapping import break_chinese_help  # only for help in Chinese

        break_chinese_help()


def language_of(arguments: Sequence[str]) -> str:
    """Return the language that --lang names, else NORMGRADE_LANG, else the workspace, else the locale."""
    from normgrade.learner.workspace import Workspace  # only without a command

    asked = [*arguments, ""][arguments.index("--lang") + 1] if "--lang" in arguments else ""
    asked = next((each.removeprefix("--lang=") for each in arguments if each.startswith("--lang=")), asked)
    if language := asked or os.environ.get(VARIABLE):
        if language not in LANGUAGES:
            known = either(LANGUAGES)
            raise UsageError(_('No language named "{name}". --lang and NORMGRADE_LANG must be {known}.', name=language, known=known))
        return language
    workspace = Workspace.find() if is_in_a_folder() else None
    return (workspace.language if workspace else None) or usual()


def is_in_a_folder() -> bool:
    """Return True if the current folder exists: somebody may have deleted it."""
    try:
        return bool(os.getcwd())
    except OSError:
        return False


def refuse_deleted_folder() -> None:
    """Raise a UsageError if the current folder was deleted: no path leads from there, and no file can be written."""
    if not is_in_a_folder():
        raise UsageError(_("The current folder no longer exists. Go to another folder, then try again."))


def complain_of_usage(error: click.ClickException) -> int:
    """Print click's message about wrong usage, with the usage line. It quotes the arguments, so it is made visible."""
    said = io.StringIO()
    error.show(said)
    click.echo(visible(said.getvalue()), err=True, nl=False)
    return USAGE


def broken(error: BaseException) -> int:
    """Print the traceback of an error of the grader itself, and ask for a report of it."""
    import traceback  # only after a fault of normgrade

    click.echo(visible("".join(traceback.format_exception(error))), err=True, nl=False)
    what = f"{type(error).__name__}: {error}"
    return complain(_("The grader crashed, not your code: {error}. Please report the output above.", error=what), BROKEN)


def complain(sentence: str, code: int) -> int:
    """Print a sentence as an error to stderr, and return the exit code."""
    said = _("Error: {message}", message=sentence)
    if sys.stderr.isatty():
        from normgrade.report.render.terminal import open_console  # loads NumPy

        open_console(sys.stderr).print(said)
    else:
        click.echo(visible(said), err=True)  # not wrapped, so that a program can search it
    return code
