"""Results as a gradebook keeps them, for its tests."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import sample_reports as reports

from normgrade.classes.hand_ins import HandIn, Origin, Result
from normgrade.report.render.json import report_as_json

ORIGIN = Origin("course", "program", {"normgrade": "0.1.0"}, 0)


def result(student: str = "Anna", slug: str = "batch_norm", earned: int = 0, content: bytes = b"x = 1\n", **rest: Any) -> Result:
    """Return the result of a failed hand-in."""
    hand_in = HandIn(student, slug, f"class/{student}/{slug}.py", content)
    made = Result.of(hand_in, content.hex(), json.dumps(report_as_json(reports.FAILED)), ORIGIN)
    return replace(made, earned=earned, **rest)
