"""Hints: those that a learner can have, and those that were given before, in any language. And the mistakes of any exercise, in general."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes
from normgrade.course.own_numbers import called
from normgrade.course.translations import translated
from normgrade.language import N_, _
from normgrade.learner.standing import Attempt, attempts_of
from normgrade.learner.workspace import Workspace
from normgrade.report import report
from normgrade.suite.texts import hint_in


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint. Its identity is the same in every language: "mistake:NAME", "check:TEST" or "hint:NUMBER"."""

    identity: str
    text: str
    shown: str  # the text, and its subject unless that is the whole exercise


def hints_of(exercise: Exercise, last: Attempt | None) -> Iterator[Hint]:
    """Yield all hints after this attempt: those of its diagnosis, else that of the first check that failed; then the exercise's own.

    The hints of other checks that failed are left out: most of these failed for the same reason, and their hints would mislead.
    """
    diagnosed = [] if last is None else [*hints_of_diagnosis(exercise, last)]
    yield from diagnosed
    if last is not None and last.hint and not diagnosed:
        text = hint_of_test(exercise, last.failed) or last.hint
        yield Hint(f"check:{last.failed}", text, _("About the first failure of your last check: {hint}", hint=text))
    for number, text in enumerate(exercise.hints, 1):
        yield Hint(f"hint:{number}", text, text)


def hints_of_diagnosis(exercise: Exercise, last: Attempt) -> Iterator[Hint]:
    """Yield the texts of the known mistakes that this attempt's diagnosis named. The report already explains built-in ones."""
    known, reference = read_mistakes(exercise), read_text(exercise.reference)
    for name in last.diagnoses:
        if (mistake := called(name, known, reference)) is not None:
            shown = _("The diagnosis of your last check was {name}: {says}", name=name, says=mistake.says)
            yield Hint(f"mistake:{name}", mistake.says, shown)


def hint_of_test(exercise: Exercise, test: str) -> str:
    """Return the hint of a test in the current language; "" if the suite's source does not contain it."""
    return translated(hint_in(read_text(exercise.suite), test), exercise.solutions)


def take_hint(exercise: Exercise, last: Attempt | None, workspace: Workspace | None) -> list[Hint]:
    """Return the hints that were not given yet. If there is a workspace, the first of them is recorded there as given."""
    attempts = None if workspace is None else attempts_of(workspace)
    given = set() if attempts is None else attempts.given(exercise.slug)
    left = [hint for hint in hints_of(exercise, last) if hint.identity not in given]
    if left and attempts is not None:
        attempts.give(exercise.slug, [left[0].identity], datetime.now(UTC))
    return left


GENERAL: Mapping[str, str] = {
    report.CRASH: N_(
        "Your code raises an exception where it should not, so all that comes after it is missing. The report tells its line."
    ),
    report.SOME_INPUTS: N_(
        "Your code raises an exception for some inputs only, which the report names. Look for a fixed axis, dtype or mode."
    ),
    report.OTHER_EXCEPTION: N_("An input is refused, but with another exception than in the contract. Check it first, and raise that one."),
    report.MISSING_ARGUMENTS: N_("A signature lacks an argument of the contract. Take the names and the order from there."),
    report.OTHER_NAMES: N_("A parameter or buffer has another name than in the contract, so saved weights cannot be loaded."),
    report.HALF_PRECISION: N_(
        "Sums and squares lose their digits in half precision, and float16 ends at 65504. Compute in float32 or wider, but keep float64: "
        "`x.to(torch.promote_types(x.dtype, torch.float32))`, in NumPy `x.astype(np.promote_types(x.dtype, np.float32))`."
    ),
    report.FLOAT64_NARROWED: N_(
        "`x.float()` is meant for half precision, but it makes float64 narrower, too: seven of sixteen digits are left. Write "
        "`x.to(torch.promote_types(x.dtype, torch.float32))`, in NumPy `x.astype(np.promote_types(x.dtype, np.float32))`."
    ),
    report.WIDER_RETURNED: N_("Half precision goes in and a wider dtype comes out. End with `.to(x.dtype)`, in NumPy `.astype(x.dtype)`."),
    report.OTHER_DTYPE: N_("The result has another dtype than in the contract. Look for a missing cast, and for the default dtype."),
    report.OTHER_SHAPE: N_("The result has another shape than in the contract. Look for `keepdim=True`, and for an axis of length 1."),
    report.INPUT_CHANGED: N_(
        "The caller still needs the tensor that the call changes. `+=`, `out=` and names that end in `_` write in place, and `x.float()` "
        "is x itself if it is float32 already."
    ),
    report.UNLISTED: N_(
        "No known mistake gives your numbers, but a small change of right code does. The report tells the change and your line."
    ),
    report.NOTHING_COMPUTED: N_(
        "Every call gives back numbers that it was given, or one number everywhere. Begin with the formula of the task; until then nothing "
        "can be told apart."
    ),
}
