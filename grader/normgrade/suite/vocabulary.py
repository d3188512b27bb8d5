"""The words that a check uses while it is played: random inputs, and the fixtures `agree`, `observe` and `refuses`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from normgrade.compare.differences import described, unsound
from normgrade.compare.played import Played
from normgrade.course.course import Exercise
from normgrade.language import _, spoken
from normgrade.language.places import Place, step_in_words
from normgrade.oracle.deferred import Deferred
from normgrade.oracle.draws import generator, rounded_to
from normgrade.oracle.expectation import Oracle
from normgrade.oracle.expected import Expectation, Expected
from normgrade.report.report import Difference
from normgrade.suite.blame import BrokenSuite, probe_of, raised_in_reference
from normgrade.suite.story import Part, Story, request
from normgrade.worker.observation import Array, Error, Observation, Playable, Value
from normgrade.worker.requests import TypedRequest


class Player(Protocol):
    """Plays a request on one submission: a worker, or whatever stands in for one."""

    def play(self, request: Playable, size_limit_bytes: int) -> Observation: ...


class Disagreement(Exception):
    """The submission is wrong: a message, and the play in which it differs, or else the differences themselves."""

    def __init__(self, message: str = "", play: Played | None = None, differences: tuple[Difference, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.play = play
        self.differences = differences if play is None else play.differences


Judge = Callable[[Played], None]  # raises Disagreement where the submission is wrong


class Asked(NamedTuple):
    """One request of a check, how its answer is judged, and which exceptions are wanted, where one is."""

    expectation: Expectation
    judge: Judge
    refusal: tuple[str, ...] | None = None

    def played_by(self, player: Player | None) -> Played:
        """The play of this request; without a player, by the right answer."""
        expectation = self.expectation
        if player is None:
            return Played(as_expected(expectation), expectation, self.refusal)
        return Played(player.play(expectation.request, expectation.size_bytes), expectation, self.refusal)


def as_expected(expectation: Expectation) -> Observation:
    """What is observed where everything is as it should be."""
    values: Mapping[str, Value] = Deferred(lambda: {place: as_played(expected) for place, expected in expectation.places.items()})
    return Observation(values, expectation.error)


def as_played(expected: Expected) -> Value:
    """A value as a native play of the reference gives it, but for rounding."""
    value = expected.value
    if isinstance(value, Array) and value.values.dtype.kind == "f" and expected.dtype is not None:
        return rounded_to(value.values, expected.dtype)
    return value


@dataclass
class Playing:
    """The check that is being played: on which submission, or on the right answer, and what was drawn and observed so far."""

    player: Player | None
    oracle: Oracle
    exercise: Exercise
    reference: str
    seed: int
    check: str
    draws: int = 0
    plays: list[Played] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    looked: bool = False  # whether the test itself looked at what was observed

    def random(self) -> np.random.Generator:
        self.draws += 1
        return generator(self.seed, self.check, "input", self.draws)

    def expectation(self, story: Story, refusal: type[Exception] | None = None) -> Expectation:
        """What the reference observes. A kept one that is of no use is computed once more before the suite is called broken."""
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
        """Whether the reference plays a story to its end, and what it gives can be compared, where it has to be `also_finite`."""
        expectation = self.oracle.expectation(self.reference, self.request(story))
        sound = (not unsound(expectation)) if expectation.sound is None and also_finite else expectation.sound
        return expectation.error is None and not (also_finite and not sound)

    def request(self, story: Story) -> TypedRequest:
        """The story as it is asked next."""
        return request(story, self.exercise.defines[0].name, [self.seed, self.check, len(self.plays)])

    def play(self, expectation: Expectation, judge: Judge, refusal: tuple[str, ...] | None = None) -> Played:
        """Have the submission play what the reference has played, and judge it. What ships is proved: the right answer is not judged."""
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
    """Random numbers with a standard normal distribution: a float32 array of this shape.

    They depend on the seed of the grading, the test's name and the number of arrays drawn in the test before, and on nothing else. Raises
    BrokenSuite outside a running check, such as while the suite is imported.

    An example::

        agree(build(5), train(randn(4, 5) * 2 + 1))
    """
    return current().random().standard_normal(shape, dtype=np.float32)


def uniform(low: float, high: float, *shape: int) -> np.ndarray:
    """Random numbers with a uniform distribution: a float32 array of this shape, from `low` (included) to `high` (excluded).

    They depend on the seed of the grading, the test's name and the number of arrays drawn in the test before, and on nothing else. Raises
    BrokenSuite outside a running check, such as while the suite is imported.

    An example::

        agree(call("rms", uniform(0.5, 2.0, 4, 5)))
    """
    return current().random().uniform(low, high, shape).astype(np.float32)


def ones(*shape: int) -> np.ndarray:
    """A float32 array of this shape, filled with ones.

    >>> ones(2, 3).shape, ones(2, 3).dtype.name
    ((2, 3), 'float32')
    """
    return np.ones(shape, dtype=np.float32)


def zeros(*shape: int) -> np.ndarray:
    """A float32 array of this shape, filled with zeros.

    >>> zeros(2).tolist()
    [0.0, 0.0]
    """
    return np.zeros(shape, dtype=np.float32)


def words(english: str, **others: str) -> str:
    """A text for the learner in the current language: `english`, or the translation whose keyword is the language's code.

    Used for the message of an assertion, and for other texts of a suite that learners read. English is used where a translation is missing.

    >>> words("The mean moved.", zh="均值移动了。")
    'The mean moved.'
    """
    return others.get(spoken(), english)


def agree(*story: Part) -> None:
    """The submission sees what the reference sees when both play this story.

    - `story`: `build(…)` and then steps, or one `call(…)`, or one `probe(…)`.

    Every place is compared: for a layer, after each step, its output, the gradients of its input and parameters, its parameters and
    buffers, with their shapes and dtypes, and whether it changed its input. A number may differ by as much as float32 arithmetic can move
    it. Returns None.

    Raises Disagreement, which fails the check, where a place differs or the submission raises an exception. Raises BrokenSuite, which
    ends the check with the outcome "error", where the reference raises an exception or where the rounding of float32 leaves its numbers
    undetermined.

    An example::

        def test_running_mean(agree):
            '''The running mean follows the batches, and evaluation uses it.'''
            agree(build(3, momentum=0.3), train(randn(4, 3) + 1), evaluate(randn(2, 3)))
    """
    check = current()
    expectation = check.expectation(story)
    if expectation.error:
        raise raised_in_reference(check.exercise, check.oracle, check.reference, expectation)
    check.play(expectation, agreed)


def agreed(play: Played) -> None:
    """Raises Disagreement unless the submission saw what it should have seen."""
    if play.observation.error:
        raise Disagreement(raised(play.observation.error), play)
    if play.differences:
        raise Disagreement(play=play)


def observe(*story: Part) -> Mapping[str, Value]:
    """What the submission sees when it plays this story, for a test to make assertions about.

    - `story`: as for `agree`.

    Returns a mapping from places, texts such as "step 1 · output", to values: an `Array` with `values` (a NumPy array) and `dtype`
    (PyTorch's name), or a bool, an int, a text or None. Its numbers are not compared with the reference's. Looking up a place raises
    Disagreement, which fails the check, where the value's type or an array's shape is another than the reference's. So does going through
    all places, where the submission has one, a parameter or a key of the state dict that the reference has not. KeyError where the
    reference has no such place.

    Raises Disagreement where the submission raises an exception, and BrokenSuite where the rounding of float32 leaves the numbers of the
    reference undetermined.

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
    """Raises Disagreement where the submission raised an exception."""
    if play.observation.error:
        raise Disagreement(raised(play.observation.error))


class Seen(Mapping[str, Value]):
    """What was observed, by place: a value of the form that the reference gives there, whatever its numbers. Anything else fails."""

    def __init__(self, play: Played) -> None:
        self.values_seen, self.expected = play.observation.values, play.expectation.places

    def __getitem__(self, place: str) -> Value:
        known = next((each for each in self.expected if each == place), Place(place))
        value, expected = self.values_seen.get(place), self.expected[known]
        if form(value) != form(expected.value):
            raise Disagreement(differences=(described(known, value, expected),))
        return value

    def __iter__(self) -> Iterator[str]:
        """All places of the reference. Raises Disagreement where the submission has more: a test that goes through all would not see it."""
        if surplus := tuple(self.surplus()):
            raise Disagreement(differences=surplus)
        return iter(self.expected)

    def surplus(self) -> Iterator[Difference]:
        """What the submission has and the reference has not: places, parameters, keys of the state dict."""
        for place, value in self.values_seen.items():
            expected = self.expected.get(Place(place))
            if expected is None:
                yield described(Place(place), value, Expected(None))
            elif place in SURPLUS and value != expected.value:
                yield described(Place(place), value, expected)

    def __len__(self) -> int:
        return len(self.expected)


SURPLUS = ("further keys of the state dict", "further parameters")  # places, whose values name what the reference has not


def form(value: Value) -> tuple[object, ...]:
    """All that a test may rely on where it asserts on a value: its type, and the shape of an array. Its numbers may be of any dtype."""
    return (Array, value.values.shape) if isinstance(value, Array) else (type(value),)


def refuses(error: type[Exception], *story: Part, legal: Part | Story) -> None:
    """The submission raises an exception of the class `error` at the last step of this story, and nowhere else.

    - `error`: the exception's class. A subclass of it is right too.
    - `story`: as for `agree`. The steps before the last one are compared as by `agree`.
    - `legal`: a step, or several, that are played in the place of the last step. They must raise nothing, so that a submission that always
      raises does not pass. For a `build(…)` or `call(…)` that is to be refused, `legal` is a whole story.

    Raises Disagreement, which fails the check, where nothing is raised, another exception is raised, it is raised at another step, or the
    legal steps raise one. Raises BrokenSuite, which ends the check with the outcome "error", where the reference does not behave so itself.

    An example::

        def test_one_value_per_channel(refuses):
            '''Training on one value per channel is a ValueError.'''
            refuses(ValueError, build(3), train(randn(1, 3)), legal=train(randn(2, 3)))
    """
    accepts(error, *story[:-1], *(legal if isinstance(legal, Sequence) else (legal,)))
    refuses_at_last(error, *story)


def accepts(error: type[Exception], *story: Part) -> None:
    """The submission raises nothing in this story, whatever it computes: the legal twin of one that ends in an `error`."""
    check = current()
    expectation = check.expectation(story)
    if expectation.error:
        raise no_refusal(error)
    check.play(expectation, allowed)


def refuses_at_last(error: type[Exception], *story: Part) -> None:
    """The same as `refuses`, where the test itself plays what is legal."""
    check = current()
    expectation = check.expectation(story, error)
    if not raises(expectation, error):
        raise no_refusal(error)
    check.play(expectation, refused, (error.__name__,))


def no_refusal(error: type[Exception]) -> BrokenSuite:
    why = _("the reference does not refuse the last step with a {error}, or refuses its legal twin too", error=error.__name__)
    return BrokenSuite(why)


def allowed(play: Played) -> None:
    """Raises Disagreement where the submission refuses what is legal."""
    if play.observation.error:
        raise Disagreement(_("a legal call is refused: {error}", error=raised(play.observation.error)))


def refused(play: Played) -> None:
    """Raises Disagreement unless the submission refuses what it should, where it should and with the right exception."""
    assert play.refusal is not None and play.expectation.error is not None
    [error], came, step = play.refusal, play.observation.error, play.expectation.error.step
    wanted = refusal(error, step)
    if came is None:
        raise Disagreement(_("nothing was raised; {wanted}", wanted=wanted), play)
    if error not in came.types or came.step != step:
        raise Disagreement(_("{wanted}, but came {error}", wanted=wanted, error=raised(came)), play)
    if play.differences:
        raise Disagreement(play=play)


def raises(expectation: Expectation, error: type[Exception] | None) -> bool:
    """Whether the reference raises such an error, or none where None is named."""
    found = expectation.error
    return found is None if error is None else found is not None and error.__name__ in found.types


def refusal(error: str, step: int | str | None) -> str:
    """What is expected where a step is to be refused."""
    if step is None:
        return _("a {error} is expected", error=error)
    return _("a {error} is expected at {step}", error=error, step=step_in_words(step))


def raised(error: Error) -> str:
    """An error in words, with the learner's line where there is one."""
    name = f"{error.types[0]}: " if error.types else ""
    where = step_in_words(error.step) + _(": ") if error.step else ""
    lines = [_("line {line}, in {function}: {text}", line=frame.line, function=frame.function, text=frame.text) for frame in error.frames]
    return "\n  ".join((f"{where}{name}{error.message}", *lines))
