"""The command `verify`: exit codes and reports of proofs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

from normgrade.course.course import Course

EditedCourse = Callable[..., Course]
Invoke = Callable[..., subprocess.CompletedProcess[str]]


def test_verify_proves_the_course_that_is_named(invoke: Invoke) -> None:
    said = invoke("verify", "rms", "rms", "--format", "json")
    [report] = json.loads(said.stdout)["reports"]
    assert (said.returncode, said.stderr) == (0, "")
    assert (report["exercise"], report["submission"], report["outcome"]) == ("rms", "solutions/rms", "passed")


def test_verify_fails_where_a_proof_fails(invoke: Invoke, edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("points = 8", "points = 9")]})
    said = invoke("verify", "rms", "--course", course.root)
    text = " ".join(said.stdout.split())
    assert said.returncode == 1 and "✗ The points of the suite sum to 9." in text and "They sum to 8." in text
