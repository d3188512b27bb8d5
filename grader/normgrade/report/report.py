"""Everything about one graded submission, as plain frozen data; each output format is a renderer of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from normgrade.language import N_
from normgrade.language.places import Place

if TYPE_CHECKING:
    import numpy as np  # not at run time: a verdict of inspection must not wait for it

OTHER_EXCEPTION, MISSING_ARGUMENTS, OTHER_NAMES, SOME_INPUTS = "other-exception", "missing-arguments", "other-names", "some-inputs-only"
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
)  # they speak neither for nor against any known mistake
UNLISTED = "unlisted-mistake"  # a change of the reference that nobody has listed, found by the first wrong step
BUILT_IN = OTHER_EXCEPTION, MISSING_ARGUMENTS, OTHER_NAMES, SOME_INPUTS, *FORMS, UNLISTED  # named in any exercise
NOTHING_RAN = N_("none")  # the sandbox of a submission that was only read; the tiers are in `normgrade.worker.walls.TIERS`


class Outcome(StrEnum):
    """What became of a check or a report. `error` is always the fault of grader, suite or machine, never of the submission.

    An outcome is its word, and `normgrade.language._` translates it:

    >>> Outcome("not started") is Outcome.NOT_STARTED, f"{Outcome.PASSED}"
    (True, 'passed')
    """

    PASSED = N_("passed")
    FAILED = N_("failed")
    SKIPPED = N_("skipped")
    ERROR = N_("error")
    NOT_STARTED = N_("not started")


class Kind(StrEnum):
    """What a check is about. `proof` is for `normgrade verify` alone; the others are for hidden suites.

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
    """Which rule a finding is about: the file, Python's syntax, the contract, a signature, or what is banned.

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
    """What inspection found at one place of the source, without running it.

    line, column: where, both counted from 1; 0 and 0 mean the whole file.
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
    """Two arrays of one shape, and how far apart they may be, number by number.

    expected: what the reference gives; real numbers are in float64.
    actual: what the submission gives, in its own dtype; bfloat16 is held as float32.
    allowed: by how much each number may be off: absolute, float64, never negative.

    >>> import numpy as np
    >>> numbers = Numbers(expected=np.array([1.0, 2.0]), actual=np.array([1.0, 2.5]), allowed=np.full(2, 1e-6))
    >>> np.abs(numbers.actual - numbers.expected) <= numbers.allowed
    array([ True, False])
    """

    expected: np.ndarray
    actual: np.ndarray
    allowed: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was observed at one place, compared with what was expected there. Its subclasses say how it turned out.

    place: where it was observed: "step 2 · running_var", "gradient of input".
    dtype: PyTorch's name of it, "float32"; None where no array is expected.
    shape: that of the expected array; None where no array is expected.
    called: the place in the language that is spoken; "" where nobody has put it into words.
    """

    place: Place
    dtype: str | None
    shape: tuple[int, ...] | None
    called: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide(Comparison):
    """Two arrays of one shape and dtype, whether they differ or agree.

    numbers: both arrays in full. They take no part in comparisons of reports, nor in `repr`.

    >>> import numpy as np
    >>> numbers = Numbers(np.ones(2), np.ones(2), np.full(2, 1e-6))
    >>> SideBySide(place=Place("output"), dtype="float32", shape=(2,), numbers=numbers)
    SideBySide(place='output', dtype='float32', shape=(2,))
    """

    numbers: Numbers = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayDifference(SideBySide):
    """Two arrays of one shape and dtype of which some numbers are further apart than is allowed.

    mismatched: how many numbers are too far apart, at least 1.
    total: how many numbers there are.
    max_abs: the largest absolute error |actual − expected| of the mismatched numbers; infinity where a side is NaN.
    max_rel: the largest relative error |actual − expected| / |expected| of them, as a fraction: 0.01 is 1 %. It is infinity where 0 is
        expected.
    allowed: the absolute error that is allowed at the worst number, the one whose error is the largest multiple of what is allowed.
    at: the index of the worst number; () in an array without dimensions.
    expected, actual: the two numbers there.
    looks_like: in words, which simple mistake would give these numbers, "every value × 15/16"; None where nothing strikes.

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
    """Two values that differ as a whole: another type, shape or dtype, nothing where something is expected, or unequal scalars.

    expected, actual: the two values. An array, or an object that cannot be sent, is described in words: "a float32 tensor of
        shape (3,)", "nothing"; Python's scalars and None stand for themselves.
    looks_like: in words, what the two arrays have in common nevertheless; None where nothing strikes.

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
    """An exception that the submission raised where it should raise none, as Python tells it at its best.

    said: class and message, with Python's own suggestion: "NameError: name 'tensr' is not defined. Did you mean: 'tensor'?"
    line, column: where in the submission, both counted from 1, the column in characters; 0 where that is not known.
    width: how many characters the place takes; 0 where that is not known.
    text: the whole line; "" where it is not known.
    function: the function that the line belongs to.
    advice: the usual cause and how to mend it, in one or two sentences; "" where none is known.

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
    """One hidden test, and what became of it.

    name: the name of the test, with its parameters: "test_output[wide]".
    claim: what the test claims, in a sentence.
    kind: what it is about.
    outcome: passed, failed, skipped or error.
    points: what the check is worth.
    duration_s: how long it took, in seconds.
    message: why it did not pass, where that is no difference; may have several lines.
    hint: what to tell a learner whose submission fails; "" where the suite has none.
    stdout: what the submission printed meanwhile.
    differences: the places that disagree, in the order in which they were observed.
    lines: lines of the submission where it raised an exception, counted from 1.
    call: how the call that failed is repeated: "LayerNorm(7), input (4, 7)"; "" where no single call did.
    raised: the exception that made it fail; None where none did.
    courtesy: whether it is asked as well: it costs its points where it fails, and does not decide whether the submission passes.

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
        """All points of a check that passed, and none of any other."""
        return self.points if self.outcome is Outcome.PASSED else 0

    @property
    def decides(self) -> bool:
        """Whether it failed, so that the submission does not pass."""
        return self.outcome is Outcome.FAILED and not self.courtesy

    @property
    def shown_as(self) -> Outcome:
        """The outcome whose mark it gets: a courtesy that failed gets that of a check that was skipped."""
        return Outcome.SKIPPED if self.asked_in_vain else self.outcome

    @property
    def asked_in_vain(self) -> bool:
        """Whether it failed, and was a courtesy."""
        return self.outcome is Outcome.FAILED and self.courtesy


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the submission where a mistake of a diagnosis stands.

    mistake: its name.
    line, column: where, both counted from 1, the column in characters.
    width: how many characters the place takes.
    text: the whole line.
    remedy: what is wrong there and how to mend it, in a few words; "" where the course has none.

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
    """Known mistakes that together explain what failed, or most of it.

    mistakes: their names; usually one. Those of `BUILT_IN` come last.
    says: what is wrong and how to mend it, in one or more lines.
    checks: the names of the failed checks that they explain.
    spots: where the mistakes stand in the submission, as far as that is certain.
    cost: how many points they cost.
    texts: what each of them says, in the order of `mistakes`.

    >>> Diagnosis(mistakes=("no-eps",), says="There is no `eps`. Add it.", checks=("test_rows[a]",)).mistakes
    ('no-eps',)
    """

    mistakes: tuple[str, ...]
    says: str
    checks: tuple[str, ...]
    spots: tuple[Spot, ...] = ()
    cost: int = 0
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WrongStep:
    """The first step of a submission that goes wrong, as a replay of right code proves it.

    says: which steps before it are right, which one is not, and how far it is off.
    spot: where it stands in the submission.
    """

    says: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class Death:
    """The end of a process that the submission ran in, without an answer. Another process takes its place.

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
    sandbox: the walls that the submission ran behind, one of `normgrade.worker.walls.TIERS`; "none" where it was only read.
    seed: of the random inputs; 0 is the usual one.
    duration_s: how long grading took, in seconds.
    findings: what inspection found.
    diagnoses: alternatives that explain as much as each other; the first is the one to show.
    checks: all checks in the order of the suite; those that the course does not reveal are left out.
    lost: what the walls did not keep the submission from, one sentence each: "files: …".
    withheld: points that were earned by checks which are left out.
    source: the source that was graded.
    digest: SHA-256 of the file that it was read from, in hexadecimal.
    course: the folder of the course; "" for the one that normgrade carries.
    stopped_after_s: after how many seconds the search for a diagnosis was stopped; None where it came to its end.
    unexplained: the names of the failed checks that the first diagnosis does not explain; empty where there is none.
    granted: the points that are left after what the first diagnosis costs, and those of the claims that it leaves open; 0 without one.
    deaths: the ends of processes that the submission ran in, in their order. The first costs nothing.
    limits: for which inputs it works and for which it raises an exception, one sentence each; empty where that does not depend on them.
    step: the first step that goes wrong where no diagnosis explains all; None where that is not certain.
    searching: whether the mistake is still looked for, so that the points are the least that there will be.

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
    limits: tuple[str, ...] = ()
    searching: bool = False
    step: WrongStep | None = None

    @property
    def earned(self) -> int:
        """The points that the submission earned: those of its claims, or those that are granted where they are more.

        Where a claim fails that is no courtesy, they are never all of the `possible` ones, though that claim may carry no point.
        """
        earned = max(self.of_claims, self.granted)
        return min(earned, self.possible - 1) if any(check.decides for check in self.checks) else earned

    @property
    def of_claims(self) -> int:
        """The points of the claims that hold."""
        return self.withheld + sum(check.earned for check in self.checks)


def judgement(checks: Sequence[Check], findings: Sequence[Finding] = ()) -> Outcome:
    """What becomes of the whole: a broken suite outweighs all, then one failure or finding is enough. Courtesies do not count."""
    if any(check.outcome is Outcome.ERROR for check in checks):
        return Outcome.ERROR
    passed = not findings and all(check.outcome is Outcome.PASSED or check.courtesy for check in checks)
    return Outcome.PASSED if passed else Outcome.FAILED
