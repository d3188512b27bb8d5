"""Tests of the files for CI systems and containers: the action, the workflow of a new course, the image."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from normgrade.cli import command_named
from normgrade.course.workflows import workflow_named
from normgrade.verify.draft import begin_course

CLONE = Path(__file__).parents[3]
SCRIPT = 'printf "%s\\n" "$NORMGRADE_COURSE" "$NORMGRADE_REQUIRE_ISOLATION" "$@"\n'
INPUTS = {"RUN": "verify", "ARGUMENTS": "", "COURSE": "", "ISOLATION": ""}  # as the action passes them, with their defaults
of_a_clone = pytest.mark.skipif(not (CLONE / "pyproject.toml").exists(), reason="these files are those of a clone, and this is none")
yaml = pytest.importorskip("yaml", reason="PyYAML comes with mkdocs: pip install -e '.[docs]' -c constraints.txt")


@pytest.fixture(scope="module")
def workflow(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the workflow of a new course."""
    course = begin_course(tmp_path_factory.mktemp("new") / "course", ["en"])
    return yaml.safe_load(workflow_named("verify", course.root).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def action() -> Any:
    return yaml.safe_load((CLONE / "action.yml").read_text(encoding="utf-8"))


def scripts(steps: list[dict[str, Any]]) -> list[str]:
    return [step["run"] for step in steps if "run" in step]


# The workflow of a new course


def test_workflow_may_only_read(workflow: Any) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    [job] = workflow["jobs"].values()
    assert "permissions" not in job and job["timeout-minutes"] == 60
    [checkout] = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}


def test_commands_of_the_workflow_exist(workflow: Any) -> None:
    lines = [shlex.split(line) for line in scripts(workflow["jobs"]["verify"]["steps"])]
    called = [words[1:] for words in lines if words[0] == "normgrade"]
    given = [command_named(name).make_context(name, [*words]).params for name, *words in called]
    assert [each["ref"] for each in given] == ["origin/$GITHUB_BASE_REF", None]
    assert {(str(each["course_folder"]), each["format"], str(each["output"])) for each in given} == {(".", "github", "verify.xml")}
    assert [words for words in lines if words[0] != "normgrade"] == [["python", "-I", "-m", "pip", "install", "--quiet", "$NORMGRADE"]]


def test_workflow_keeps_the_file_that_it_writes(workflow: Any) -> None:
    *_steps, last = workflow["jobs"]["verify"]["steps"]
    assert last["uses"].startswith("actions/upload-artifact@") and last["if"] == "always()"
    assert last["with"]["path"] == "verify.xml"


def test_no_shell_line_has_an_expression(workflow: Any) -> None:
    assert not any("${{" in line for line in scripts(workflow["jobs"]["verify"]["steps"]))


# The action


@of_a_clone
def test_no_input_stands_in_a_script_of_the_action(action: Any) -> None:
    lines = scripts(action["runs"]["steps"])
    assert len(lines) == 2 and not any("${{" in line for line in lines)
    passed = action["runs"]["steps"][-1]["env"]
    assert passed.keys() == INPUTS.keys()
    assert {re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", r"\1", value) for value in passed.values()} == action["inputs"].keys() - {
        "python-version"
    }


@pytest.fixture
def played(action: Any, tmp_path: Path) -> Iterator[Any]:
    """Yield a function that plays the last script of the action with a stand-in for normgrade, and returns its exit code and lines."""
    if not (shell := shutil.which("bash")):
        pytest.skip("there is no bash")
    stand_in = tmp_path / "bin" / "normgrade"
    stand_in.parent.mkdir()
    stand_in.write_text(f"#!{shell}\n{SCRIPT}", encoding="utf-8")
    stand_in.chmod(0o755)
    source = scripts(action["runs"]["steps"])[-1]
    path = f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}"

    def ran(**inputs: str) -> tuple[int, list[str], str]:
        environment: Mapping[str, str] = {"PATH": path, **INPUTS, **inputs}
        command = [shell, "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", source]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines(), done.stderr

    yield ran


@of_a_clone
def test_action_passes_its_inputs_on(played: Any) -> None:
    assert played() == (0, ["", "", "verify", "--format", "github"], "")
    code, lines, _err = played(RUN="check", ARGUMENTS="-v  a.py\n b.py\n", COURSE="my course", ISOLATION="linux")
    assert (code, lines) == (0, ["my course", "linux", "check", "--format", "github", "-v", "a.py", "b.py"])


@of_a_clone
def test_no_shell_obeys_an_input(played: Any, tmp_path: Path) -> None:
    hostile = "$(touch${IFS}x) `touch${IFS}x` ;touch * $HOME"
    code, lines, _err = played(ARGUMENTS=hostile, COURSE=hostile)
    assert (code, lines) == (0, [hostile, "", "verify", "--format", "github", *hostile.split()])
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


@of_a_clone
@pytest.mark.parametrize("command", ["", "demo", "verify; x", "*"])
def test_another_command_is_refused(command: str, played: Any) -> None:
    assert played(RUN=command) == (2, [], "The input `run` must be verify or check.\n")


# The image


@of_a_clone
def test_image_is_made_of_files_that_exist() -> None:
    lines = [line.split() for line in (CLONE / "Containerfile").read_text(encoding="utf-8").splitlines() if line[:1] not in ("#", "")]
    assert {words[0] for words in lines} == {"FROM", "ARG", "COPY", "RUN", "USER", "WORKDIR", "ENTRYPOINT", "CMD"}
    copied = [source for words in lines if words[0] == "COPY" for source in words[1:-1]]
    sent = (CLONE / ".containerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{source}" for source in copied} == {line for line in sent if line.startswith("!")}
    assert [source for source in copied if not (CLONE / source).exists()] == []


@of_a_clone
def test_image_is_used_by_an_ordinary_user() -> None:
    text = (CLONE / "Containerfile").read_text(encoding="utf-8")
    assert text.index("\nUSER normgrade\n") < text.index('\nENTRYPOINT ["normgrade"]\nCMD ["doctor"]\n')
    assert command_named("doctor").name == "doctor"


@of_a_clone
@pytest.mark.parametrize("name", ["action.yml", "Containerfile", ".containerignore"])
def test_no_host_is_named(name: str) -> None:
    assert not re.search(r"://|\b[\w-]+\.(com|org|io|net)\b", (CLONE / name).read_text(encoding="utf-8"))
