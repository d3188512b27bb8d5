"""Exceptions of a submission, told as Python does at its best: the class, the place in the learner's line, the cause, the remedy."""

from __future__ import annotations

import re
from dataclasses import replace

from normgrade.compare.played import Played, Result
from normgrade.course.exercise import Exercise
from normgrade.inspection.program import Program, program_of
from normgrade.language import _
from normgrade.remarks.misuse import misuse
from normgrade.remarks.pitfalls.advice import advice_for
from normgrade.remarks.pitfalls.pitfalls import Crash
from normgrade.remarks.spots import SPOTLESS, spot_at, spot_of
from normgrade.report.report import Check, Outcome, Raised
from normgrade.worker.wire.observation import Cause, Error

SAID = 300  # characters of a message
CALLED = re.compile(r"\A(?P<called>[\w.<>]+)\(\) (takes|missing|got)\b")  # the beginning of Python's messages about the arguments of a call
OVERLOADS = re.compile(r", but expected (one of:)?\Z")  # PyTorch lists its signatures after this
BY_EXCEPTION = (Cause.RAISED, Cause.NOT_LOADED, Cause.EXITED)
MEANT = ". Did you mean: '{name}'?"  # Python's words, which are the same in every language


def told(check: Check, result: Result, exercise: Exercise, source: str) -> Check:
    """Return the check of a result, with the exception that made it fail, or with the misuse that its values show."""
    if check.outcome is not Outcome.FAILED or not result.plays or (program := program_of(source)) is None:
        return check
    play = decisive(check, result)
    error = play.observation.error
    if error is None:
        return replace(check, raised=misuse(play, program))
    return replace(check, raised=raised(error, exercise, program, due_in(play))) if is_unexpected(error, play) else check


def decisive(check: Check, result: Result) -> Played:
    """Return the play that made a check fail: if no value differs, one that ended too early."""
    stopped = (play for play in result.plays if play.observation.error is not None and is_unexpected(play.observation.error, play))
    early = None if result.wrong or check.differences else next(stopped, None)
    return early or result.failed_at


def is_unexpected(error: Error, play: Played) -> bool:
    """Return True if a play should not have ended with this exception."""
    due = play.expectation.error
    return play.refusal is None or due is None or error.step != due.step or play.refusal[0] not in error.types


def due_in(play: Played) -> str:
    """Return the name of the exception that a play should raise; "" if it should raise none."""
    return play.refusal[0] if play.refusal else ""


def raised(error: Error, exercise: Exercise, program: Program, due: str = "") -> Raised:
    """Return an exception with its place, its usual cause and the remedy. `due` names the exception that should have been raised."""
    spot = spot_of(error, program)
    ending = Cause.TIMED_OUT if error.frames and not error.types else error.cause  # also while the file was loaded
    crash = Crash(program, str(ending), error.types, error.message, spot.line, spot.function, exercise.slug, exercise.defines)
    advice = advice_for(crash)
    if advice.at is not None:
        spot = spot_at(advice.at, program)
    elif spot is SPOTLESS and (match := CALLED.search(error.message)) and (called := program.called(match["called"])):
        spot = spot_at(called.node, program)
    remedy = _("This input must raise {due}: check the input first, and raise {due} yourself.", due=due) if due else advice.text
    return Raised(said(error), spot.line, spot.column, spot.width, spot.text, spot.function, remedy)


def said(error: Error) -> str:
    """Return the exception's class and the first line of its message, with the name that was probably meant."""
    message = OVERLOADS.sub("", error.message.partition("\n")[0].strip())
    message = message if len(message) <= SAID else f"{message[:SAID]}…"
    if not error.types or error.cause not in BY_EXCEPTION:
        return message
    meant = MEANT.format(name=error.meant) if error.meant else ""
    return f"{error.types[0]}: {message}{meant}" if message else error.types[0]
