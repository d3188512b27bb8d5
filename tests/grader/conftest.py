"""Says which normgrade is under test, and refuses another than the one that was meant; the tiny course, and commands that are run on it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import normgrade
from normgrade import cli
from normgrade.course.course import Course

sys.path.insert(0, str(Path(__file__).parent / "harness"))  # what several test files import
TINY = Path(__file__).parent / "fixtures" / "courses" / "tiny"
EditedCourse = Callable[..., Course]
Run = Callable[..., tuple[int, str, str]]
Invoke = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[..., None]


def pytest_configure() -> None:
    """Stop before the first test if NORMGRADE_UNDER_TEST names an environment and normgrade comes from elsewhere."""
    wanted = os.environ.get("NORMGRADE_UNDER_TEST")
    if wanted and not Path(normgrade.__file__).resolve().is_relative_to(Path(wanted).resolve()):
        raise pytest.UsageError(
            f'normgrade was imported from "{normgrade.__file__}", outside of NORMGRADE_UNDER_TEST="{wanted}". '
            "Run pytest with `-o pythonpath=` in the environment that the wheel is installed in."
        )


def pytest_report_header() -> str:
    return f"normgrade {normgrade.__version__} from {Path(normgrade.__file__).parent}"


@pytest.fixture(scope="session")
def expectations(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where expectations are kept: what NORMGRADE_CACHE names, else pytest's own cache; never the user's."""
    with pytest.MonkeyPatch.context() as patch:
        if "NORMGRADE_CACHE" not in os.environ:
            cache = getattr(request.config, "cache", None)
            patch.setenv("NORMGRADE_CACHE", str(cache.mkdir("expectations") if cache else tmp_path_factory.mktemp("expectations")))
        yield Path(os.environ["NORMGRADE_CACHE"])


@pytest.fixture(scope="session", autouse=True)
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the key of the cache and what is trusted are kept; never the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NORMGRADE_CONFIG", str(tmp_path_factory.mktemp("config")))
        yield Path(os.environ["NORMGRADE_CONFIG"])


@pytest.fixture(scope="session")
def tiny() -> Course:
    """A course of one function, `rms`, and one layer, `centring`."""
    return Course(TINY)


@pytest.fixture(scope="session")
def edited_course(tmp_path_factory: pytest.TempPathFactory) -> EditedCourse:
    """A copy of the tiny course with some of its files edited: path → [(old, new), …], or its whole new text."""

    def edited(edits: dict[str, list[tuple[str, str]] | str]) -> Course:
        root = tmp_path_factory.mktemp("course")
        shutil.copytree(TINY, root, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        for name, edit in edits.items():
            path = root / name
            text = edit if isinstance(edit, str) else path.read_text(encoding="utf-8")
            for old, new in () if isinstance(edit, str) else edit:
                assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {name}"
                text = text.replace(old, new)
            path.write_text(text, encoding="utf-8")
        return Course(root)

    return edited


@pytest.fixture
def run(tmp_path: Path, tiny: Course, expectations: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in an empty folder, on the tiny course: its exit code, and what it wrote to both streams, unwrapped."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))
    monkeypatch.setenv("NORMGRADE_LANG", "en")

    def ran(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(list(arguments))
        out, err = capsys.readouterr()
        return code, " ".join(out.split()), " ".join(err.split())

    return ran


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the current one."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def invoke(here: Path, tiny: Course, expectations: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Invoke:
    """Run a command in this process, in the folder `here`, on the tiny course; its output is as it was written."""
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))

    def ran(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        code = cli.run([str(argument) for argument in arguments])
        return subprocess.CompletedProcess(arguments, code, *capsys.readouterr())

    return ran


@pytest.fixture
def in_a_process(here: Path, expectations: Path) -> Invoke:
    """Run a command in a process of its own, piped, in the folder `here`."""

    def ran(*arguments: str, course: Course | None = None, program: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "FORCE_COLOR"))}
        environment |= {"PYTHONIOENCODING": "utf-8"} | ({"NORMGRADE_COURSE": str(course.root)} if course else {})
        start = program or (sys.executable, "-W", "error", "-m", "normgrade")
        return subprocess.run(
            [*start, *arguments], cwd=here, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=300
        )

    return ran


@pytest.fixture
def put(here: Path, tiny: Course) -> Put:
    """Put right submissions into the folder `here`."""

    def copied(*slugs: str) -> None:
        for slug in slugs:
            shutil.copy(tiny.exercise(slug).reference, here / f"{slug}.py")

    return copied
