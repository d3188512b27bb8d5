"""The uses of a submission in its plays, one by one: the traits that distinguish them, and how each turned out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from normgrade.compare.played import Played
from normgrade.course.signature import Signature
from normgrade.language.places import BUILD
from normgrade.remarks.context import arguments, first_array
from normgrade.worker.wire.observation import Array, Cause, Error
from normgrade.worker.wire.requests import FORWARD_BACKWARD, FUNCTION, Action, LayerStep, LayerStory, NewLayer

ONE, SEVERAL = "one", "several"  # samples
TUPLE, NUMBER, OTHER = "a tuple", "a number", "something else"  # arguments whose value does not count
LACKING = re.compile(r"unexpected keyword argument|positional arguments? but|missing \d+ required positional argument")
Traits = Mapping[str, object]  # the traits of an input, and arguments by their names


class Trait(StrEnum):
    """A trait of an input that is seen at a glance, or of its step. The spaces distinguish it from the names of arguments."""

    DIMENSIONS = "number of dimensions"
    DTYPE = "dtype of the input"
    MODE = "mode of the layer"
    SAMPLES = "number of samples"


@dataclass(frozen=True, eq=False)
class Use:
    """One step of a play, or a play without steps: its traits, the exception that it raised, if any, and if it is right.

    `before` are the traits of earlier uses in the same play, which may have left their traces.
    """

    play: Played
    step: int | None
    traits: Traits
    error: Error | None
    right: bool
    before: tuple[Traits, ...] = ()

    @property
    def is_call(self) -> bool:
        """True if anything is called: building a layer is no call."""
        return not isinstance(self.play.expectation.request, NewLayer)


def uses(plays: Iterable[Played], contract: Sequence[Signature]) -> Iterator[Use]:
    """Yield all uses that had an answer, except for those that should be refused, and those with arguments that a signature lacks."""
    for play in plays:
        error = play.observation.error
        if error is None or (error.cause is Cause.RAISED and not lacks_arguments(error)):
            yield from uses_in(play, contract)


def lacks_arguments(error: Error) -> bool:
    """Return True if Python raised this for arguments that a signature of the submission does not take."""
    called = error.types[:1] == ("TypeError",) and not error.frames and error.step in (None, BUILD)
    return called and LACKING.search(error.message) is not None


def uses_in(play: Played, contract: Sequence[Signature]) -> Iterator[Use]:
    """Yield the uses of one play up to the one that raises an exception, and only those before one that should be refused."""
    request, error, due = play.expectation.request, play.observation.error, play.expectation.error
    known = {parameter.name for signature in contract for parameter in signature.parameters}
    given = {name: kind_of(value) for name, value in arguments(request, contract) if name in known or not known}  # not a probe's own
    if not isinstance(request, LayerStory) or (error is not None and not isinstance(error.step, int)):
        if play.refusal is None:
            here = {} if isinstance(request, LayerStory) else traits_of(first_array(request)[:1])
            yield Use(play, None, given | here, error, not play.differences)
        return
    wrong = {difference.place.step for difference in play.differences}
    before: tuple[Traits, ...] = ()
    for number, step in enumerate(request.steps, 1):
        if due is not None and due.step == number:
            return
        if step.action is Action.ATTEMPT:  # it may raise or not
            continue
        raised = error if error is not None and error.step == number else None
        if step.x is not None or raised:
            yield Use(play, number, given | traits_in(step, request), raised, number not in wrong, before)
            before = (*before, given | traits_in(step, request))
        if raised:
            return


def traits_in(step: LayerStep, request: LayerStory) -> dict[str, object]:
    mode: dict[str, object] = {} if request.layer in (FUNCTION, FORWARD_BACKWARD) else {Trait.MODE: str(step.action)}
    return {} if step.x is None else traits_of([step.x.values], step.x.dtype) | mode


def traits_of(inputs: Sequence[object], dtype: str | None = None) -> dict[str, object]:
    """Return the traits of an input that are seen at a glance."""
    found: dict[str, object] = {}
    for x in inputs:
        values = x.values if isinstance(x, Array) else x
        size: tuple[int, ...] = getattr(values, "shape", ())
        found |= {Trait.DIMENSIONS: len(size), Trait.DTYPE: dtype or str(getattr(values, "dtype", ""))}
        found |= {Trait.SAMPLES: ONE if size[0] == 1 else SEVERAL} if len(size) > 1 else {}
    return found


def kind_of(value: object) -> str:
    """Return an argument as far as it may decide if code works at all: all numbers are alike."""
    if value is None or isinstance(value, bool | str):
        return repr(value)
    if isinstance(value, tuple | list):
        return TUPLE
    return NUMBER if isinstance(value, int | float) else OTHER
