"""The command line from the outside: exit codes, what is said of every wrong usage, and what goes to a terminal, a file or a pipe."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xmlschema

import normgrade
from normgrade import cli
from normgrade.cli import check as check_module
from normgrade.course.course import Course, carried
from normgrade.grade import Submission, grade
from normgrade.language import ENGLISH, speak
from normgrade.language.errors import GraderError
from normgrade.report.render.json import render_json
from normgrade.report.report import Report
from normgrade.worker.host import Host
from normgrade.worker.launch import Zygote
from normgrade.worker.walls import TIERS, Protection

EditedCourse = Callable[..., Course]
XUNIT2 = xmlschema.XMLSchema(Path(__file__).parents[1] / "fixtures" / "xunit2.xsd")
WRONG_RMS = "def rms(x, eps=1e-5):\n    print('half of it')\n    return 0.5 * x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5\n"
HOSTILE = "raise SystemExit('a file of the current folder was imported')\n"


class Said:
    """What a command wrote, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def reports(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.out)["reports"]
        return found


Run = Callable[..., Said]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the current one."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(here: Path, tiny: Course, expectations: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, in the folder `here`, on the tiny course."""
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))

    def ran(*arguments: str | Path) -> Said:
        code = cli.run([str(argument) for argument in arguments])
        return Said(code, *capsys.readouterr())

    return ran


def in_a_process(*arguments: str, cwd: Path, course: Course | None = None, command: tuple[str, ...] = ()) -> Said:
    """Run a command in a process of its own, piped."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "FORCE_COLOR"))}
    environment |= {"PYTHONIOENCODING": "utf-8"} | ({"NORMGRADE_COURSE": str(course.root)} if course else {})
    start = command or (sys.executable, "-W", "error", "-m", "normgrade")
    done = subprocess.run([*start, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=300)
    return Said(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def wrong_report(tiny: Course, expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = tmp_path_factory.mktemp("wrong") / "rms.py"
    path.write_text(WRONG_RMS, encoding="utf-8")
    [report] = grade([Submission(tiny.exercise("rms"), path, path.name)])
    return report


@pytest.fixture
def graded_before(wrong_report: Report, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong rms.py in this folder, of which the report is ready: only what follows after grading is of interest."""
    (here / "rms.py").write_text(WRONG_RMS, encoding="utf-8")
    monkeypatch.setattr(check_module, "grade", lambda submissions, options: [wrong_report for _ in submissions])


def put(folder: Path, tiny: Course, *slugs: str) -> None:
    """Right submissions."""
    for slug in slugs:
        shutil.copy(tiny.exercise(slug).reference, folder / f"{slug}.py")


# Wrong usage


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("check rmss", 'No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.'),
        ("check xyz", 'No exercise named "xyz". `normgrade list` shows them all.'),
        ("show centering", 'No exercise named "centering". Did you mean "centring"? `normgrade list` shows them all.'),
        ("verify rms rmss", 'No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.'),
        ("check rms --exercise rmss", 'No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.'),
        ("chek rms", 'No command named "chek". Did you mean "check"? `normgrade --help` shows them all.'),
        ("xyz", 'No command named "xyz". `normgrade --help` shows them all.'),
        ("check mine.py", "mine.py does not exist: check the name, or begin it with `normgrade show --stub SLUG > mine.py`."),
        ("check a/rmss.py", "a/rmss.py does not exist: check the name, or begin it with `normgrade show --stub SLUG > rmss.py`."),
        ("check .", ". is a directory, not a file: name the Python file itself."),
        ("check -", '"-" is no file, and nothing is read from standard input. Save your code in a file, and name that.'),
        ("check - --exercise rms", '"-" is no file, and nothing is read from standard input. Save your code in a file, and name that.'),
        ("check --seed x", '"x" is no seed. Give --seed a whole number from 0 to 4294967295, or "random".'),
        ("check --seed -1", '"-1" is no seed. Give --seed a whole number from 0 to 4294967295, or "random".'),
        ("check --seed 4294967296", '"4294967296" is no seed. Give --seed a whole number from 0 to 4294967295, or "random".'),
        ("check --timeout soon", '"soon" is no time limit. Give --timeout a number of seconds above 0 and up to 3600.'),
        ("check --timeout 0", '"0" is no time limit. Give --timeout a number of seconds above 0 and up to 3600.'),
        ("check --timeout nan", '"nan" is no time limit. Give --timeout a number of seconds above 0 and up to 3600.'),
        ("check --timeout 1e9", '"1e9" is no time limit. Give --timeout a number of seconds above 0 and up to 3600.'),
        ("check rms --output .", 'The report cannot be written to ".": it is a folder. Name a file with --output FILE.'),
        ("verify --output .", 'The report cannot be written to ".": it is a folder. Name a file with --output FILE.'),
        (
            "check rms --output no/r.txt",
            'The report cannot be written to "no/r.txt": it is in the folder "no", which does not exist. Name a file with --output FILE.',
        ),
        ("check", "Nothing to check: no file in this folder is named after an exercise. `normgrade list` shows them all."),
        ("check rms --course no", "No course at "),
        ("list --course no", "No course at "),
        (
            "check --require-isolation linx",
            'No isolation named "linx". Did you mean "linux"? --require-isolation and NORMGRADE_REQUIRE_ISOLATION take process, '
            "namespaces, linux or container.",
        ),
        (
            "verify --require-isolation moat",
            'No isolation named "moat". --require-isolation and NORMGRADE_REQUIRE_ISOLATION take process, ',
        ),
        ("check --xyz", "No such option: --xyz.\n"),
        ("check --formt x", 'No such option: --formt. Did you mean "--format"?\n'),
        ("check --sed 3", 'No such option: --sed. Did you mean "--seed"?\n'),
        ("show", "Missing argument: SLUG.\n"),
        ("show rms rms", "Got unexpected extra argument (rms)\n"),
        ("check --format", "Option '--format' requires an argument.\n"),
        ("verify --seeds 0", '--seeds is a whole number from 1 to 1000, not "0".'),
        ("verify --cores two", '--cores is a whole number from 1 to 256, not "two".'),
        ("hint rms first", 'NUMBER is a whole number from 1 to 99, not "first".'),
        ("chek --lang zh", "没有名为“chek”的命令。你是指“check”吗？`normgrade --help` 列出所有命令。\n"),
        ("check --lang zh --formt", "没有选项 --formt。你是指“--format”吗？\n"),
        ("check --lang zh --sed 3", "没有选项 --sed。你是指“--seed”吗？\n"),
        ("check --lang zh --xyz", "没有选项 --xyz。\n"),
        ("show --lang zh", "缺少参数 SLUG。\n"),
        ("show --lang zh rms rms", "多余的参数（rms）\n"),
        ("check --lang zh --quiet=3", "选项 '--quiet' 不接受值。\n"),
        ("check --lang zh --format", "选项 '--format' 需要 1 个实参。\n"),
        ("verify --lang zh --seeds 0", "--seeds 是 1 到 1000 之间的整数，不能是“0”。\n"),
    ],
)
def test_wrong_usage_is_explained_and_nothing_is_graded(arguments: str, sentence: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_module, "grade", None)
    said = run(*arguments.split())
    assert (said.code, said.out) == (2, "")
    speak(ENGLISH)
    error = next(each for each in ("Error: ", "错误：") if each in said.err)
    assert f"{error}{sentence}" in said.err


@pytest.mark.parametrize("command", ["check", "verify"])
@pytest.mark.parametrize(("name", "guess"), [("jsn", ' Did you mean "json"?'), ("unheard-of", "")])
def test_an_unknown_format_is_explained(command: str, name: str, guess: str, run: Run) -> None:
    said = run(command, "--format", name)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f'Error: No format named "{name}".{guess} Formats are terminal, json, junit')


def test_a_course_that_is_none_is_named_with_its_folder(run: Run, here: Path) -> None:
    no_course = f'No course at "{here / "no"}": it has no folder "exercises".'
    assert run("list", "--course", "no").err == f"Error: {no_course} Name one with --course DIR or NORMGRADE_COURSE.\n"


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["check", "--help"]])
def test_help_is_given_whatever_was_imported_before(arguments: list[str], run: Run) -> None:
    assert run("list").code == 0
    said = run(*arguments)
    assert "Usage: normgrade" in said.out + said.err
    assert said.code == 0


# Files of which nothing is run


@pytest.mark.parametrize(
    ("content", "target", "line"),
    [
        ("def rms(x, eps=1e-5)\n    return x\n", "rms", "syntax: The file is not valid Python: expected ':'."),
        (None, "rms", "file: rms.py does not exist: check the name"),
        (None, "rms.py", "file: rms.py does not exist: check the name"),
        (None, "folder/rms.py", "file: folder/rms.py does not exist"),
        ("", "rms.py", "file: The file holds no code: write it"),
        ("x = 1\n", "rms", "contract: The file defines no `rms`; found only `x`. Add the function `rms(x, eps=1e-5)`."),
    ],
)
def test_a_file_that_cannot_be_graded_has_not_passed(content: str | None, target: str, line: str, run: Run, here: Path) -> None:
    if content is not None:
        (here / "rms.py").write_text(content, encoding="utf-8")
    said = run("check", target)
    text = " ".join(said.out.split())
    assert (said.code, said.err) == (1, "") and line in text
    assert "0 of 8 points" in text


def test_a_file_of_another_name_asks_for_its_exercise(run: Run, here: Path) -> None:
    (here / "mine.py").touch()
    said = run("check", "mine.py")
    asks = 'Error: Which exercise is "mine.py" for? Name it with --exercise SLUG; `normgrade list` shows them all.\n'
    assert (said.code, said.out, said.err) == (2, "", asks)


def test_a_file_that_is_not_there_is_begun_with_the_stub_of_its_exercise(run: Run) -> None:
    said = run("check", "nope.py", "--exercise", "centring", "--format", "json")
    [finding] = said.reports[0]["findings"]
    begin = "nope.py does not exist: check the name, or begin it with `normgrade show --stub centring > nope.py`."
    assert (said.code, finding["text"]) == (1, begin)


def test_a_folder_is_no_submission(run: Run, here: Path) -> None:
    (here / "rms.py").mkdir()
    said = run("check", "rms", "--format", "json")
    [finding] = said.reports[0]["findings"]
    assert said.code == 1 and finding["rule"] == "file" and finding["text"].startswith("rms.py is a directory, not a file")


def test_a_file_that_is_no_utf_8_has_its_byte_named(run: Run, here: Path) -> None:
    (here / "rms.py").write_bytes(b"# caf\xe9\ndef rms(x, eps=1e-5): return x\n")
    said = run("check", "--format", "json")
    [finding] = said.reports[0]["findings"]
    assert said.code == 1 and (finding["line"], finding["column"]) == (1, 6) and "0xe9" in finding["text"]


def test_an_untouched_stub_is_not_started(run: Run, here: Path, tiny: Course) -> None:
    shutil.copy(tiny.exercise("rms").stub, here)
    for arguments in (["check"], ["check", "rms"]):
        said = run(*arguments)
        assert said.code == 1
        started = "rms is not started: `normgrade show rms` shows the task, and rms.py is where your code goes."
        assert " ".join(said.out.split()).startswith(started)


# Grading

REPORT = {
    "exercise", "submission", "outcome", "score", "sandbox", "lost", "seed", "course", "duration_s", "findings", "diagnoses",
    "stopped_after_s", "checks",
}  # fmt: skip
CHECK = {"name", "claim", "kind", "outcome", "points", "earned", "duration_s", "message", "hint", "stdout", "differences"}
DIFFERENCE = {
    "place", "dtype", "shape", "mismatched", "total", "max_abs", "max_rel", "allowed", "at", "expected", "actual", "looks_like",
}  # fmt: skip


def test_the_json_has_the_documented_shape(run: Run, here: Path, tiny: Course) -> None:
    put(here, tiny, "centring")
    (here / "rms.py").write_text(WRONG_RMS, encoding="utf-8")
    said = run("check", "rms", "./centring.py", "--format", "json", "--seed", "3")
    whole = json.loads(said.out)
    wrong, right = whole["reports"]
    assert (said.code, said.err) == (1, "")
    assert whole.keys() == {"version", "normgrade", "reports"}
    assert (whole["version"], whole["normgrade"]) == (1, normgrade.__version__)
    assert wrong.keys() == right.keys() == REPORT
    assert {key for report in whole["reports"] for check in report["checks"] for key in check} == CHECK
    differences = [difference for check in wrong["checks"] for difference in check["differences"]]
    assert differences and all(difference.keys() == DIFFERENCE for difference in differences)
    assert (wrong["exercise"], wrong["submission"], wrong["outcome"], wrong["seed"]) == ("rms", "rms.py", "failed", 3)
    assert wrong["course"] == right["course"] == str(tiny.root)
    assert (right["submission"], right["outcome"], right["score"]) == ("./centring.py", "passed", {"earned": 10, "possible": 10})
    assert wrong["score"]["earned"] == sum(check["earned"] for check in wrong["checks"]) < wrong["score"]["possible"] == 8


def test_without_arguments_everything_that_is_started_is_graded(run: Run, here: Path, tiny: Course) -> None:
    put(here, tiny, "centring")
    shutil.copy(tiny.exercise("rms").stub, here)
    (here / "notes.py").write_text(HOSTILE, encoding="utf-8")
    said = run("check", "--format", "json")
    assert said.code == 0 and [report["submission"] for report in said.reports] == ["centring.py"]


def test_a_file_of_any_name_is_graded_for_the_exercise_that_is_named(run: Run, here: Path, tiny: Course) -> None:
    put(here, tiny, "rms")
    (here / "rms.py").rename(here / "my answer.txt")
    said = run("check", "my answer.txt", "--exercise", "rms", "--format", "json")
    assert said.code == 0 and said.reports[0]["submission"] == "my answer.txt"


def test_the_report_is_written_to_a_file(run: Run, here: Path, tiny: Course) -> None:
    put(here, tiny, "rms")
    (here / "centring.py").write_text("class Centring:", encoding="utf-8")  # nothing is run
    for slug, format, output in (("rms", "terminal", "r.txt"), ("centring", "json", "r.json"), ("centring", "junit", "r.xml")):
        said = run("check", slug, "--format", format, "--output", output)
        assert (said.code, said.out, said.err) == (int(slug == "centring"), "", "")
    assert "8 of 8 points · passed" in (here / "r.txt").read_text(encoding="utf-8")
    assert json.loads((here / "r.json").read_text(encoding="utf-8"))["reports"][0]["outcome"] == "failed"
    XUNIT2.validate(here / "r.xml")


@pytest.mark.usefixtures("graded_before")
def test_the_junit_report_is_valid(run: Run) -> None:
    said = run("check", "--format", "junit")
    assert said.code == 1 and "<failure" in said.out
    XUNIT2.validate(said.out)


@pytest.mark.usefixtures("graded_before")
def test_what_is_shown_of_a_failure(run: Run) -> None:
    said = run("check")
    text = " ".join(said.out.split())
    assert "✗ Every row is divided by its own root mean square." in text
    assert "looks like: every value × 1/2" in text
    assert "your code printed: half of it" in text
    assert "Hint: Average over the last dimension." in text
    assert "· not passed" in text and "`normgrade hint rms` gives a hint, `normgrade show rms` shows the task again." in text


def test_a_random_seed_is_said_and_can_be_used_again(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.cli.check.secrets.randbelow", lambda most: most - 5)
    (here / "rms.py").write_text("def rms(x, eps):", encoding="utf-8")  # nothing is run
    said = run("check", "--seed", "random", "--format", "json")
    assert said.reports[0]["seed"] == 2**32 - 5
    assert run("check", "--seed", str(2**32 - 5), "--format", "json").reports == said.reports


def test_the_time_limit_is_taken(run: Run, here: Path) -> None:
    (here / "rms.py").write_text("def rms(x, eps=1e-5):\n    while True: pass\n", encoding="utf-8")
    said = run("check", "--timeout", "1.25", "--format", "json")
    assert said.code == 1 and said.reports[0]["checks"][0]["message"] == "the time for all checks (1.25 s) is used up"


@pytest.mark.usefixtures("graded_before")
@pytest.mark.parametrize("level", ["claims", "score"])
def test_a_course_reveals_what_it_wants(level: str, run: Run, edited_course: EditedCourse) -> None:
    course = edited_course({"course.toml": [("banned", f'reveal = "{level}"\nbanned')]})
    [report] = run("check", "rms", "--course", course.root, "--format", "json").reports
    assert report["outcome"] == "failed" and report["score"] == {"earned": 1, "possible": 8}
    assert bool(report["checks"]) == (level == "claims")
    assert all(check["claim"] and check["outcome"] for check in report["checks"])
    assert not any(check[key] for check in report["checks"] for key in ("message", "hint", "stdout", "differences"))


def test_an_exercise_reveals_less_than_its_course(run: Run, here: Path, tiny: Course, edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("points", 'reveal = "score"\npoints')]})
    put(here, tiny, "rms", "centring")
    rms, centring = run("check", "rms", "centring", "--course", course.root, "--format", "json").reports
    assert (rms["checks"], rms["score"]["earned"]) == ([], 8) and centring["checks"]


# The grader's own fault


def test_a_broken_suite_is_exit_code_3(run: Run, here: Path, tiny: Course, edited_course: EditedCourse) -> None:
    course = edited_course({"tests/hidden/test_rms.py": [('agree(probe("row', 'agree(1 + probe("row')]})
    put(here, tiny, "rms")
    said = run("check", "--course", course.root)
    text = " ".join(said.out.split())
    assert said.code == 3 and "the suite is broken, not your code: TypeError: " in text
    assert "error: the grader could not tell, which is no fault of your code" in text


def test_a_broken_course_is_exit_code_2_and_names_its_file(run: Run, here: Path, tiny: Course, edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("level = 1", "level = 9")]})
    put(here, tiny, "rms")
    said = run("check", "--course", course.root)
    path = course.root / "exercises/rms/exercise.toml"
    assert (said.code, said.out, said.err) == (2, "", f"Error: {path}: level: must be a whole number from 1 to 4, not 9.\n")


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (GraderError("The machine is on fire. Leave the room."), 3, "Error: The machine is on fire. Leave the room.\n"),
        (KeyError("x"), 3, "Error: The grader itself broke, not your code: KeyError: 'x'. Please report what stands above.\n"),
        (KeyboardInterrupt(), 130, "Error: Interrupted: nothing was graded.\n"),
    ],
)
def test_our_own_bugs_are_exit_code_3(
    error: BaseException, code: int, sentence: str, run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise error

    put(here, tiny, "rms")
    monkeypatch.setattr(check_module, "grade", broken)
    said = run("check")
    assert said.code == code and said.err.endswith(sentence)
    assert ("Traceback" in said.err) == isinstance(error, KeyError)


# The other commands


def test_list_shows_the_exercises_and_where_one_stands(run: Run, here: Path, tiny: Course) -> None:
    put(here, tiny, "rms")
    first = run("list")
    shutil.copy(tiny.exercise("centring").stub, here)
    second = run("list")
    rows = [" ".join(line.split()) for line in (first.out + second.out).splitlines()]
    assert (first.code, second.code) == (0, 0)
    assert rows.count("rms Functions 1 8 started") == 2
    assert "centring Layers 2 10 –" in rows and "centring Layers 2 10 not started" in rows
    assert rows.index("rms Functions 1 8 started") < rows.index("centring Layers 2 10 –")


def test_show_is_markdown_where_nobody_watches(run: Run) -> None:
    said = run("show", "rms")
    assert said.code == 0 and said.out.startswith("# Root mean square\n\nDivide every row of `x`")
    assert "the root of 0 has no slope" not in said.out and "<details>" not in said.out
    assert said.out.endswith("**Why is eps inside the root?**\n\n`normgrade show rms --answers` shows the answers too.\n")


def test_show_unfolds_the_answers(run: Run) -> None:
    said = run("show", "rms", "--answers")
    assert said.code == 0 and "**Why is eps inside the root?**\n\nBecause the root of 0 has no slope." in said.out


def test_show_gives_the_stub_to_begin_with(run: Run, tiny: Course) -> None:
    assert run("show", "rms", "--stub").out == tiny.exercise("rms").stub.read_text(encoding="utf-8")


@pytest.mark.parametrize("named", ["option", "variable"])
@pytest.mark.parametrize("command", ["check rms.py", "verify rms --cores 1"])
def test_nothing_is_graded_behind_weaker_walls_than_required(
    command: str, named: str, run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(here, tiny, "rms")
    monkeypatch.setattr(Host, "new_starter", lambda host: Zygote("process"))
    if named == "variable":
        monkeypatch.setenv("NORMGRADE_REQUIRE_ISOLATION", "linux")
    said = run(*command.split(), *(["--require-isolation", "linux"] if named == "option" else []))
    assert (said.code, said.out) == (3, "")
    assert 'Error: Nothing was graded: the tier "linux" is required, and this machine offers "process".' in said.err


def test_doctor_tells_what_holds_what_is_promised_and_what_is_missing(run: Run) -> None:
    said = run("doctor")
    assert (said.code, said.err) == (0, "")
    assert "normgrade" in said.out and "torch" in said.out
    for tier in TIERS:
        assert re.search(rf"^[✓✗] {tier}  (held|not here: |not tried: )", said.out, re.MULTILINE), tier
    assert "✓ process" in said.out and "− network: your code can use it" in said.out
    assert len(re.findall(r"held: all \d+ probes of the self-test", said.out)) == 1
    plainly = "Suites and references are hidden from the code that is graded, not from whoever owns this disk."
    assert plainly in " ".join(said.out.split())
    assert all(len(line) <= 80 for line in said.out.splitlines())


@pytest.mark.parametrize(
    ("tier", "standing", "said"),
    [
        ("namespaces", "container", "held, and more"),
        ("namespaces", "linux", "not tried: linux is stronger"),
        ("linux", "namespaces", "not here: no Landlock"),
        ("namespaces", "namespaces", "held: all 7 probes of the self-test"),
    ],
)
def test_doctor_says_of_a_tier_only_what_was_witnessed(tier: str, standing: str, said: str) -> None:
    from normgrade.cli.doctor import how_it_stands

    assert how_it_stands(tier, Protection(standing, 7, (), {"linux": "no Landlock"})) == said


def test_verify_proves_the_course_that_is_named(run: Run) -> None:
    said = run("verify", "rms", "rms", "--format", "json")
    [report] = said.reports
    assert (said.code, said.err) == (0, "")
    assert (report["exercise"], report["submission"], report["outcome"]) == ("rms", "solutions/rms", "passed")


def test_verify_fails_where_a_proof_fails(run: Run, edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("points = 8", "points = 9")]})
    said = run("verify", "rms", "--course", course.root)
    text = " ".join(said.out.split())
    assert said.code == 1 and "✗ The points of the suite sum to 9." in text and "They sum to 8." in text


# In a process of its own


@pytest.fixture
def hostile(here: Path, tiny: Course) -> Path:
    """A folder of right answers, and of files that must not be read."""
    put(here, tiny, "rms", "centring")
    for name in ("numpy", "torch", "click", "rich", "pytest", "grader", "conftest", "sitecustomize", "random", "test_rms"):
        (here / f"{name}.py").write_text(HOSTILE, encoding="utf-8")
    (here / "pytest.ini").write_text("[pytest]\naddopts = --nonsense\n", encoding="utf-8")
    (here / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--nonsense'\n", encoding="utf-8")
    return here


@pytest.mark.parametrize("command", [(), (str(Path(sys.executable).with_name("normgrade")),)], ids=["module", "script"])
def test_what_lies_in_the_current_folder_does_no_harm(command: tuple[str, ...], hostile: Path, tiny: Course, expectations: Path) -> None:
    before = sorted(hostile.iterdir())
    said = in_a_process("check", cwd=hostile, course=tiny, command=command)
    assert (said.code, said.err) == (0, "")
    assert "8 of 8 points · passed" in said.out and "10 of 10 points · passed" in said.out and "2 of 2 passed" in said.out
    assert "\x1b" not in said.out
    assert sorted(hostile.iterdir()) == before


def test_the_version_is_said(here: Path) -> None:
    said = in_a_process("--version", cwd=here)
    assert (said.code, said.out, said.err) == (0, f"normgrade {normgrade.__version__}\n", "")


def test_wrong_usage_in_a_process_of_its_own(here: Path, tiny: Course) -> None:
    said = in_a_process("check", "rmss", cwd=here, course=tiny)
    assert (said.code, said.out) == (2, "")
    assert said.err == 'Error: No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.\n'


def test_a_message_of_the_suite_is_told_as_it_is_written(here: Path, tiny: Course, expectations: Path) -> None:
    (here / "rms.py").write_text("def rms(x, eps=1e-5):\n    return x.double()\n", encoding="utf-8")
    said = in_a_process("check", "--format", "json", cwd=here, course=tiny)
    assert said.code == 1 and said.reports[0]["checks"][0]["message"] == "the result should be of dtype float32, but is of float64"


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe that nobody reads, as POSIX has it")
def test_a_closed_pipe_is_no_reason_to_complain(here: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as pipe:
        done = subprocess.run([sys.executable, "-m", "normgrade", "list"], cwd=here, stdout=pipe, stderr=subprocess.PIPE, timeout=300)
    assert (done.returncode, done.stderr) == (1, b"")


def test_the_demo_names_both_mistakes(here: Path, expectations: Path) -> None:
    said = in_a_process("demo", cwd=here)
    assert (said.code, said.err) == (0, "")
    assert "eps-outside-root + biased-running-variance" in said.out
    assert "20 of 20 points · passed" in said.out


@pytest.mark.parametrize(("flags", "lines"), [(["-q"], "1"), (["--quiet"], "1"), ([], "many"), (["-v"], "more"), (["--verbose"], "more")])
def test_a_report_is_as_long_as_it_is_asked_for(run: Run, here: Path, flags: list[str], lines: str) -> None:
    source = "def rms(x, eps=1e-5):\n    return x / (x ** 2).sum(-1, keepdim=True).add(eps) ** 0.5\n"
    (here / "rms.py").write_text(source, encoding="utf-8")
    said = run("check", "rms", *flags, "--output", "report.txt")
    text = (here / "report.txt").read_text(encoding="utf-8")
    assert (said.code, said.err) == (1, "")
    assert {"1": len(text.splitlines()) == 1, "many": "so too" in text and "seed 0" not in text, "more": "seed 0 · " in text}[lines]


def test_the_carried_course_is_found_from_anywhere(here: Path) -> None:
    said = in_a_process("list", cwd=here)
    listed = {line.split()[0] for line in said.out.splitlines() if line.strip()}
    assert said.code == 0 and set(Course(carried()).slugs) <= listed


def test_no_report_is_json_too() -> None:
    assert json.loads(render_json([]))["reports"] == []
