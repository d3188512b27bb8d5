"""The words that a check uses while it is played: random inputs, and the fixtures `agree`, `observe` and `refuses`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from normgrade.compare.differences import described, unsound
from normgrade.compare.played import Played
from normgrade.course.exercise import Exercise
from normgrade.course.translations import translated
from normgrade.language import _
from normgrade.language.places import Place, step_in_words
from normgrade.oracle.deferred import Deferred
from normgrade.oracle.draws import generator, rounded_to
from normgrade.oracle.expected import Expectation, Expected
from normgrade.oracle.oracle import Oracle
from normgrade.report.report import Difference, ValueDifference
from normgrade.suite.blame import BrokenSuite, probe_of, raised_in_reference
from normgrade.suite.story import Part, Story, request
from normgrade.worker.wire.observation import Array, Error, Observation, Playable, Value
from normgrade.worker.wire.requests import TypedRequest

__all__ = ["ones", "randn", "uniform", "words", "zeros"]


class Player(Protocol):
    """A player of requests on one submission: a worker, or a stand-in for one."""

    def play(self, request: Playable, size_limit_bytes: int) -> Observation: ...


class Disagreement(Exception):
    """The fault of a submission: a message, and the play in which it differs, or else the differences themselves."""

    def __init__(self, message: str = "", play: Played | None = None, differences: tuple[Difference, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.play = play
        self.differences = differences if play is None else play.differences


Judge = Callable[[Played], None]  # raises Disagreement if the submission is wrong


class Asked(NamedTuple):
    """One request of a check, the judge of its answer, and the names of the exceptions that are wanted, if any."""

    expectation: Expectation
    judge: Judge
    refusal: tuple[str, ...] | None = None

    def played_by(self, player: Player | None) -> Played:
        """Return the play of this request; without a player, by the right answer."""
        expectation = self.expectation
        if player is None:
            return Played(as_expected(expectation), expectation, self.refusal)
        return Played(player.play(expectation.request, expectation.size_bytes), expectation, self.refusal)


def as_expected(expectation: Expectation) -> Observation:
    """Return the observation that a right submission makes."""
    values: Mapping[str, Value] = Deferred(lambda: {place: as_played(expected) for place, expected in expectation.places.items()})
    return Observation(values, expectation.error)


def as_played(expected: Expected) -> Value:
    """Return a value as a native play of the reference gives it, up to rounding."""
    value = expected.value
    if isinstance(value, Array) and value.values.dtype.kind == "f" and expected.dtype is not None:
        return rounded_to(value.values, expected.dtype)
    return value


@dataclass
class Playing:
    """The check that is being played, on a submission or on the right answer, with its draws and plays so far."""

    player: Player | None
    oracle: Oracle
    exercise: Exercise
    reference: str
    seed: int
    check: str
    draws: int = 0
    plays: list[Played] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    looked: bool = False  # true if the test itself looked at observations

    def random(self) -> np.random.Generator:
        self.draws += 1
        return generator(self.seed, self.check, "input", self.draws)

    def expectation(self, story: Story, refusal: type[Exception] | None = None) -> Expectation:
        """Return the expectation of a story, as the reference plays it. Raises BrokenSuite if nothing can be compared with it.

        An expectation from the cache that is of no use is computed once more before.
        """
        asked = self.request(story)
        expectation = self.oracle.expectation(self.reference, asked)
        why = unsound(expectation, self.exercise.places)
        if why or not raises(expectation, refusal):
            expectation = self.oracle.expectation(self.reference, asked, anew=True)
            why = unsound(expectation, self.exercise.places)
        if why:
            raise BrokenSuite(why, beside=probe_of(asked, self.exercise))
        return expectation

    def is_defined(self, story: Story, also_finite: bool = False) -> bool:
        """Return True if the reference raises nothing in a story and, if it has to be `also_finite`, its numbers can be compared."""
        expectation = self.oracle.expectation(self.reference, self.request(story))
        sound = (not unsound(expectation)) if expectation.sound is None and also_finite else expectation.sound
        return expectation.error is None and not (also_finite and not sound)

    def is_refused(self, story: Story, error: type[Exception]) -> bool:
        """Return True if the reference raises this very error in a story, and no subclass of it."""
        raised = self.oracle.expectation(self.reference, self.request(story)).error
        return raised is not None and raised.types[:1] == (error.__name__,)

    def request(self, story: Story) -> TypedRequest:
        """Return the request that plays a story next. Its random numbers are drawn by seed, check and number of plays."""
        return request(story, self.exercise.defines[0].name, [self.seed, self.check, len(self.plays)])

    def play(self, expectation: Expectation, judge: Judge, refusal: tuple[str, ...] | None = None) -> Played:
        """Have the submission play the request of an expectation, and judge it. If that ships as sound, the right answer is not judged."""
        self.asked.append(Asked(expectation, judge, refusal))
        self.plays.append(self.asked[-1].played_by(self.player))
        if self.player is not None or not expectation.sound:
            judge(self.plays[-1])
        return self.plays[-1]


playing: ContextVar[Playing] = ContextVar("playing")  # set while a check is played


def current() -> Playing:
    try:
        return playing.get()
    except LookupError:
        raise BrokenSuite(_("random inputs can only be drawn inside a test, not while the suite is imported")) from None


def randn(*shape: int) -> np.ndarray:
    """Return random numbers with a standard normal distribution: a float32 array of this shape.

    They depend only on the seed of the grading, the test's name and the number of arrays drawn in the test before. Raises
    BrokenSuite outside a running check, such as while the suite is imported.

    An example::

        agree(build(5), train(randn(4, 5) * 2 + 1))
    """
    return current().random().standard_normal(shape, dtype=np.float32)


def uniform(low: float, high: float, *shape: int) -> np.ndarray:
    """Return random numbers with a uniform distribution: a float32 array of this shape, from `low` (included) to `high` (excluded).

    They depend only on the seed of the grading, the test's name and the number of arrays drawn in the test before. Raises
    BrokenSuite outside a running check, such as while the suite is imported.

    An example::

        agree(call("rms", uniform(0.5, 2.0, 4, 5)))
    """
    return current().random().uniform(low, high, shape).astype(np.float32)


def ones(*shape: int) -> np.ndarray:
    """Return a float32 array of this shape, filled with ones.

    >>> ones(2, 3).shape, ones(2, 3).dtype.name
    ((2, 3), 'float32')
    """
    return np.ones(shape, dtype=np.float32)


def zeros(*shape: int) -> np.ndarray:
    """Return a float32 array of this shape, filled with zeros.

    >>> zeros(2).tolist()
    [0.0, 0.0]
    """
    return np.zeros(shape, dtype=np.float32)


def words(english: str, **values: Any) -> str:
    """Return a text for the learner in the current language, with `{names}` filled in if there are values.

    Use it for the message of an assertion, and for other texts that learners read. Its translation stands in the course's `zh.toml`, with
    the same braces. If it is missing, or if no check is played, English is used.

    >>> words("The mean is {mean:.2f} off 0.", mean=0.125)
    'The mean is 0.12 off 0.'
    """
    check = playing.get(None)
    said = english if check is None else translated(english, check.exercise.solutions)
    return said.format(**values) if values else said


def agree(*story: Part, in_float64: bool = False) -> None:
    """Check that the submission and the reference make the same observations when both play this story.

    - `story`: `build(…)` and then steps, or one `call(…)`, or one `probe(…)`.
    - `in_float64`: if true, numbers in float64 may differ only by as much as float64 arithmetic can move them. This is for a courtesy.

    Every place is compared: for a layer, after each step, its output, the gradients of its input and parameters, its parameters and
    buffers, with their shapes and dtypes, and its input, which it must not change. A number may differ by as much as float32 arithmetic
    can move it. Returns None.

    Raises Disagreement, which fails the check, if a place differs or the submission raises an exception. Raises BrokenSuite, which ends
    the check with the outcome "error", if the reference raises an exception or if the rounding of float32 leaves its numbers undetermined.

    An example::

        def test_running_mean(agree):
            '''The running mean follows the batches, and evaluation uses it.'''
            agree(build(3, momentum=0.3), train(randn(4, 3) + 1), evaluate(randn(2, 3)))
    """
    check = current()
    expectation = check.expectation(story)
    if expectation.error:
        raise raised_in_reference(check.exercise, check.oracle, check.reference, expectation)
    check.play(expectation.in_float64() if in_float64 else expectation, agreed)


def agreed(play: Played) -> None:
    """Raise Disagreement if the submission raised an exception, or if a place differs."""
    if play.observation.error:
        raise Disagreement(raised(play.observation.error), play)
    if play.differences:
        raise Disagreement(play=play)


def observe(*story: Part) -> Mapping[str, Value]:
    """Return the observations of the submission when it plays this story, for assertions in a test.

    - `story`: as for `agree`.

    Returns a mapping from places, texts such as "step 1 · output", to values: an `Array` with `values` (a NumPy array) and `dtype`
    (PyTorch's name), or a bool, an int, a text or None. Its numbers are not compared with the reference's. Looking up a place raises
    Disagreement, which fails the check, if the value's type or an array's shape is not the reference's. So does going through all places,
    if the submission has a place, a parameter or a key of the state dict that the reference does not have. Looking up a place that the
    reference does not have raises KeyError.

    Raises Disagreement if the submission raises an exception, and BrokenSuite if the reference raises one or if the rounding of float32
    leaves its numbers undetermined.

    An example::

        def test_output_is_bounded(observe):
            '''No output is above 1.'''
            seen = observe(build(3), train(randn(4, 3)))
            assert seen["step 1 · output"].values.max() <= 1
    """
    check = current()
    check.looked = True
    expectation = check.expectation(story)
    if expectation.error:
        raise raised_in_reference(check.exercise, check.oracle, check.reference, expectation)
    return Seen(check.play(expectation, came_to_its_end))


def came_to_its_end(play: Played) -> None:
    """Raise Disagreement if the submission raised an exception."""
    if play.observation.error:
        raise Disagreement(raised(play.observation.error))


class Seen(Mapping[str, Value]):
    """The observations of a submission, by place. A value has the form that the reference gives there, or it raises Disagreement."""

    def __init__(self, play: Played) -> None:
        self.values_seen, self.expected = play.observation.values, play.expectation.places

    def __getitem__(self, place: str) -> Value:
        known = next((each for each in self.expected if each == place), Place(place))
        value, expected = self.values_seen.get(place), self.expected[known]
        if form(value) != form(expected.value):
            raise Disagreement(differences=(described(known, value, expected),))
        return value

    def __iter__(self) -> Iterator[str]:
        """Iterate over all places of the reference. Raises Disagreement if the submission has more: a test would miss them."""
        if surplus := tuple(self.surplus()):
            raise Disagreement(differences=surplus)
        return iter(self.expected)

    def surplus(self) -> Iterator[Difference]:
        """Yield the differences of a submission that has more than the reference: places, parameters, keys of the state dict."""
        for place, value in self.values_seen.items():
            expected = self.expected.get(Place(place))
            if expected is None:
                yield described(Place(place), value, Expected(None))
            elif place in SURPLUS and value != expected.value:
                yield described(Place(place), value, expected)

    def __len__(self) -> int:
        return len(self.expected)


SURPLUS = ("further keys of the state dict", "further parameters")  # places, whose values are names that the reference does not have


def form(value: Value) -> tuple[object, ...]:
    """Return the form of a value, on which a test may rely: its type, and the shape of an array. Its numbers may be of any dtype."""
    return (Array, value.values.shape) if isinstance(value, Array) else (type(value),)


def refuses(error: type[Exception], *story: Part, legal: Part | Story) -> None:
    """Check that the submission raises an exception of the class `error` at the last step of this story, and at no step before.

    - `error`: the exception's class. A subclass of it is right, too.
    - `story`: as for `agree`. The steps before the last one are compared as by `agree`.
    - `legal`: a step, or several, that are played in place of the last step. They must raise nothing, so that a submission that always
      raises does not pass. If a `build(…)` or `call(…)` is to be refused, `legal` is a whole story.

    Raises Disagreement, which fails the check, if nothing is raised, if another exception is raised or at another step, or if the legal
    steps raise one. Raises BrokenSuite, which ends the check with the outcome "error", if the reference itself does not pass.

    An example::

        def test_one_value_per_channel(refuses):
            '''Training on one value per channel is a ValueError.'''
            refuses(ValueError, build(3), train(randn(1, 3)), legal=train(randn(2, 3)))
    """
    accepts(error, *story[:-1], *(legal if isinstance(legal, Sequence) else (legal,)))
    refuses_at_last(error, *story)


def accepts(error: type[Exception], *story: Part) -> None:
    """Check that the submission raises nothing in this story, the legal twin of one that ends in an `error`. No value is compared."""
    check = current()
    expectation = check.expectation(story)
    if expectation.error:
        raise no_refusal(error)
    check.play(expectation, allowed)


def refuses_at_last(error: type[Exception], *story: Part) -> None:
    """Check the last step of this story as `refuses` does, for a test that plays the legal steps itself."""
    check = current()
    expectation = check.expectation(story, error)
    if not raises(expectation, error):
        raise no_refusal(error)
    check.play(expectation, refused, (error.__name__,))


def returns(*story: Part) -> None:
    """Check that the outputs in this story have the type, shape and dtype of the reference's. No number is compared."""
    check = current()
    check.play(check.expectation(story), of_one_form)


def of_one_form(play: Played) -> None:
    """Raise Disagreement if the submission raised an exception, or if an output has another form than the reference's."""
    came_to_its_end(play)
    if found := tuple(each for each in play.differences if each.place.template == "output" and isinstance(each, ValueDifference)):
        raise Disagreement(differences=found)


def no_refusal(error: type[Exception]) -> BrokenSuite:
    why = _("the reference does not refuse the last step with {error}, or refuses its legal twin too", error=error.__name__)
    return BrokenSuite(why)


def allowed(play: Played) -> None:
    """Raise Disagreement if the submission refuses a legal call."""
    if play.observation.error:
        raise Disagreement(_("a legal call is refused: {error}", error=raised(play.observation.error)))


def refused(play: Played) -> None:
    """Raise Disagreement unless the submission raises the right exception at the right step, and nothing before it differs."""
    assert play.refusal is not None and play.expectation.error is not None
    [error], came, step = play.refusal, play.observation.error, play.expectation.error.step
    wanted = refusal(error, step)
    if came is None:
        raise Disagreement(_("no exception was raised; {wanted}", wanted=wanted), play)
    if error not in came.types or came.step != step:
        raise Disagreement(_("{wanted}, got {error}", wanted=wanted, error=raised(came)), play)
    if play.differences:
        raise Disagreement(play=play)


def raises(expectation: Expectation, error: type[Exception] | None) -> bool:
    """Return True if the reference raises such an error or, if `error` is None, nothing."""
    found = expectation.error
    return found is None if error is None else found is not None and error.__name__ in found.types


def refusal(error: str, step: int | str | None) -> str:
    """Return the words for the exception that is expected when a step is to be refused."""
    if step is None:
        return _("expected {error}", error=error)
    return _("expected {error} at {step}", error=error, step=step_in_words(step))


def raised(error: Error) -> str:
    """Return an error in words, with the learner's lines if there are any."""
    name = f"{error.types[0]}: " if error.types else ""
    where = step_in_words(error.step) + _(": ") if error.step else ""
    lines = [_("line {line}, in {function}: {text}", line=frame.line, function=frame.function, text=frame.text) for frame in error.frames]
    return "\n  ".join((f"{where}{name}{error.message}", *lines))
