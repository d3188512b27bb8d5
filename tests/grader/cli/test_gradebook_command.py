"""Tests of `normgrade gradebook`: marks in words, as CSV, set by hand and forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in
from kept_results import result

from normgrade.classes.gradebook import Gradebook
from normgrade.report.report import Outcome

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def gradebook(run: Run, tmp_path: Path) -> Path:
    """Write a gradebook with three students."""
    path = tmp_path / "gradebook.db"
    with Gradebook.open(path, make=True) as opened:
        opened.enrol({"Anna": "7", "Bob": "", "Cem": "9"})
        opened.keep([result("Anna", "rms", 2), replace(result("Anna", "centring", 10), outcome=Outcome.PASSED, mistakes=())])
        opened.keep([result("Bob", "rms", 6)])
    return path


def test_show_names_every_student_and_mark(run: Run, gradebook: Path) -> None:
    assert run("gradebook", "show") == (0, "Anna: centring 10, rms 2 Bob: rms 6 Cem: nothing", "")


def test_show_of_a_student_has_every_result(run: Run, gradebook: Path) -> None:
    run("gradebook", "override", "Anna", "rms", "3.5", "--why", "oral exam", "--who", "Ms Li")
    code, out, _err = run("gradebook", "show", "Anna")
    assert code == 0
    assert "rms, attempt 1, graded on 20" in out and "2 of 14 points, failed biased-running-variance" in out
    assert "rms: set to 3.5 (was 2) by Ms Li on " in out and out.endswith(": oral exam")
    assert "rms 3.5*" in run("gradebook", "show")[1] and run("gradebook", "show")[1].endswith("* set by a person")


def test_show_of_a_student_and_exercise_is_the_report(run: Run, gradebook: Path) -> None:
    code, out, _err = run("gradebook", "show", "Bob", "rms")
    assert code == 0 and "class/Bob/rms.py" in out and "biased-running-variance" in out
    assert '"submission": "class/Bob/rms.py"' in run("gradebook", "show", "Bob", "rms", "--format", "json")[1]


def test_export_writes_csv(run: Run, gradebook: Path, tmp_path: Path) -> None:
    assert run("gradebook", "export", "--output", "marks.csv", "--bom") == (0, "", "")
    content = (tmp_path / "marks.csv").read_bytes()
    assert content.startswith(
        b'\xef\xbb\xbf"student","id","centring","rms","total","possible","percent","late"\r\n"Anna","7",10,2,12,28,42.86,""\r\n'
    )
    assert run("gradebook", "export")[1].startswith(
        '"student","id","centring","rms","total","possible","percent","late" "Anna","7",10,2,12'
    )


def test_export_without_names_has_none(run: Run, gradebook: Path) -> None:
    out = run("gradebook", "export", "--anonymous")[1]
    assert not any(name in out for name in ("Anna", "Bob", "Cem")) and ",10,2,12,28," in out


def test_export_for_canvas_has_its_titles(run: Run, gradebook: Path) -> None:
    out = run("gradebook", "export", "--format", "canvas", "--title", "rms=RMS (4711)")[1]
    titles = '"Student","ID","SIS Login ID","Section","RMS (4711)" " Points Possible","","","",14 '
    assert out == titles + '"Anna","7","","",2 "Bob","","","",6 "Cem","9","","",""'


def test_override_tells_both_marks(run: Run, gradebook: Path) -> None:
    assert run("gradebook", "override", "Anna", "rms", "5", "--why", "x")[1] == "Anna, rms: 5 points count, not 2."
    assert run("gradebook", "override", "Anna", "rms", "none", "--why", "x")[1] == "Anna, rms: 2 points count, not 5."
    assert run("gradebook", "override", "Cem", "rms", "4", "--why", "x")[1] == "Cem, rms: 4 points count, not none."


def test_a_student_may_be_named_by_the_id(run: Run, gradebook: Path) -> None:
    assert run("gradebook", "override", "9", "rms", "4", "--why", "x")[1] == "Cem, rms: 4 points count, not none."
    assert run("gradebook", "show", "7")[1].startswith("Anna ")
    with Gradebook.open(gradebook) as opened:
        opened.enrol({"Dan": "9"})
    assert 'No student "9" is in the gradebook.' in run("gradebook", "show", "9")[2]


def test_late_hand_ins_are_told(run: Run, gradebook: Path) -> None:
    with Gradebook.open(gradebook) as opened:
        opened.keep([result("Cem", "rms", 3, late=True)])
    assert "Cem: rms 3 (late)" in run("gradebook", "show")[1]
    assert "rms, attempt 1 (late), graded on" in run("gradebook", "show", "Cem")[1]
    assert run("gradebook", "export")[1].endswith('"Cem","9","",3,3,28,10.71,"rms"')


def test_forget_deletes_a_student(run: Run, gradebook: Path) -> None:
    assert run("gradebook", "forget", "Anna") == (0, "Anna: 2 results are deleted.", "")
    assert run("gradebook", "show")[1] == "Bob: rms 6 Cem: nothing"


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_names_steer_nothing(text: str, run: Run, gradebook: Path) -> None:
    name = text.encode(errors="ignore").decode().replace("\0", "")
    with Gradebook.open(gradebook) as opened:
        opened.enrol({name: ""})
        opened.keep([result(name, "rms", 1)])
    for arguments in (("show",), ("show", name), ("override", name, "rms", "1", "--why", name), ("forget", name)):
        _code, out, err = run("gradebook", *arguments)
        assert (steering_in(out + err), commands_in(out + err)) == (set(), []), arguments


@pytest.mark.parametrize(
    "arguments, said",
    [
        ((), "`normgrade gradebook` needs a command: show, export, feedback, page, override, forget."),
        (
            ("shw",),
            'No command named "shw". Did you mean "show"? Run `normgrade gradebook --help` to see all commands.',
        ),
        (("show", "Ana"), 'No student "Ana" is in the gradebook. Did you mean "Anna"? Run `normgrade gradebook show` to see all.'),
        (("show", "Cem", "rms"), 'Cem has no result at "rms".'),
        (("override", "Anna", "rsm", "1", "--why", "x"), 'No exercise "rsm" is in the gradebook. Did you mean "rms"?'),
        (("override", "Anna", "rms", "many", "--why", "x"), '"many" is not a number of points. Use a number from 0 on, or none.'),
        (("override", "Anna", "rms", "1e9", "--why", "x"), '"1e9" is not a number of points. Use a number from 0 on, or none.'),
        (("override", "Anna", "rms", "nan", "--why", "x"), '"nan" is not a number of points. Use a number from 0 on, or none.'),
        (("export", "--format", "xls"), '"xls" is not a format of marks. Use csv or canvas.'),
        (
            ("export", "--format", "canvas"),
            "Canvas makes a new assignment for every unknown title, so the titles must be given. "
            'Use --title SLUG="TITLE", with the title as in a gradebook that Canvas exported: "Layer norm (4711)".',
        ),
        (
            ("export", "--format", "canvas", "--title", "rsm=x"),
            '"rsm=x" is not SLUG=TITLE with one of these exercises: centring, rms.',
        ),
        (
            ("export", "--output", "no/marks.csv"),
            'The marks cannot be written to "no/marks.csv" (No such file or directory). Use --output FILE to choose another file.',
        ),
        (
            ("show", "--gradebook", "other.db"),
            'There is no gradebook "other.db". `normgrade grade PATH` makes one; --gradebook FILE names another.',
        ),
    ],
)
def test_wrong_use_of_a_gradebook_is_told(arguments: tuple[str, ...], said: str, run: Run, gradebook: Path) -> None:
    assert run("gradebook", *arguments) == (2, "", f"Error: {said}")
