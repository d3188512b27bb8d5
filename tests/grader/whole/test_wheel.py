"""Tests of the wheel: its files and its metadata."""

import subprocess
import sys
import tomllib
from email.message import Message
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import normgrade

CLONE = Path(__file__).parents[3]
COURSE = ("exercises", "solutions", "tests/hidden")

pytestmark = pytest.mark.skipif(not (CLONE / "pyproject.toml").exists(), reason="the wheel is built from a clone, and this is none")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the clone without a network, and return its path."""
    if find_spec("hatchling") is None:
        pytest.skip('hatchling builds the wheel and is not installed: pip install -e ".[dev]" -c constraints.txt')
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    built = subprocess.run(command, cwd=CLONE, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def names(wheel: Path) -> frozenset[str]:
    with ZipFile(wheel) as archive:
        return frozenset(archive.namelist())


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as archive:
        return Parser().parsestr(archive.read(f"normgrade-{normgrade.__version__}.dist-info/METADATA").decode())


def test_the_wheel_carries_every_file_of_the_course(names: frozenset[str]) -> None:
    carried = {name for name in names if name.startswith("normgrade/_course/")}
    assert carried == {f"normgrade/_course/{name}" for folder in COURSE for name in files_of(folder)} | {"normgrade/_course/course.toml"}


@pytest.mark.parametrize("slug", sorted(path.parent.name for path in CLONE.glob("exercises/*/exercise.toml")))
def test_wheel_has_every_file_that_grading_needs(names: frozenset[str], slug: str) -> None:
    exercise, solution = f"normgrade/_course/exercises/{slug}", f"normgrade/_course/solutions/{slug}"
    needed = {f"{exercise}/README.md", f"{exercise}/{slug}.py", f"{exercise}/exercise.toml", f"{solution}/reference.py"}
    assert needed | {f"{solution}/mistakes.toml", f"normgrade/_course/tests/hidden/test_{slug}.py"} <= names


def test_the_wheel_carries_every_file_of_the_program(names: frozenset[str]) -> None:
    program = {name for name in names if name.startswith("normgrade/") and not name.startswith("normgrade/_course/")}
    assert program == {name.removeprefix("grader/") for name in files_of("grader/normgrade") if not name.endswith(".po")}
    assert "normgrade/language/locale/zh/LC_MESSAGES/normgrade.mo" in program


def test_own_tests_are_not_in_the_wheel(names: frozenset[str]) -> None:
    assert {name.split("/")[0] for name in names} == {"normgrade", f"normgrade-{normgrade.__version__}.dist-info"}
    assert not [name for name in names if "tests/grader" in name or "conftest" in name or "__pycache__" in name]


def test_six_packages_are_needed_at_run_time(metadata: Message) -> None:
    needed = {requirement.name for requirement in requirements(metadata) if requirement.marker is None}
    assert needed == {"click", "jinja2", "numpy", "pytest", "rich", "torch"}


def test_the_command_is_normgrade_and_pytest_finds_the_plugin(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        points = archive.read(f"normgrade-{normgrade.__version__}.dist-info/entry_points.txt").decode()
    command, plugin = "normgrade = normgrade.__main__:main", "normgrade.grading.plugin = normgrade.grading.plugin"
    assert points.split() == ["[console_scripts]", *command.split(), "[pytest11]", *plugin.split()]


def test_licence_is_in_the_wheel(names: frozenset[str]) -> None:
    assert f"normgrade-{normgrade.__version__}.dist-info/licenses/LICENSE" in names


PEERS = 'extra == "peers"'  # other graders, which a benchmark installs in an environment of their own and no test imports


def test_every_requirement_is_in_the_tested_set(metadata: Message) -> None:
    pinned = {canonicalize_name(pin.name): pin for pin in constraints()}
    needed = [need for need in requirements(metadata) if PEERS not in str(need.marker)]
    unmet = [str(need) for need in needed if not allowed(need, pinned.get(canonicalize_name(need.name)))]
    assert len(needed) > 10 and unmet == []


def test_every_constraint_is_one_exact_release() -> None:
    assert [str(pin) for pin in constraints() if len(pin.specifier) != 1 or next(iter(pin.specifier)).operator != "=="] == []


def test_suites_of_exercises_are_not_collected() -> None:
    options = tomllib.loads((CLONE / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert options["testpaths"] == ["tests/grader"]


def files_of(folder: str) -> set[str]:
    """Return the files in a folder of the clone, as paths from its root, without compiled files."""
    return {
        path.relative_to(CLONE).as_posix() for path in (CLONE / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }


def requirements(metadata: Message) -> list[Requirement]:
    return [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]


def constraints() -> list[Requirement]:
    lines = (CLONE / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def allowed(need: Requirement, pin: Requirement | None) -> bool:
    """Return True if there is a pin and the requirement accepts its release."""
    return pin is not None and need.specifier.contains(next(iter(pin.specifier)).version)
