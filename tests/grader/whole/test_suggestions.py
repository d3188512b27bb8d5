"""Tests that every command suggested by a message works in its place: all of them are collected and typed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from pathlib import Path
from shutil import copytree, make_archive
from types import MappingProxyType

import pytest
from click.shell_completion import ShellComplete
from committed import commit
from kept_results import result

from normgrade import cli
from normgrade.classes.gradebook import Gradebook
from normgrade.cli.examples import EXAMPLES
from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.package import carried
from normgrade.learner.standing import Attempt, Attempts
from normgrade.report.report import Outcome

COMMAND = re.compile(r"`((?:normgrade|python|chmod|cd|pip|git|\{python\}|\{group\})(?: [^`]*)?)`")
VALUES = MappingProxyType(
    {
        "group": "normgrade gradebook",
        "slug": "rms", "file": "rms.py", "name": "rms.py", "next": "1", "way": "einsum", "folder": ".",
        "root": ".", "path": "repro_rms.py", "python": sys.executable,
        "named": str(Path(__file__).parents[1] / "fixtures" / "courses" / "tiny"),
    }
)  # fmt: skip
WORDS = MappingProxyType({"SLUG": "rms", "NAME": "einsum"})
INSIDE, OUTSIDE, ANYWHERE, ELSEWHERE = "in a workspace", "in a folder that is none", "in both", "by the shell"
SUGGESTED = {  # the suggestions of messages, and their places
    "cd {folder}": ELSEWHERE,
    "chmod -R go-w {root}": ELSEWHERE,
    "chmod u+r {path}": ELSEWHERE,
    "normgrade --help": ANYWHERE,
    "normgrade check --seed random": INSIDE,
    "normgrade check": INSIDE,
    "normgrade check -v {slug}": ANYWHERE,
    "normgrade check SLUG": ANYWHERE,
    "normgrade check {file}": ANYWHERE,
    "normgrade check {slug}": INSIDE,
    "normgrade doctor": ANYWHERE,
    "normgrade show rules": ELSEWHERE,  # if the course has any
    "normgrade explain MISTAKE": ELSEWHERE,  # is only named
    "normgrade hint {slug}": ANYWHERE,
    "normgrade hint {slug} {next}": OUTSIDE,
    "normgrade init": OUTSIDE,
    "normgrade init my-norms": OUTSIDE,
    "normgrade init {folder} --course {named}": OUTSIDE,  # test_trust.py runs it if a folder names its course
    "normgrade interview": INSIDE,
    "normgrade interview --end": ELSEWHERE,  # when an interview runs; test_interview.py types it
    "normgrade list": ANYWHERE,
    'normgrade new SLUG "Name(dim)"': ELSEWHERE,  # test_new.py types such commands
    'normgrade new SLUG "WeightNorm(weight, dim=0)"': ELSEWHERE,
    "normgrade repro": ELSEWHERE,  # is only named
    "normgrade repro {slug}": ANYWHERE,
    "normgrade review --all": INSIDE,
    "normgrade show --stub {slug} > {file}": ANYWHERE,
    "normgrade show --stub {slug} > {name}": ANYWHERE,
    "normgrade show SLUG": ANYWHERE,
    "normgrade show {slug}": ANYWHERE,
    "normgrade show {slug} --answers": ANYWHERE,
    "normgrade solution {slug} --spoil": ANYWHERE,
    "normgrade solution {slug} NAME": INSIDE,  # after the exercise has passed
    "normgrade solution {slug} {way}": INSIDE,  # the same
    "normgrade solution {slug} NAME --spoil": ANYWHERE,
    "normgrade verify {slug}": ANYWHERE,
    "normgrade watch SLUG": ANYWHERE,
    "normgrade {name}": ELSEWHERE,  # in a notebook; test_commands.py types it
    "normgrade grade PATH": ELSEWHERE,  # is only named, as the next ones
    "normgrade grade class.zip": ELSEWHERE,  # an example of the help, which is typed below
    "normgrade grade": ELSEWHERE,
    "normgrade gradebook export": ELSEWHERE,
    "normgrade gradebook show": ELSEWHERE,
    "normgrade gradebook": ELSEWHERE,
    "normgrade verify SLUG": ELSEWHERE,
    "{group} --help": ANYWHERE,
    "pip install 'normgrade[classes]'": ELSEWHERE,
    "pip install 'normgrade[cluster]'": ELSEWHERE,
    "python -c 'import torch'": ELSEWHERE,
    "python -m pdb {path}": ELSEWHERE,
    "python {path}": ELSEWHERE,
    "{python} -m pip install torch": ELSEWHERE,
}
OF_WHAT_PASSED = {"normgrade solution {slug} NAME", "normgrade solution {slug} {way}"}  # all others are for failed exercises


class Reached(BaseException):
    """Raised by a command that has understood its arguments and is about to grade."""


def reach(*arguments: object, **options: object) -> None:
    raise Reached


Type = Callable[[str], int]


@pytest.fixture
def type_(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Type:
    """Return a function that types a command, with an optional output file. It returns the exit code; 0 if only the grading is left."""
    monkeypatch.setenv("NORMGRADE_LANG", "en")
    for place in ("worker.trusted.host.Host.__init__", "verify.verification.verify", "verify.shipping.write", "grading.warming.warm"):
        monkeypatch.setattr(f"normgrade.{place}", reach)

    def typed(line: str) -> int:
        command, _arrow, output = line.partition(">")
        program, *arguments = shlex.split(command)
        assert program == "normgrade"
        try:
            code = cli.run(arguments)
        except Reached:
            code = 0
        said = capsys.readouterr()
        if output:
            assert said.out and code == 0
        assert "Traceback" not in said.err
        print(line, said.out, said.err)  # shown if the test fails
        return code

    return typed


def messages() -> Iterator[str]:
    """Yield all marked messages, and the help."""
    spec = spec_from_file_location("catalogue", Path(__file__).parents[2] / "catalogue.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    for message in module.messages():
        yield from (message.id,) if isinstance(message.id, str) else message.id


def typed_in(pattern: str) -> str:
    """Return the suggestion with real values in it."""
    return " ".join(WORDS.get(word, word) for word in pattern.format_map(VALUES).split(" "))


def test_every_suggestion_of_a_message_is_typed_below() -> None:
    assert {found for message in messages() for found in COMMAND.findall(message)} == set(SUGGESTED)


PLACES = [(pattern, where) for where in (INSIDE, OUTSIDE) for pattern, place in SUGGESTED.items() if place in (where, ANYWHERE)]


@pytest.mark.parametrize(("pattern", "where"), PLACES)
def test_suggested_command_works_in_its_place(
    pattern: str, where: str, type_: Type, tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))
    if where == INSIDE:
        assert type_("normgrade init") == 0
        outcome = Outcome.PASSED if pattern in OF_WHAT_PASSED else Outcome.FAILED
        Attempts(tmp_path / ".normgrade/progress.db").add([Attempt(datetime.now(UTC), "rms", outcome, 0, 8)])
    (tmp_path / "rms.py").write_text("def rms(x, eps=1e-5):\n    return x\n", encoding="utf-8")
    assert type_(typed_in(pattern)) == 0


def test_shell_commands_have_valid_syntax() -> None:
    commands = [typed_in(pattern) for pattern, place in SUGGESTED.items() if place == ELSEWHERE]
    codes = [subprocess.run(["sh", "-n", "-c", command], timeout=60).returncode for command in commands]
    assert codes and set(codes) == {0}


# On the course in the package


def offered(*arguments: str) -> list[str]:
    asked = ShellComplete(cli.normgrade, {}, "normgrade", cli.COMPLETING)
    return [item.value for item in asked.get_completions([*arguments[:-1]], arguments[-1])]


LINES = [line for _name, line, _does in EXAMPLES]


@pytest.mark.parametrize("line", LINES)
def test_example_of_help_works(line: str, type_: Type, tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NORMGRADE_COURSE", raising=False)
    course = Course(carried())
    if line.startswith("python "):
        assert line == "python -m pdb repro_layer_norm.py"
        return
    needs_workspace = line.split()[1:2] in (["reset"], ["progress"], ["watch"], ["review"], ["interview"])
    if needs_workspace:
        assert type_("normgrade init") == 0
    if line == "normgrade interview --end":
        assert type_("normgrade interview") == 0
    if line.startswith(("normgrade try", "normgrade lab")):
        slug = line.split()[2]
        (tmp_path / f"{slug}.py").write_text(read_text(course.exercise(slug).reference), encoding="utf-8")
    for name in ("layer_norm.py", "try.py"):
        (tmp_path / name).write_text(read_text(course.exercise("layer_norm").reference), encoding="utf-8")
    if line.startswith("normgrade new"):  # it writes into a course, here an empty one
        (tmp_path / "own" / "exercises").mkdir(parents=True)
        monkeypatch.setenv("NORMGRADE_COURSE", str(tmp_path / "own"))
    elif "--changed" in line.split():  # it asks git, which knows nothing of an installed course
        monkeypatch.setenv("NORMGRADE_COURSE", str(copytree(tiny.root, tmp_path / "own")))
        commit(tmp_path / "own")
    else:
        (tmp_path / "my-course").symlink_to(course.root)
    if line.split()[1:2] in (["grade"], ["gradebook"]):
        write_a_class(tmp_path)
    spoil = " --spoil" if line.startswith("normgrade solution") and "--spoil" not in line else ""  # nothing has passed here
    assert type_(line.replace(">>", ">") + spoil) == 0
    if line == "normgrade repro layer_norm test_gradients":
        assert "test_gradients" in offered(*line.split()[1:])


def write_a_class(folder: Path) -> None:
    """Write the hand-ins and the gradebook that examples of commands for classes name."""
    own_ways = sorted((Path(__file__).parents[1] / "wild" / "layer_norm").glob("*.py"))
    for name, (student, way) in product(("class", "hw1", "hw3", "submitted"), zip(("Li Anna", "Oz Ben"), own_ways, strict=False)):
        below = folder / name / student / ("homework" if name == "submitted" else "")
        below.mkdir(parents=True)
        (below / ("answer.py" if name == "hw3" else "layer_norm.py")).write_text(read_text(way), encoding="utf-8")
    make_archive(str(folder / "class"), "zip", folder, "class")
    (folder / "class.csv").write_text("name\nLi Anna\n", encoding="utf-8")
    with Gradebook.open(folder / "gradebook.db", make=True) as gradebook:
        gradebook.enrol({"Anna Li": ""})
        gradebook.keep([result("Anna Li", "layer_norm"), result("Anna Li", "rms_norm")])


def as_typed(line: str) -> str:
    """Return a command from a text as it is typed here: with real names, and with its own course if it writes to one."""
    line = line.removesuffix(" norms") if line.startswith("normgrade init") else line  # this is a workspace already
    for placeholder, real in (("SLUG…", "layer_norm"), ("PATH…", "class"), ("NAME", "einsum_statistics"), (">>", ">")):
        line = line.replace(placeholder, real)
    line = line.replace(" --course DIR", "").replace(" --course my-course", "")
    line += " class" if line in ("normgrade grade", "normgrade grade --again") else ""
    return f"{line} --course own" if line.startswith("normgrade new") else line


CLONE = Path(__file__).parents[3]
TEXTS = [
    CLONE / "README.md",
    *(path for path in sorted((CLONE / "docs").glob("*.md")) if path.name != "authors.md"),  # authors type those on a course of their own
    *(
        path
        for folder in ("exercises", "solutions", "tests/hidden")
        for path in (carried() / folder).rglob("*.*")
        if path.suffix not in (".npz", ".xz", ".pyc")
    ),
]


def test_commands_in_pages_and_course_work(type_: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NORMGRADE_COURSE", raising=False)
    assert type_("normgrade init") == 0
    (tmp_path / "own" / "exercises").mkdir(parents=True)
    Attempts(tmp_path / ".normgrade/progress.db").add([Attempt(datetime.now(UTC), "layer_norm", Outcome.PASSED, 20, 20)])
    found = {line for path in TEXTS for line in COMMAND.findall(read_text(path)) if line.startswith("normgrade ")}
    write_a_class(tmp_path)
    interviews = {line for line in found if line.startswith("normgrade interview")}
    failed = {line for line in found - interviews if type_(as_typed(line)) not in (0, 1)}
    failed |= {line for line in interviews if type_(line) != 0 or type_("normgrade interview --end") != 0}  # at most one runs
    assert len(found) > 20 and failed == set()  # 1 if a file is still the stub
