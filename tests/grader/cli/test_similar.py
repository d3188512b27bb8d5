"""Tests of the command `similar`: ranks and how usual they are, a pair, files that are left out, formats, and wrong usage."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from class_of import hand_in, other_words, own_way
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in

from normgrade.classes.hand_ins import HandedIn, HandIn, LeftOut
from normgrade.cli import class_paths
from normgrade.course.course import Course

Invoke = Callable[..., subprocess.CompletedProcess[str]]
Run = Callable[..., tuple[int, str, str]]
CLASS = {f"Student {number:02}": own_way(number) for number in range(11)} | {"Copy": other_words(own_way(3))}
RATE = "12 answers are compared, in 66 pairs. Half of these score at most 0.00, and 95 % at most "
ADVICE = 'Answers can be alike for many reasons. Read both before you judge: --pair "Copy" "Student 03" shows them.'


@pytest.fixture
def class_of_12(here: Path) -> Path:
    hand_in(here / "hw", dict(CLASS))
    return here / "hw"


def test_most_alike_pair_is_first_with_its_base_rate(invoke: Invoke, class_of_12: Path) -> None:
    said = invoke("similar", "hw", "--top", "2")
    lines = said.stdout.splitlines()
    assert (said.returncode, said.stderr, lines[0]) == (0, "", "rms")
    assert " ".join(lines[1:3]).startswith(RATE)
    assert lines[3].split() == ["student", "student", "score", "pairs", "that", "score", "as", "high"]
    assert lines[4].split() == ["1", "Copy", "Student", "03", "1.00", "1", "of", "66"]
    assert lines[5].split()[0] == "2" and float(lines[5].split()[-4]) < 0.5
    assert " ".join(lines[-2:]) == ADVICE and len(lines) == 9
    assert max(map(len, lines)) <= 80


def test_words_accuse_nobody(invoke: Invoke, class_of_12: Path) -> None:
    said = "".join(invoke("similar", *more).stdout for more in (["hw"], ["hw", "--pair", "Copy", "Student 03"], ["--help"])).lower()
    assert [word for word in ("copied", "cheat", "plagiar", "suspect", "fraud", "guilty", "stolen") if word in said] == []


def test_a_small_class_is_told_that_it_cannot_tell(run: Run, tmp_path: Path) -> None:
    hand_in(tmp_path / "hw", {name: CLASS[name] for name in ("Copy", "Student 03", "Student 04")})
    code, out, _err = run("similar", "hw")
    assert code == 0 and " of 3" not in out
    assert out.startswith(
        "rms 3 answers are compared. To tell how usual a score is, a class needs at least 10. student student score 1 Copy"
    )


def test_identical_files_and_short_ones_are_named(run: Run, tmp_path: Path, tiny: Course) -> None:
    stub = tiny.exercise("rms").stub.read_bytes()
    twins = {name: own_way(1) + "\n" * number for number, name in enumerate("ABCDEFGH")}
    hand_in(tmp_path / "hw", {**twins, "New": stub, "Newer": stub, "Other": own_way(2)})
    out = run("similar", "hw")[1]
    assert "The files of A, B, C, D, E and 3 more are identical except for whitespace." in out
    assert "Too short to tell, without the code that comes with the exercise: New and Newer." in out
    assert out.startswith("rms 2 answers are compared.")


@pytest.mark.parametrize("number", [0, 1])
def test_too_few_answers_are_no_pair(number: int, run: Run, tmp_path: Path) -> None:
    hand_in(tmp_path / "hw", {"A": own_way(1) if number else b"def rms(x, eps): return x\n"})
    said = {0: "0 answers can be compared, and a pair takes two.", 1: "1 answer can be compared, and a pair takes two."}[number]
    assert run("similar", "hw")[1].startswith(f"rms {said}")


def test_an_empty_class_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "hw").mkdir()
    code, out, err = run("similar", "hw")
    assert (code, out, err) == (2, "", 'Error: There is no Python file in "hw": pass the folder or the zip file of a class.')


def test_a_file_that_is_not_python_is_left_out(run: Run, tmp_path: Path) -> None:
    hand_in(tmp_path / "hw", {**CLASS, "Broken": "def rms(:\n"})
    code, out, err = run("similar", "hw")
    assert (code, err) == (0, "Left out: hw/Broken/rms.py: The file is not valid Python: invalid syntax.")
    assert out.startswith(f"rms {RATE}")


def test_pair_shows_both_with_shared_lines_marked(invoke: Invoke, class_of_12: Path) -> None:
    said = invoke("similar", "hw", "--pair", "Copy", "Student 03").stdout
    lines = [line.rstrip() for line in said.splitlines()]
    assert lines[0] == "rms · Copy · Student 03"
    assert lines[1].startswith("Score 1.00: of ") and lines[1].endswith(" they share 7. As high: 1 of 66")
    title = lines.index("      Copy")
    assert lines[title + 1 : title + 3] == ["    1 def rms(values, eps):  # a step", "▌   2     found = values " + operator(2) + " eps"]
    other = lines.index("      Student 03")
    assert title < other and "▌  13     y = x " + operator(13) + " eps" in lines[other:]
    assert " ".join(said.split()).endswith(
        "A mark stands at lines with code that both have. Answers can be alike for many reasons: read both before you judge."
    )


def operator(line: int) -> str:
    return own_way(3).splitlines()[line - 1].split()[-2]


def test_wide_terminal_shows_a_pair_side_by_side(invoke: Invoke, class_of_12: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    lines = invoke("similar", "hw", "--pair", "Copy", "Student 03").stdout.splitlines()
    both = next(line for line in lines if "   2     found" in line)
    shown = [side.strip() for side in both.split("▌")]
    assert shown == ["", f"2     found = values {operator(2)} eps", f"2     y = x {operator(2)} eps"] and both.rindex("▌") == 70


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("Copi", "Student 03"), 'No answer of "Copi" was found. Did you mean "Copy"? Run the command without --pair to see the names.'),
        (("Copy", "Xi"), 'No answer of "Xi" was found. Run the command without --pair to see the names.'),
        (
            ("Copy", "Short"),
            "Copy and Short have no answers to compare: to no exercise have both written enough of their own. "
            "Run the command without --pair to see the names.",
        ),
    ],
)
def test_a_pair_without_answers_is_explained(names: tuple[str, str], sentence: str, run: Run, tmp_path: Path) -> None:
    hand_in(tmp_path / "hw", {**CLASS, "Short": "def rms(x, eps): return x\n"})
    assert run("similar", "hw", "--pair", *names) == (2, "", f"Error: {sentence}")


def test_json_has_the_numbers_and_lines(invoke: Invoke, class_of_12: Path) -> None:
    hand_in(class_of_12, {"Broken": "def rms(:\n"})
    said = json.loads(invoke("similar", "hw", "--format", "json", "--top", "1").stdout)
    assert said["version"] == 1 and said["left_out"] == [
        {"file": "hw/Broken/rms.py", "why": "The file is not valid Python: invalid syntax."}
    ]
    (rms,) = said["exercises"]
    assert (rms["exercise"], rms["compared"], rms["pairs"], rms["median"]) == ("rms", 12, 66, 0.0)
    assert rms["too_short"] == rms["identical"] == [] and 0 <= rms["percentile_95"] < 0.5
    (pair,) = rms["alike"]
    assert pair == {
        "students": ["Copy", "Student 03"],
        "score": 1.0,
        "of_both": 1.0,
        "shared": 7,
        "own": [7, 7],
        "score_as_high": 1,
        "lines": [[[2, 14]], [[2, 14]]],
    }


def test_json_of_a_small_class_tells_no_base_rate(invoke: Invoke, here: Path) -> None:
    hand_in(here / "hw", {name: CLASS[name] for name in ("Copy", "Student 03")})
    (rms,) = json.loads(invoke("similar", "hw", "--format", "json").stdout)["exercises"]
    assert rms["median"] is rms["percentile_95"] is rms["alike"][0]["score_as_high"] is None


@pytest.mark.parametrize("suffix", [".txt", ".json"])
def test_output_writes_a_file_and_may_overwrite_it(suffix: str, invoke: Invoke, class_of_12: Path, here: Path) -> None:
    path, shown = here / f"alike{suffix}", invoke("similar", "hw", "--format", {".txt": "terminal", ".json": "json"}[suffix]).stdout
    for _time in range(2):
        assert (invoke("similar", "hw", "--output", path).returncode, invoke("similar", "hw", "--output", path).stdout) == (0, "")
        written = path.read_text(encoding="utf-8")
        assert [line.rstrip() for line in written.splitlines()][-9:] == [line.rstrip() for line in shown.splitlines()][-9:]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--format junit", "`normgrade similar` has no format junit. Use --format terminal or --format json, or a FILE in .txt or .json."),
        ("--output a.html", "`normgrade similar` has no format html. Use --format terminal or --format json, or a FILE in .txt or .json."),
        ("--top 0", '--top must be a whole number from 1 to 10000, not "0".'),
        ("--exercise rmss", 'No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.'),
        ("--output .", 'Nothing can be written to "." (it is a folder). Use --output PATH to choose another place.'),
    ],
)
def test_wrong_options_are_explained(arguments: str, sentence: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "hw").mkdir()
    assert run("similar", "hw", *arguments.split()) == (2, "", f"Error: {sentence}")


def test_exercise_option_names_the_exercise_of_all_files(run: Run, tmp_path: Path) -> None:
    hand_in(tmp_path / "hw", dict(CLASS))
    for path in (tmp_path / "hw").rglob("*.py"):
        path.rename(path.with_name("answer.py"))
    assert "12 answers are compared" in run("similar", "hw", "--exercise", "rms")[1]


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_texts_steer_nothing(text: str, invoke: Invoke, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comment = " ".join(text.split()).replace("\0", "").encode(errors="ignore")
    source = own_way(1).encode() + b"# " + comment + b"\n"
    found = HandedIn((HandIn(text, "rms", "a", source), HandIn("B", "rms", "b", own_way(1).encode())), (LeftOut(text, "It is a link."),))
    monkeypatch.setattr(class_paths, "handed_in", lambda *_: found)
    for more in ((), ("--pair", text, "B")):
        said = invoke("similar", "hw", *more)
        assert said.returncode == 0
        shown = said.stdout + said.stderr
        assert (steering_in(shown), commands_in(shown)) == (set(), [])
