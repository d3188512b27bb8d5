"""A measurement of whether a change of the grader changes a verdict: every answer that the course knows is graded before and after it.

    python tests/benchmarks/same.py FILE [--sample N] [SLUG]…

The answers are the references, alternatives, known mistakes, wrong and banned answers of the course, and those of tests/grader/wild. If
FILE does not exist, their outcomes, points, names of mistakes and lines are written to it, with --sample those of one of every N known
mistakes, wrong and wild answers. If it exists, the same answers are graded again, and each difference is shown. The exit code is 1 if
there is one.

Run it once in a checkout from before the change, and once in one from after it, with the same FILE.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import read_mistakes, read_wrong

sys.path.insert(0, str(Path(__file__).parents[1] / "grader" / "harness"))

from wild import wild_submissions

GRADE = "import sys; from normgrade.__main__ import main; sys.exit(main())"


def answers_of(exercise: Exercise, sample: int) -> Iterator[tuple[str, str]]:
    """Yield a name and the source of each answer of an exercise."""
    for path in (exercise.reference, *exercise.alternatives, *exercise.refused):
        yield f"{path.parent.name}.{path.stem}", path.read_text(encoding="utf-8")
    for mistake in read_mistakes(exercise)[::sample]:
        yield f"mistake.{mistake.name}", mistake.source
    for answer in read_wrong(exercise)[::sample]:
        yield f"wrong.{answer.name}", answer.source
    for wild in [each for each in wild_submissions() if each.slug == exercise.slug][::sample]:
        yield f"wild.{wild.name}", wild.source


def graded(answers: Mapping[tuple[str, str], str], folder: Path) -> Iterator[dict[str, Any]]:
    """Grade answers by slug and name as the hand-ins of a class, and yield what is kept of each report."""
    for (slug, name), source in answers.items():
        path = folder / "class" / name / f"{slug}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    options = ["--layout", "{student}/{exercise}.py", "--format", "jsonl", "--gradebook", str(folder / "gradebook.db")]
    command = [sys.executable, "-c", GRADE, "grade", str(folder / "class"), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        for line in process.stdout:
            report = json.loads(line)
            name = Path(report["submission"]).parent.name
            yield kept(report, name, answers[report["exercise"], name])


def kept(report: Mapping[str, Any], name: str, source: str) -> dict[str, Any]:
    """Return the parts of a report that a change must not change."""
    return {
        "exercise": report["exercise"],
        "name": name,
        "source": hashlib.sha256(source.encode()).hexdigest()[:12],
        "outcome": report["outcome"],
        "points": report["score"]["earned"],
        "findings": [[each["rule"], each["line"]] for each in report["findings"]],
        "mistakes": [each["mistakes"] for each in report["diagnoses"]],
        "lines": [[[spot["mistake"], spot["line"]] for spot in each["spots"]] for each in report["diagnoses"]],
        "unexplained": report["unexplained"],
        "failed": sorted(each["name"] for each in report["checks"] if each["outcome"] != "passed"),
    }


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [f"    {name}: {before[name]} → {after[name]}" for name in before if before[name] != after[name]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("slug", nargs="*")
    parser.add_argument("--sample", type=int, default=1, metavar="N")
    given = parser.parse_intermixed_args()
    exercises = [each for each in Course.find() if not given.slug or each.slug in given.slug]
    before = {}
    if given.file.exists():
        read = map(json.loads, given.file.read_text(encoding="utf-8").splitlines())
        before = {(each["exercise"], each["name"]): each for each in read}
    sample = 1 if before else given.sample
    answers = {(each.slug, name): source for each in exercises for name, source in answers_of(each, sample)}
    changed = 0
    with TemporaryDirectory() as folder:
        if not before:
            with given.file.open("w", encoding="utf-8") as file:
                for result in graded(answers, Path(folder)):
                    print(json.dumps(result, ensure_ascii=False), file=file, flush=True)
            return 0
        slugs = {each.slug for each in exercises}
        wanted = {key: source for key, source in answers.items() if key in before}
        for slug, name in sorted(key for key in before.keys() - wanted.keys() if key[0] in slugs):
            changed += 1
            print(f"{slug} {name}\n    is no longer an answer of the course", flush=True)
        for after in graded(wanted, Path(folder)):
            key = after["exercise"], after["name"]
            if found := differences(before[key], after):
                changed += 1
                print("{} {}\n{}".format(*key, "\n".join(found)), flush=True)
    print(f"{len(wanted)} answers graded again: {changed} differ")
    return int(changed > 0)


if __name__ == "__main__":
    sys.exit(main())
