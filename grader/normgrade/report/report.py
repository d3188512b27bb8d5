"""Everything about one graded submission, as plain frozen data, and as much of it as a course reveals; each format is a renderer of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypeAlias

from normgrade.language import N_
from normgrade.language.places import Place

if TYPE_CHECKING:
    import numpy as np  # not at run time: a verdict of inspection must not wait for it

OTHER_EXCEPTION, MISSING_ARGUMENTS, OTHER_NAMES, SOME_INPUTS = "other-exception", "missing-arguments", "other-names", "some-inputs-only"
CRASH = "crash"
HALF_PRECISION, WIDER_RETURNED, OTHER_DTYPE, OTHER_SHAPE = "half-precision", "wider-dtype-returned", "other-dtype", "other-shape"
FLOAT64_NARROWED = "float64-in-float32"
INPUT_CHANGED = "input-left-changed"
FORMS = (
    HALF_PRECISION,
    WIDER_RETURNED,
    FLOAT64_NARROWED,
    OTHER_DTYPE,
    OTHER_SHAPE,
    INPUT_CHANGED,
)  # evidence neither for nor against any known mistake
UNLISTED = "unlisted-mistake"  # a change of the reference that is no known mistake, found by the first wrong step
NOTHING_COMPUTED = "nothing-computed"  # the name of idle code
IDLE = 10  # code that computes nothing earns at most this part of the points: 2 of 20
BUILT_IN = (
    *(OTHER_EXCEPTION, MISSING_ARGUMENTS, OTHER_NAMES, SOME_INPUTS, CRASH),
    *(*FORMS, UNLISTED, NOTHING_COMPUTED),
)  # names that diagnoses of any exercise may use
NOTHING_RAN = N_("none")  # the sandbox of a submission that was only read; the tiers are in `normgrade.worker.walls.TIERS`


class Outcome(StrEnum):
    """The outcome of a check or a report. `error` is always the fault of the grader, the suite or the machine, never of the submission.

    A member equals its word, which `normgrade.language._` translates:

    >>> Outcome("not started") is Outcome.NOT_STARTED, f"{Outcome.PASSED}"
    (True, 'passed')
    """

    PASSED = N_("passed")
    FAILED = N_("failed")
    SKIPPED = N_("skipped")
    ERROR = N_("error")
    NOT_STARTED = N_("not started")


class Kind(StrEnum):
    """The subject of a check. `proof` is only for `normgrade verify`; the others are for hidden suites.

    >>> Kind("edge") is Kind.EDGE
    True
    """

    INTERFACE = N_("interface")
    FORMULA = N_("formula")
    STATE = N_("state")
    GRADIENT = N_("gradient")
    EDGE = N_("edge")
    STABILITY = N_("stability")
    PRECISION = N_("precision")
    PROOF = N_("proof")


class Rule(StrEnum):
    """The rule that a finding is about: the file, Python's syntax, the contract, a signature, or the ban.

    >>> [str(rule) for rule in Rule]
    ['file', 'syntax', 'contract', 'signature', 'banned']
    """

    FILE = N_("file")
    SYNTAX = N_("syntax")
    CONTRACT = N_("contract")
    SIGNATURE = N_("signature")
    BANNED = N_("banned")


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that inspection found at one place of the source, without running it.

    line, column: the place, both counted from 1; 0 and 0 mean the whole file.
    rule: the rule that is broken.
    text: a sentence; further lines are the source line and a caret below it.

    >>> Finding(line=3, column=12, rule=Rule.BANNED, text="F.layer_norm is banned: write it by hand").rule == "banned"
    True
    """

    line: int
    column: int
    rule: Rule
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Two arrays of one shape, and the tolerance of each number.

    expected: the numbers of the reference; real numbers are in float64.
    actual: the numbers of the submission, in its own dtype; bfloat16 is held as float32.
    allowed: the allowed absolute error of each number: float64, never negative.

    >>> import numpy as np
    >>> numbers = Numbers(expected=np.array([1.0, 2.0]), actual=np.array([1.0, 2.5]), allowed=np.full(2, 1e-6))
    >>> np.abs(numbers.actual - numbers.expected) <= numbers.allowed
    array([ True, False])
    """

    expected: np.ndarray
    actual: np.ndarray
    allowed: np.ndarray


class WorstNumber(Numbers):
    """The worst number of two arrays, in arrays of shape (1,): all that is left of them in a report that was read from JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """An observed value compared with the expected one. The subclass tells the result.

    place: the place of the observation: "step 2 · running_var", "gradient of input".
    dtype: PyTorch's name of the dtype, "float32"; None if no array is expected.
    shape: the shape of the expected array; None if no array is expected.
    called: the place in the current language; "" if it has not been put into words.
    """

    place: Place
    dtype: str | None
    shape: tuple[int, ...] | None
    called: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide(Comparison):
    """Two arrays of one shape and dtype, which differ or agree.

    numbers: both arrays in full. Comparisons of reports and `repr` leave them out.

    >>> import numpy as np
    >>> numbers = Numbers(np.ones(2), np.ones(2), np.full(2, 1e-6))
    >>> SideBySide(place=Place("output"), dtype="float32", shape=(2,), numbers=numbers)
    SideBySide(place='output', dtype='float32', shape=(2,))
    """

    numbers: Numbers = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayDifference(SideBySide):
    """Two arrays of one shape and dtype in which some numbers are further apart than is allowed.

    mismatched: the count of numbers that are too far apart, at least 1.
    total: the count of all numbers.
    max_abs: the largest absolute error |actual − expected| of the mismatched numbers; infinity if a side is NaN.
    max_rel: the largest relative error |actual − expected| / |expected| of them, as a fraction: 0.01 is 1 %. It is infinity if 0 is
        expected.
    allowed: the allowed absolute error of the worst number, the one whose error is the largest multiple of its allowed error.
    at: the index of the worst number; () in an array without dimensions.
    expected, actual: the two values of the worst number.
    looks_like: a simple mistake that would give these numbers, in words, "every value × 15/16"; None if none is recognised.

    >>> import numpy as np
    >>> ArrayDifference(
    ...     place=Place("output"), dtype="float32", shape=(2,), mismatched=1, total=2, max_abs=0.5, max_rel=0.25,
    ...     allowed=1e-6, at=(1,), expected=2.0, actual=2.5,
    ...     numbers=Numbers(np.array([1.0, 2.0]), np.array([1.0, 2.5]), np.full(2, 1e-6)),
    ... ).at
    (1,)
    """

    mismatched: int
    total: int
    max_abs: float
    max_rel: float
    allowed: float
    at: tuple[int, ...]
    expected: bool | int | float
    actual: bool | int | float
    looks_like: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueDifference(Comparison):
    """Two values that differ as a whole: another type, shape or dtype, a missing value, or unequal scalars.

    expected, actual: the two values. An array, or an object that cannot be sent, is described in words: "a float32 tensor of
        shape (3,)", "nothing"; Python's scalars and None stand for themselves.
    looks_like: a similarity of the two arrays in words; None if none is recognised.

    >>> expected = "a float32 tensor of shape (3,)"
    >>> found = ValueDifference(place=Place("weight"), dtype="float32", shape=(3,), expected=expected, actual="nothing")
    >>> f"{found.place}: {found.actual}"
    'weight: nothing'
    """

    expected: bool | int | float | str | None
    actual: bool | int | float | str | None
    looks_like: str | None = None


Difference: TypeAlias = ArrayDifference | ValueDifference


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception that the submission should not raise, with all that Python can tell about it.

    said: class and message, with Python's own suggestion: "NameError: name 'tensr' is not defined. Did you mean: 'tensor'?"
    line, column: the place in the submission, both counted from 1, the column in characters; 0 if it is not known.
    width: the length of the place in characters; 0 if it is not known.
    text: the whole line; "" if it is not known.
    function: the function that the line belongs to.
    advice: the usual cause and how to mend it, in one or two sentences; "" if none is known.

    >>> Raised("NameError: name 'tensr' is not defined", line=3, column=9, width=5, text="    x = tensr(2)", function="forward").line
    3
    """

    said: str
    line: int = 0
    column: int = 0
    width: int = 0
    text: str = ""
    function: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One hidden test and its result.

    name: the name of the test, with its parameters: "test_output[wide]".
    claim: the claim of the test, in a sentence.
    kind: the subject of the test.
    outcome: passed, failed, skipped or error.
    points: the points that the check is worth.
    duration_s: the time that it took, in seconds.
    message: the reason why it did not pass, if that is no difference; may have several lines.
    hint: a hint for a learner whose submission fails; "" if the suite has none.
    stdout: the output that the submission printed meanwhile.
    differences: the places that disagree, in the order in which they were observed.
    lines: lines of the submission that raised an exception, counted from 1.
    call: the way to repeat the failed call: "LayerNorm(7), input (4, 7)"; "" if no single call failed.
    raised: the exception that made it fail; None if none did.
    courtesy: true if it is asked as well: a failure costs its points, but does not keep the submission from passing.

    >>> check = Check("test_output", "The output is normalised.", Kind.FORMULA, Outcome.PASSED, points=3)
    >>> check.earned
    3
    """

    name: str
    claim: str
    kind: Kind
    outcome: Outcome
    points: int
    duration_s: float = 0.0
    message: str = ""
    hint: str = ""
    stdout: str = ""
    differences: tuple[Difference, ...] = ()
    lines: tuple[int, ...] = ()
    call: str = ""
    raised: Raised | None = None
    courtesy: bool = False

    @property
    def earned(self) -> int:
        """The points of the check if it passed, else 0."""
        return self.points if self.outcome is Outcome.PASSED else 0

    @property
    def decides(self) -> bool:
        """True if it failed and therefore the submission does not pass."""
        return self.outcome is Outcome.FAILED and not self.courtesy

    @property
    def shown_as(self) -> Outcome:
        """The outcome whose mark is shown: a failed courtesy gets the mark of a skipped check."""
        return Outcome.SKIPPED if self.asked_in_vain else self.outcome

    @property
    def asked_in_vain(self) -> bool:
        """True if it is a courtesy and failed."""
        return self.outcome is Outcome.FAILED and self.courtesy


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the submission that has a mistake of a diagnosis.

    mistake: the name of the mistake.
    line, column: the place, both counted from 1, the column in characters.
    width: the length of the place in characters.
    text: the whole line.
    remedy: the fault and how to mend it, in a few words; "" if the course has none.

    >>> Spot("unbiased-variance", line=19, column=9, width=3, text="var = h.var(-1)", remedy="pass correction=0").width
    3
    """

    mistake: str
    line: int
    column: int
    width: int
    text: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Known mistakes that together explain all failures, or most of them.

    mistakes: their names; usually one. Those of `BUILT_IN` come last.
    says: the fault and how to mend it, in one or more lines.
    checks: the names of the failed checks that they explain.
    spots: their places in the submission, as far as those are certain.
    cost: the points that they cost.
    texts: the text of each mistake, in the order of `mistakes`.
    costs: the points that each of them costs.
    parts: the names of the checks that each of them has a part in.

    >>> Diagnosis(mistakes=("no-eps",), says="There is no `eps`. Add it.", checks=("test_rows[a]",)).mistakes
    ('no-eps',)
    """

    mistakes: tuple[str, ...]
    says: str
    checks: tuple[str, ...]
    spots: tuple[Spot, ...] = ()
    cost: int = 0
    texts: tuple[str, ...] = ()
    costs: tuple[int, ...] = field(default=(), compare=False)
    parts: tuple[frozenset[str], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class WrongStep:
    """The first wrong step of a submission, as a replay of right code proves it.

    says: which steps before it are right, which one is wrong, and by how much.
    spot: its place in the submission.
    """

    says: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class Death:
    """A process that ran the submission and ended without an answer. Another process takes its place.

    check: the name of the check that was played.
    play: the number of the play, counted from 1 over all checks.
    why: how the process ended, in words.

    >>> Death("test_output", play=40, why="your code ended the process with exit code 0").play
    40
    """

    check: str
    play: int
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything about one submission.

    exercise: the short name of the exercise, "layer_norm".
    submission: the name of the graded file, as the user gave it.
    outcome: passed, failed, error or not started.
    possible: the points of the whole suite.
    sandbox: the walls around the submission, one of `normgrade.worker.walls.TIERS`; "none" if it was only read.
    seed: the seed of the random inputs; 0 is the usual one.
    duration_s: the time that grading took, in seconds.
    findings: the findings of inspection.
    diagnoses: alternatives that explain as much as each other; the first is the one to show.
    checks: all checks in the order of the suite; those that the course does not reveal are left out.
    lost: the harm that the walls did not prevent, one sentence each: "files: …".
    withheld: points that were earned by checks which are left out.
    source: the source that was graded.
    digest: SHA-256 of the file that it was read from, in hexadecimal.
    course: the folder of the course; "" for the one that normgrade carries.
    stopped_after_s: the seconds after which the search for a diagnosis was stopped; None if it was not stopped.
    unexplained: the names of the failed checks that the first diagnosis does not explain; empty without a diagnosis.
    granted: the points that remain after the cost of the first diagnosis and the claims that it leaves open; 0 without a diagnosis.
    deaths: the processes that ended without an answer, in their order. The first costs nothing.
    cells: the cells of a notebook that did not run as a whole, one sentence each.
    limits: for which inputs it works and for which it raises an exception, one sentence each; empty if that does not depend on them.
    step: the first wrong step if no diagnosis explains everything; None if it is not certain.
    searching: true while the search for the mistake goes on; the points can only become more.
    for_author: true if it is about an answer of the course, so that no advice for learners follows.
    idle: true if no call computed anything.

    >>> check = Check("test_output", "The output is normalised.", Kind.FORMULA, Outcome.PASSED, points=3)
    >>> report = Report("layer_norm", "layer_norm.py", Outcome.PASSED, possible=3, sandbox="linux", seed=0, duration_s=0.4, checks=(check,))
    >>> f"{report.earned} of {report.possible}"
    '3 of 3'
    """

    exercise: str
    submission: str
    outcome: Outcome
    possible: int
    sandbox: str
    seed: int
    duration_s: float
    findings: tuple[Finding, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    checks: tuple[Check, ...] = ()
    lost: tuple[str, ...] = ()
    withheld: int = 0
    source: str = ""
    digest: str = ""
    course: str = ""
    stopped_after_s: float | None = None
    unexplained: tuple[str, ...] = ()
    granted: int = 0
    deaths: tuple[Death, ...] = ()
    cells: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    searching: bool = False
    step: WrongStep | None = None
    for_author: bool = False
    idle: bool = False

    @property
    def earned(self) -> int:
        """The points that the submission earned: those of its claims, or the granted ones if they are more.

        If a claim fails that is no courtesy, they are less than `possible`, even if that claim carries no points; but never less than 0.
        Idle code earns no more than a tenth.
        """
        earned = max(self.of_claims, self.granted)
        earned = min(earned, self.possible // IDLE) if self.idle else earned
        return max(min(earned, self.possible - 1), 0) if any(check.decides for check in self.checks) else earned

    @property
    def of_claims(self) -> int:
        """The points of the claims that hold."""
        return self.withheld + sum(check.earned for check in self.checks)

    def points_of(self, check: Check) -> int:
        """Return the points of a claim in a list of all: none for idle code, which earns less than they sum to."""
        return 0 if self.idle else check.earned


def judgement(checks: Sequence[Check], findings: Sequence[Finding] = ()) -> Outcome:
    """Return the outcome of all checks: error if any has an error, else failed after one failure or finding. Courtesies do not count."""
    if any(check.outcome is Outcome.ERROR for check in checks):
        return Outcome.ERROR
    passed = not findings and all(check.outcome is Outcome.PASSED or check.courtesy for check in checks)
    return Outcome.PASSED if passed else Outcome.FAILED


# As much as a course reveals: everything, the claims, or only the score


def reveal(report: Report, level: Literal["full", "claims", "score"]) -> Report:
    """Return the report as far as the level of the course reveals it.

    "full" keeps everything, "claims" keeps claims, outcomes and diagnoses, "score" keeps outcome and score. Findings always stay,
    because they are about the learner's own source and the public contract.
    """
    if level == "full":
        return report
    if level == "claims":
        return replace(report, checks=tuple(map(without_values, report.checks)))
    return replace(report, checks=(), diagnoses=(), unexplained=(), deaths=(), limits=(), withheld=report.earned)


def claims_alone(report: Report) -> Report:
    """Return the report without any help, as in an interview: with claims and outcomes, and only with the points of the claims."""
    return replace(reveal(report, "claims"), diagnoses=(), unexplained=(), granted=0, stopped_after_s=None, searching=False)


def without_values(check: Check) -> Check:
    """Return the check without messages, hints, printed output and differences, which may all hold values."""
    return replace(check, message="", hint="", stdout="", differences=(), lines=(), call="", raised=None)
