"""Tests of proofs in GitHub Actions: annotations, the files and lines that they lead to, and summaries."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from normgrade.course.course import Course
from normgrade.language import speak
from normgrade.report.report import Check, Kind, Outcome, Report
from normgrade.verify.on_github import annotated, problems_in, summary
from normgrade.verify.verification import verify

EditedCourse = Callable[..., Course]


def proof(name: str, message: str = "", outcome: Outcome = Outcome.FAILED, points: int = 1) -> Check:
    return Check(name, f"The claim of {name}.", Kind.PROOF, outcome, points, message=message)


def report(exercise: str, *checks: Check) -> Report:
    failed = any(check.outcome is Outcome.FAILED for check in checks)
    outcome = Outcome.FAILED if failed else Outcome.PASSED
    return Report(exercise, f"solutions/{exercise}", outcome, possible=9, sandbox="none", seed=0, duration_s=0.0, checks=checks)


@pytest.fixture
def in_a_repository(edited_course: EditedCourse, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course in a folder of a repository."""
    repository = tmp_path_factory.mktemp("repository")
    (repository / ".git").mkdir()
    return Course(shutil.copytree(edited_course({}).root, repository / "week"))


def test_annotations_name_files_from_the_root_of_the_repository(in_a_repository: Course) -> None:
    found = annotated([report("rms", proof("named", "no-upcast, seed 0: not recognised."))], in_a_repository)
    assert found == [
        "::error file=week/solutions/rms/mistakes.toml,line=13,title=rms · The claim of named.::no-upcast, seed 0: not recognised."
    ]


def test_every_report_has_its_turn(in_a_repository: Course) -> None:
    many = [proof(name, "It is wrong.") for name in ("contract", "points", "right")]
    found = annotated([report("rms", *many), report("centring", proof("stub", "It passes."))], in_a_repository)
    assert [line.partition("title=")[2].partition("::")[0] for line in found] == [
        "rms · The claim of contract.",
        "centring · The claim of stub.",
        "rms · The claim of points.",
        "rms · The claim of right.",
    ]


def test_ten_errors_are_annotated(in_a_repository: Course) -> None:
    reports = [report("rms", proof("stub", "It passes.")) for _time in range(12)]
    first, *errors = annotated(reports, in_a_repository)
    assert (first, len(errors)) == ("::notice::2 more annotations are not shown.", 10)


def test_proved_course_has_no_annotation(in_a_repository: Course) -> None:
    assert annotated([report("rms", proof("stub", outcome=Outcome.PASSED))], in_a_repository) == []


def test_summary_counts_and_folds(in_a_repository: Course) -> None:
    right = proof("stub", outcome=Outcome.PASSED)
    undecided = proof("named", "undecided: the reference itself fails", Outcome.SKIPPED)
    unshipped = proof("shipped", "Missing: spreads.xz.", Outcome.SKIPPED, points=0)
    reports = [report("rms", right, undecided, unshipped, proof("right", "a < b\n<b>")), report("a|b", right)]
    assert "".join(summary(reports)) == (
        "| exercise | proved | failed | undecided |\n|---|--:|--:|--:|\n| ✗ rms | 1 | 1 | 1 |\n| ✓ a&#124;b | 1 | 0 | 0 |\n\n"
        "<details><summary>rms&#58; 2 claims are not proved</summary>\n\n"
        "– The claim of named&#46;\n\n<pre>undecided: the reference itself fails</pre>\n\n"
        "✗ The claim of right&#46;\n\n<pre>a &lt; b\n&lt;b&gt;</pre>\n\n"
        "</details>\n\n"
    )


# The places of problems

RMS = "solutions/rms"
MORE = '\n["no-root.1"]\nsays = "No root."\nedit = [[".sqrt()", ""]]\n\n[no-root]\nsays = "No root."\nedit = [[".sqrt()", ""]]\n'
TWICE = '\n[wrong.twice]\nwhat = "eps twice"\nedit = [["mean_square + eps", "mean_square + 2 * eps"]]\n'


def places_of(course: Course, name: str, *lines: str, exercise: str = "rms") -> list[tuple[str, int]]:
    found = problems_in(report(exercise, proof(name, "\n".join(lines))), course)
    return [(problem.path.relative_to(course.root).as_posix(), problem.line) for problem in found]


@pytest.fixture(scope="module")
def course(edited_course: EditedCourse, tiny: Course) -> Course:
    """Return the tiny course with files of every kind."""
    more = (tiny.root / RMS / "mistakes.toml").read_text(encoding="utf-8") + MORE + TWICE
    return edited_course(
        {
            f"{RMS}/mistakes.toml": more,
            f"{RMS}/banned/torch_rms.py": "import torch\n",
            "exercises/rms/README.md": "# RMS\n\nOne.\n\n## Contract\n\nTODO\n",
            "exercises/rms/exercise.toml": [('title = "', '# "torch.nothing*"\n\ntitle = "')],
            "solutions/mistakes.toml": "[idle]\n",
        }
    )


@pytest.mark.parametrize(
    ("name", "line", "at"),
    [
        ("complete", "exercises/rms/README.zh.md is missing.", ("exercises/rms/exercise.toml", 1)),  # no file of this course
        ("complete", "exercises/rms/README.md: 1 line contains TODO: line 7.", ("exercises/rms/README.md", 7)),
        ("complete", 'exercises/rms/README.md: the section "Contract" is empty.', ("exercises/rms/README.md", 5)),
        ("complete", "/tmp/x/exercises/rms/exercise.toml: points: must be a number, not 'a'.", ("exercises/rms/exercise.toml", 7)),
        ("complete", "/tmp/x/solutions/rms/mistakes.toml: no-upcast.edit: must be a list, not 'a'.", (f"{RMS}/mistakes.toml", 13)),
        ("contract", "einsum.py, line 4: rms lacks eps", (f"{RMS}/alternatives/einsum.py", 4)),
        ("contract", "rms.py, line 2: rms lacks eps", ("exercises/rms/rms.py", 2)),
        ("bans", 'exercise.toml: "torch.nothing*" matches nothing that exists.', ("exercises/rms/exercise.toml", 1)),
        ("bans", 'course.toml: "torch.nn.*Norm*" matches nothing that exists.', ("course.toml", 3)),
        ("points", "The sum is 8.", ("tests/hidden/test_rms.py", 1)),
        ("texts", "solutions/rms/mistakes.toml does not translate 'a'.", (f"{RMS}/mistakes.toml", 1)),
        ("texts", 'einsum.py: the docstring has no paragraph that begins with "zh: ".', (f"{RMS}/alternatives/einsum.py", 1)),
        ("shipped", f"{RMS}/mistakes.toml: It is damaged.", (f"{RMS}/mistakes.toml", 1)),
        ("stub", "It passes.", ("exercises/rms/rms.py", 1)),
        ("right", "einsum.py, seed 0: test_rows[shape0] failed · result", (f"{RMS}/alternatives/einsum.py", 1)),
        ("right", "reference.py, seed 0: test_rows[shape0] failed", (f"{RMS}/reference.py", 1)),
        ("wrong", "twice (eps twice), seed 0: passes every check.", (f"{RMS}/mistakes.toml", 25)),
        ("wrong", "no-root.1, seed 0: passes every check.", (f"{RMS}/mistakes.toml", 17)),
        ("named", "no-root, seed 0: diagnosed as no-upcast.", (f"{RMS}/mistakes.toml", 21)),
        ("named", "no-upcast: the result of test_rows differs from the recorded one.", (f"{RMS}/mistakes.toml", 13)),
        ("banned", "banned/torch_rms.py: it is not refused.", (f"{RMS}/banned/torch_rms.py", 1)),
        ("mutants", "line 9: `a` → `b` survives.", (f"{RMS}/reference.py", 9)),
        ("habits", "output-cast survives: the output is cast", ("tests/hidden/test_rms.py", 1)),
        ("habits", "torch.nothing* is left out, but does not survive.", ("exercises/rms/exercise.toml", 1)),
        ("shared", "solutions/mistakes.toml: no exercise uses idle. Remove it.", ("solutions/mistakes.toml", 1)),
    ],
)
def test_each_problem_has_its_file_and_line(name: str, line: str, at: tuple[str, int], course: Course) -> None:
    assert places_of(course, name, line) == [at]


def test_a_missing_file_is_the_place(course: Course) -> None:
    lines = "exercises/draft/draft.py is missing.", "tests/hidden/test_draft.py is missing."
    assert places_of(course, "complete", *lines, exercise="draft") == [("exercises/draft/draft.py", 1), ("tests/hidden/test_draft.py", 1)]


def test_problem_of_no_place_goes_to_the_settings(course: Course) -> None:
    assert places_of(course, "shared", "Something.", exercise="shared") == [("course.toml", 1)]


def test_suite_is_shown_at_the_test(course: Course) -> None:
    suite = course.files("rms").suite.read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(suite, 1) if text.startswith("def test_alone("))
    assert places_of(course, "suite", "ValueError: no (test_alone and 2 more checks)") == [("tests/hidden/test_rms.py", line)]


def test_a_line_without_a_place_joins_the_one_before(course: Course) -> None:
    lines = ("no-root, seed 0: not recognised.", "no-upcast, seed 0: not recognised.", "Run `normgrade verify rms` to see all of it.")
    found = problems_in(report("rms", proof("named", "\n".join(lines))), course)
    assert [problem.text.splitlines() for problem in found] == [[lines[0]], [*lines[1:]]]


def test_problems_of_one_place_are_one(course: Course) -> None:
    lines = "einsum.py, seed 0: test_rows[shape0] failed", "reference.py, seed 0: a", "einsum.py, seed 1: test_alone failed"
    found = problems_in(report("rms", proof("right", "\n".join(lines))), course)
    assert [problem.text.splitlines() for problem in found] == [[lines[0], lines[2]], [lines[1]]]


def test_proofs_that_hold_have_no_problem(tiny: Course) -> None:
    assert problems_in(report("rms", proof("stub", "undecided", Outcome.SKIPPED)), tiny) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_real_proofs_lead_to_their_places(language: str, edited_course: EditedCourse, tiny: Course, expectations: object) -> None:
    source = (tiny.root / RMS / "reference.py").read_text(encoding="utf-8")
    mistakes = (tiny.root / RMS / "mistakes.toml").read_text(encoding="utf-8")
    same = '[same]\nsays = "Nothing."\nedit = [["mean_square + eps", "eps + mean_square"]]\n'
    course = edited_course(
        {
            f"{RMS}/alternatives/bad.py": source.replace("mean_square + eps", "mean_square + 2 * eps"),
            f"{RMS}/mistakes.toml": f"{mistakes}\n{same}",
            "exercises/rms/exercise.toml": [("points = 8", "points = 9")],
        }
    )
    speak(language)
    [found] = verify([course.exercise("rms")])
    at = {problem.proof.name: (problem.path.relative_to(course.root).as_posix(), problem.line) for problem in problems_in(found, course)}
    assert at == {
        "points": ("tests/hidden/test_rms.py", 1),
        "right": (f"{RMS}/alternatives/bad.py", 1),
        "wrong": (f"{RMS}/mistakes.toml", mistakes.count("\n") + 2),
    }
