"""A learner's way through a workspace, on the command line: begin, be wrong, be helped, be right, and look back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from normgrade import cli
from normgrade.cli.progress import ago, scores
from normgrade.course.course import Course, carried
from normgrade.course.mistakes import read_mistakes
from normgrade.language import LANGUAGES, speak
from normgrade.language.docstring import as_spoken
from normgrade.learner.attempts import Attempt, Attempts
from normgrade.report.report import Outcome

WRONG = "def rms(x, eps=1e-5):\n    return 0.5 * x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5\n"
NEXT = "Next is {0} (level {1}, {2}): `normgrade show {0}` shows the task, and {0}.py is where your code goes."
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The folder that commands run in."""
    return tmp_path


def test_alone_it_says_how_to_begin(run: Run) -> None:
    code, out, err = run()
    assert (code, err) == (0, "") and out.startswith("Begin with `normgrade init my-norms`")


def test_a_day(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run("init", "norms")
    assert code == 0 and out.startswith(f"4 files added to {here / 'norms'}.") and "prompts/rms.md" in out
    assert out.endswith(NEXT.format("rms", 1, "Functions"))
    monkeypatch.chdir(here / "norms" / "prompts")
    assert "not started" in run("list")[1]
    assert run("check")[0] == 1 and not (here / "norms/.normgrade").exists()  # an untouched stub is no attempt

    (here / "norms" / "rms.py").write_text(WRONG, encoding="utf-8")
    code, out, err = run("check", "rms")
    assert code == 1 and "rms · ../rms.py" in out, out + err
    assert "Go on with rms (level 1, Functions): " in run()[1]
    assert run("hint", "rms")[1] == "About what failed first at your last check: Average over the last dimension. (1 more hint)"
    assert run("hint", "rms")[1] == "Square, average, take the root. (That was the last one.)"
    assert run("hint", "rms")[1] == "There are no more hints for rms. `normgrade solution rms --spoil` shows the answer."
    code, _, err = run("solution", "rms")
    assert code == 2 and err.startswith("Error: rms has not passed yet, as far as is known here. `normgrade hint rms` helps;")
    assert "x / √(mean(x²) + eps), row by row" in run("solution", "rms", "--spoil")[1]

    (here / "norms" / "rms.py").write_bytes((tiny.root / "solutions/rms/alternatives/einsum.py").read_bytes())
    assert run("check", "rms")[0] == 0
    assert run("solution", "rms")[1].startswith('"""Root mean square.""" import torch')
    assert "torch.einsum(" in run("solution", "rms", "einsum")[1]
    assert run("solution", "rms", "einsom")[2] == 'Error: No right way of rms is called "einsom". Did you mean "einsum"? There are einsum.'

    out = run("progress")[1]
    assert re.search(r"rms 1 ✓ passed 2 \d+ 8 just now", out) and "1 of 2 passed, 2 attempts" in out
    assert out.endswith(NEXT.format("centring", 2, "Layers"))
    assert "passed" in run("list")[1]

    out = run("reset", "rms")[1]
    assert re.fullmatch(r"rms\.py is the stub again; your file is kept as \.normgrade/backups/rms-[\d-]+\.py\.", out)
    assert run("reset", "rms")[1] == "rms.py is the stub again; it held nothing of yours."
    assert run("init", "..")[1].startswith("Nothing is new: all is there already, in ")


@pytest.mark.parametrize("command", ["reset rms", "progress"])
def test_what_needs_a_workspace_says_so(command: str, run: Run, here: Path) -> None:
    code, out, err = run(*command.split())
    assert (code, out) == (
        2,
        "",
    ) and err == f'Error: "{here}" is in no workspace. Begin one with `normgrade init`, or go to the folder of yours.'


def test_a_diagnosis_is_the_hint_of_what_it_explains(run: Run, here: Path, tiny: Course) -> None:
    run("init", ".")
    [mistake] = [each for each in read_mistakes(tiny.exercise("rms")) if each.name == "sum-for-mean"]
    (here / "rms.py").write_text(mistake.source, encoding="utf-8")
    assert "sum-for-mean" in run("check", "rms")[1]
    assert run("hint", "rms")[1] == (
        "The diagnosis of your last check was sum-for-mean: The squares are added up. Average them. (1 more hint)"
    )
    assert run("hint", "rms")[1] == "Square, average, take the root. (That was the last one.)"


def test_hints_that_an_older_normgrade_kept_are_told_by_the_rule_of_today(run: Run, here: Path) -> None:
    run("init", ".")
    every = ("Average over the last dimension.", "Take the last dimension, wherever it is.")
    attempts = [Attempt(datetime.now(UTC), "rms", Outcome.FAILED, 1, 8, mistakes, every) for mistakes in ((), ("sum-for-mean", "gone"))]
    progress = Attempts(here / ".normgrade/progress.db")
    progress.add(attempts[:1])
    assert run("hint", "rms")[1] == "About what failed first at your last check: Average over the last dimension. (1 more hint)"
    progress.add(attempts[1:])
    assert run("hint", "rms")[1].startswith("The diagnosis of your last check was sum-for-mean: ")
    assert run("hint", "rms")[1] == "Square, average, take the root. (That was the last one.)"


def test_after_passing_nothing_is_hinted_at_and_the_next_exercise_is_named(run: Run, here: Path, tiny: Course) -> None:
    run("init", ".")
    progress = Attempts(here / ".normgrade/progress.db")
    progress.add([Attempt(datetime.now(UTC), "rms", Outcome.PASSED, 8, 8)])
    out = run("hint", "rms")[1]
    assert out == f"rms passed at your last check: nothing is left to hint at. {NEXT.format('centring', 2, 'Layers')}"
    assert progress.given("rms") == set()


def test_hints_have_numbers_where_there_is_no_workspace(run: Run, edited_course: Callable[..., Course]) -> None:
    assert run("hint", "rms") == (0, "Square, average, take the root. (That was the last one.)", "")
    none = "There are no more hints for {}. `normgrade solution {} --spoil` shows the answer."
    assert run("hint", "rms", "2")[:2] == (0, none.format("rms", "rms"))
    assert run("hint", "centring")[:2] == (0, none.format("centring", "centring"))
    course = edited_course({"exercises/rms/exercise.toml": [('["Square', '["Look.", "Square')], "course.toml": 'reveal = "claims"\n'})
    of_two = ("hint", "rms", "--course", str(course.root))
    assert run(*of_two)[1] == "Look. (1 of 2; `normgrade hint rms 2` gives the next)"
    assert run(*of_two, "3")[1] == "There are no more hints for rms."


def test_a_solution_on_a_pipe_is_a_file_that_passes(
    run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for way, path in ((), tiny.exercise("rms").reference), (("einsum",), tiny.exercise("rms").alternatives[0]):
        assert cli.run(["solution", "rms", *way, "--spoil"]) == 0
        printed = capsys.readouterr().out
        assert printed == path.read_text(encoding="utf-8")
        (here / "rms.py").write_text(printed, encoding="utf-8")
        assert run("check", "rms.py")[0] == 0


def without_docstring(source: str) -> str:
    return source.partition('"""')[2].partition('"""')[2]


@pytest.mark.parametrize(("language", "begins"), [("en", "The sums are contractions: "), ("zh", "求和写成缩并：")])
def test_a_solution_speaks_one_language(language: str, begins: str, run: Run) -> None:
    out = run("solution", "layer_norm", "einsum_statistics", "--spoil", "--course", str(carried()), "--lang", language)[1]
    speak("en")
    assert out.startswith(f'"""{begins}') and '""" import math from' in out and "zh:" not in out


ALTERNATIVES = [path for exercise in Course.find() for path in (exercise.reference, *exercise.alternatives)]


def test_every_solution_speaks_each_language_and_its_code_stays() -> None:
    texts = [path.read_text(encoding="utf-8") for path in ALTERNATIVES]
    for language in LANGUAGES:
        speak(language)
        told = list(map(as_spoken, texts))
        speak("en")
        assert list(map(without_docstring, told)) == list(map(without_docstring, texts))
        assert not any("zh:" in each.partition("import")[0] for each in told)
        assert list(map(as_spoken, told)) == told


@pytest.mark.parametrize("level", ["claims", "score"])
def test_a_course_that_reveals_less_keeps_its_solutions(level: str, run: Run, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"course.toml": f'reveal = "{level}"\n'})
    code, out, err = run("solution", "rms", "--spoil", "--course", str(course.root))
    assert (code, out) == (2, "")
    assert err == f'Error: The course keeps the solution of rms to itself: it reveals "{level}", and not everything.'


def test_only_what_lies_in_the_workspace_is_kept(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    run("init", "norms")
    monkeypatch.chdir(here / "norms")
    assert run("check", "--exercise", "rms", str(tiny.exercise("rms").reference))[0] == 0
    assert Attempts(here / "norms/.normgrade/progress.db").attempts() == []


def test_progress_that_cannot_be_kept_changes_no_verdict(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    run("init", ".")
    (here / ".normgrade").write_text("in the way", encoding="utf-8")
    (here / "rms.py").write_bytes(tiny.exercise("rms").reference.read_bytes())
    code, out, err = run("check", "rms")
    assert code == 0 and "8 of 8 points · passed" in out
    assert err.startswith('Note: What was tried cannot be kept in "') and "Traceback" not in err


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(0, "just now"), (1, "1 minute ago"), (59, "59 minutes ago"), (60, "1 hour ago"), (2881, "2 days ago"), (-5, "just now")],
)
def test_how_long_ago(minutes: int, words: str) -> None:
    assert ago(timedelta(minutes=minutes)) == words


def test_scores_alike_are_counted() -> None:
    tried = [Attempt(datetime.now(UTC), "rms", Outcome.FAILED, earned, 8) for earned in (3, 3, 5, 8)]
    assert scores(tried) == "3×2 5 8" and scores([]) == ""
    assert scores([replace(tried[0], earned=earned % 8) for earned in range(20)]).startswith("… ")
