"""Reports of every kind for HTML pages, some of them with hostile texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from html_page import Page, difference

from normgrade.language.places import Place
from normgrade.report.render import render
from normgrade.report.report import Check, Diagnosis, Finding, Kind, Outcome, Raised, Report, Rule, Spot, ValueDifference, reveal

ELEMENTS = """a body circle code dd details div dl dt figcaption figure footer g h1 h2 h3 h4 head html li main mark meta ol
    output p pre rect script small span strong style summary svg table tbody td text th thead title tr ul""".split()
SOURCE = "\n\nimport torch\n\n\ndef rms(x):\n\treturn torch.nn.functional.rms_norm(x, x.shape)\n"
MAPPED = difference([[0.96, 1.5, 1.0677], [1.0, 2.0, 3.0]], [[0.9, 1.5, 1.001], [1.0, 2.0, 3.0001]], 1.3e-06, "step 1 · result")
MISSING = ValueDifference(
    place=Place("weight.grad", step=2), dtype="float32", shape=(3,), expected="a float32 tensor of shape (3,)", actual="nothing"
)
BANNED = Finding(7, 9, Rule.BANNED, "`rms_norm` is banned: write it by hand\n    return rms_norm(x)\n           ^^^^^^^^^^^")
MISTAKE = Diagnosis(("no-eps",), "There is no `eps`.\nAdd it.", ("test_rows[a]", "test_rows[b]"))


def check(name: str, outcome: Outcome = Outcome.PASSED, **rest: Any) -> Check:
    return Check(**{"name": name, "claim": "Rows are divided.", "kind": Kind.FORMULA, "outcome": outcome, "points": 2, **rest})


def report(*checks: Check, outcome: Outcome = Outcome.FAILED, **rest: Any) -> Report:
    given = {"exercise": "rms", "submission": "rms.py", "sandbox": "linux", "seed": 0, "duration_s": 0.1, "source": SOURCE}
    return Report(**{**given, "possible": sum(each.points for each in checks), "outcome": outcome, "checks": checks, **rest})


FAILED = report(
    check("test_rows[a]", Outcome.FAILED, differences=(MAPPED, MISSING), hint="Which `eps`?", stdout="printed 0.9\n", lines=(7,)),
    check("test_rows[b]", Outcome.FAILED, message="It raised a ValueError in line 7.", lines=(7,)),
    check("test_rows[c]"),
    check("test_once", Outcome.SKIPPED, kind=Kind.EDGE, claim="One value is refused.", message="it needs what is broken"),
    check("test_twice", Outcome.ERROR, kind=Kind.EDGE, claim="Two values are taken.", message="the suite is broken: KeyError: 'x'"),
    findings=(BANNED,),
    diagnoses=(MISTAKE, MISTAKE),
)
PASSED = report(check("test_rows"), outcome=Outcome.PASSED, exercise="centring", submission="centring.py")
NOT_STARTED = report(outcome=Outcome.NOT_STARTED, exercise="norm", submission="norm.py", possible=20)
UNREADABLE = report(findings=(Finding(3, 4, Rule.FILE, "rms.py is not UTF-8"),), source="", possible=8)
OPEN = replace(PASSED, sandbox="process", lost=("files: all of them",))
HOSTILE = (
    "<script>document.title='pwned'</script></style></title></code></pre></svg>\"><img src=x onerror=alert(1)>' onload=alert(1) "
    "<!-- ]]> &lt;b&amp; javascript:alert(1) \x1b]0;t\x07\x00\x08\x9b\u202e\ud800\udfff\ufffe\x7f"
)


def filled(say: Callable[[str], str], **rest: Any) -> Report:
    """Return a report in which every text is `say(name of its field)`."""
    described = replace(
        MISSING, place=Place(say("place")), called=say("called"), dtype=say("dtype"), expected=say("expected"), actual=say("actual")
    )
    numbers = replace(MAPPED, place=Place(say("map")), called=say("called"), dtype=say("dtype"), looks_like=say("looks_like"))
    raised = Raised(say("said"), 1, 1, 2, say("raising line"), say("function"), say("advice"))
    texts = {name: say(name) for name in ("name", "claim", "message", "hint", "stdout", "call")}
    spot = Spot(say("mistake"), 1, 1, 2, say("code"), say("remedy"))
    made = report(
        check(outcome=Outcome.FAILED, differences=(numbers, described), lines=(1,), raised=raised, **texts),
        check(outcome=Outcome.ERROR, raised=raised, **{**texts, "claim": say("second claim")}),
        check(outcome=Outcome.SKIPPED, raised=raised, **{**texts, "claim": say("third claim"), "message": say("skipped")}),
        exercise=say("exercise"),
        submission=say("submission"),
        sandbox=say("sandbox"),
        findings=(Finding(1, 1, Rule.BANNED, say("finding")),),
        diagnoses=(Diagnosis((say("mistake"), say("mistake")), say("says"), (say("name"), say("shown by")), (spot,)),),
        lost=(say("lost"),),
        source=say("source"),
        digest=say("digest"),
        course=say("course"),
        limits=(say("limit"),),
    )
    return replace(made, **rest)


HOSTILES = tuple(
    replace(filled(lambda name: HOSTILE), **rest)
    for rest in ({}, {"diagnoses": ()}, {"sandbox": "process"}, {"outcome": Outcome.NOT_STARTED}, {"outcome": Outcome.ERROR})
)
KINDS: dict[str, tuple[Report, ...]] = {
    "none": (),
    "failed": (FAILED,),
    "passed": (PASSED,),
    "not started": (NOT_STARTED,),
    "unreadable": (UNREADABLE,),
    "claims": (reveal(FAILED, "claims"),),
    "score": (reveal(FAILED, "score"),),
    "several": (FAILED, PASSED, NOT_STARTED, UNREADABLE, OPEN, FAILED),
    "hostile": HOSTILES,
}


def worst_report() -> Report:
    """Return a report with forty claims that fail in three cases each, every case with many numbers, a message and printed lines."""
    numbers = np.random.default_rng(0).normal(size=(4, 2, 8, 32))
    differences = (replace(difference(numbers, numbers * 2, 1e-6), looks_like="every value × 2"),) * 20
    claim = "Every position is normalised over its own last dimension, then scaled and shifted element by element, number {}."
    kinds = [kind for kind in Kind if kind is not Kind.PROOF]
    checks = [
        check(
            f"test_{number}[{case}]",
            Outcome.FAILED,
            kind=kinds[number % len(kinds)],
            claim=claim.format(number),
            differences=differences,
            message="step 1: something was wrong here\n" * 5,
            stdout="a line was printed here\n" * 1000,
            call="LayerNorm(7), input (4, 7)",
            lines=(number + 1,),
        )
        for number in range(40)
        for case in "abc"
    ]
    says = "The variance is divided by n − 1, which is what var and std do unless told otherwise. Divide by n: pass correction=0."
    spots = tuple(Spot(f"mistake-{number}", 3, 1, 6, "import torch", "pass correction=0") for number in range(5) for _twice in "ab")
    names = tuple(f"mistake-{number}" for number in range(5))
    diagnosis = Diagnosis(names, says * 5, tuple(each.name for each in checks[:20]), spots, texts=(says,) * 5)
    return report(
        *checks, diagnoses=(diagnosis, diagnosis), findings=(BANNED,) * 9, source=SOURCE * 20, limits=("It works for 4 dimensions.",)
    )


def page_of(*reports: Report) -> Page:
    return Page(render(reports, "html"))


def written(folder: Path, *reports: Report) -> Path:
    """Write the page on these reports to a file, and return its path."""
    path = folder / "report.html"
    path.write_text(render(reports, "html"), encoding="utf-8")
    return path
