"""Reports of every kind, for the tests of all formats."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from normgrade.language.places import Place
from normgrade.report.report import (
    ArrayDifference,
    Check,
    Death,
    Diagnosis,
    Finding,
    Kind,
    Numbers,
    Outcome,
    Raised,
    Report,
    Rule,
    Spot,
    ValueDifference,
    reveal,
)

STATISTICS = "The running statistics follow the batches, with the unbiased variance."
BIASED = Diagnosis(
    mistakes=("biased-running-variance",),
    says="running_var is updated with the biased variance. Multiply by n / (n − 1).",
    checks=("test_statistics[wide]", "test_statistics[deep]"),
)
SPOT = Spot("biased-running-variance", line=19, column=13, width=3, text="    var = h.var(dims)", remedy="pass correction=1")
BANNED = Finding(12, 16, Rule.BANNED, "F.batch_norm is banned: write it by hand\n    return F.batch_norm(x)\n           ^^^^^^^^^^^^^^^")


def differing(
    expected: Any, actual: Any, allowed: Any, place: str = "step 2 · running_var", looks_like: str | None = None, dtype: str = "float32"
) -> ArrayDifference:
    """Return a difference of these numbers. Its worst number is the one with the largest ratio of error and allowance."""
    right, got = np.asarray(expected, dtype=np.float64), np.asarray(actual, dtype=np.float64)
    limit = np.broadcast_to(np.asarray(allowed, dtype=np.float64), right.shape)
    with np.errstate(all="ignore"):
        error = np.nan_to_num(np.abs(got - right), nan=np.inf, posinf=np.inf)
        relative = error / np.abs(right)
    at = tuple(int(index) for index in np.unravel_index(int(np.argmax(error / limit)), right.shape))
    return ArrayDifference(
        place=Place.of(place),
        dtype=dtype,
        shape=right.shape,
        mismatched=int((error > limit).sum()),
        total=right.size,
        max_abs=float(error.max()),
        max_rel=float(relative.max()),
        allowed=float(limit[at]),
        at=at,
        expected=right[at].item(),
        actual=got[at].item(),
        looks_like=looks_like,
        numbers=Numbers(right, got, limit),
    )


VARIANCE = differing([0.96, 1.5, 1.0677], [0.9, 1.5, 1.001], 1.3e-06, looks_like="every value × 15/16")
MISSING = ValueDifference(
    place=Place("weight.grad", step=1), dtype="float32", shape=(3,), expected="a float32 tensor of shape (3,)", actual="nothing"
)


def check(name: str = "test_output", outcome: Outcome = Outcome.PASSED, **rest: Any) -> Check:
    return Check(**{"name": name, "claim": "The output is normalised.", "kind": Kind.FORMULA, "outcome": outcome, "points": 2, **rest})


def failed(name: str = "test_statistics[wide]", **rest: Any) -> Check:
    return check(
        **{
            "name": name,
            "outcome": Outcome.FAILED,
            "claim": STATISTICS,
            "kind": Kind.STATE,
            "points": 3,
            "differences": (VARIANCE,),
            **rest,
        }
    )


def report(*checks: Check, outcome: Outcome = Outcome.FAILED, **rest: Any) -> Report:
    possible = sum(check.points for check in checks)
    given = {
        "exercise": "batch_norm",
        "submission": "batch_norm.py",
        "possible": possible,
        "sandbox": "linux",
        "seed": 0,
        "duration_s": 0.4142,
    }
    return Report(**{**given, "outcome": outcome, "checks": checks, **rest})


FAILED = report(
    check("test_output[wide]", duration_s=0.01249),
    check("test_output[deep]"),
    failed("test_statistics[wide]", differences=(VARIANCE, MISSING), hint="Which variance does PyTorch store?", stdout="var 0.9\n"),
    failed("test_statistics[deep]"),
    check(
        "test_once", Outcome.SKIPPED, kind=Kind.EDGE, claim="One value is refused.", message="it depends on an interface check that failed"
    ),
    check(
        "test_twice",
        Outcome.ERROR,
        kind=Kind.EDGE,
        claim="Two values are taken.",
        message="the suite is broken, not your code: KeyError: 'x'",
    ),
    diagnoses=(BIASED,),
)
PASSED = report(
    check("test_output[wide]"), check("test_output[deep]"), outcome=Outcome.PASSED, exercise="layer_norm", submission="layer_norm.py"
)
ASKED = report(
    check("test_output[wide]"),
    failed("test_rank", claim="Other ranks are ValueErrors.", points=1, courtesy=True, kind=Kind.EDGE, differences=(), message="No error."),
    outcome=Outcome.PASSED,
)
NOT_STARTED = report(outcome=Outcome.NOT_STARTED, exercise="rms_norm", submission="rms_norm.py", possible=20)
BROKEN = report(check(outcome=Outcome.ERROR, message="the machine has no memory left"), outcome=Outcome.ERROR)
FOUND = report(findings=(BANNED,), possible=20)
EVERY_KIND = (FAILED, PASSED, NOT_STARTED, BROKEN, FOUND, reveal(FAILED, "claims"), reveal(FAILED, "score"), reveal(PASSED, "score"), ASKED)
HOSTILE = "[red]\x1b[31mX\x1b]0;title\x07\x9b2J\x00\u202e\ud800\ufffe[/red] [link=a]"


def hostile(text: str = HOSTILE) -> Report:
    """Return a report in which every text is this untrusted one."""
    numbers = replace(VARIANCE, place=Place(text), dtype=text, looks_like=text)
    described = replace(MISSING, place=Place(text), expected=text, actual=f"no {text}")
    texts: Any = {"claim": text, "kind": Kind.FORMULA, "message": text, "hint": text, "stdout": text, "call": text}
    raised = Raised(text, 1, 1, 5, text, text, text)
    checks = (
        Check(text, outcome=Outcome.FAILED, points=1, differences=(numbers, described) * 3, raised=raised, **texts),
        Check("test_skipped", outcome=Outcome.SKIPPED, points=1, raised=raised, **texts),
    )
    mistake = Diagnosis((text,), text, (text,), (Spot(text, 1, 1, 5, text, text),), texts=(text,))
    return Report(
        text,
        text,
        Outcome.FAILED,
        2,
        text,
        0,
        0.1,
        (Finding(1, 1, Rule.BANNED, f"{text}\n{text}"),),
        (mistake,),
        checks,
        (text,),
        source=text,
        course=text,
        deaths=(Death(text, 1, text),),
        limits=(text,),
    )
