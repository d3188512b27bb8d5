"""Fixtures that all tests share: the normgrade under test, the tiny course that they grade on, zygotes that are used again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import hypothesis  # noqa: F401  # before PyTorch is frozen (oracle/loading.py): it warns of objects that the collector misses
import pytest

import normgrade
from normgrade import cli
from normgrade.course.course import Course
from normgrade.course.tensor_library import Library
from normgrade.language import CATALOGUES, ENGLISH
from normgrade.oracle.seal import Seal
from normgrade.worker.trusted import launch
from normgrade.worker.trusted.host import Host
from normgrade.worker.trusted.launch import Lost, Starter, Zygote

sys.path.insert(0, str(Path(__file__).parent / "harness"))  # modules that several test files import

from affected import changed_since, is_needed

TINY = Path(__file__).parent / "fixtures" / "courses" / "tiny"
EditedCourse = Callable[..., Course]
Run = Callable[..., tuple[int, str, str]]
Invoke = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[..., None]
# Slow files: their mark, and the rooms and folders that they guard as well as their own room. With --since, they run only if there is a
# change in one of these. Files start in this order: the longest first, so that no core waits at the end.
MARKED_FILES = {
    "whole/test_attacks.py": ("attacks", "/"),
    "whole/test_wild.py": ("slow", "diagnosis pointing probes remarks suite tests/grader/wild/"),
    "grading/test_examiner.py": ("slow", "suite exercises/ tests/hidden/"),
    "worker/test_interrupts.py": ("slow", "cli grading"),
    "worker/walls/test_walls.py": ("slow", ""),
    "whole/test_faults.py": ("faults", "oracle worker learner"),
    "cli/test_grade_command.py": ("slow", "classes"),
    "classes/test_executors.py": ("slow", ""),
    "whole/test_gradebook_faults.py": ("faults", "classes"),
    "whole/test_day.py": ("slow", "cli learner"),
    "whole/test_page_screens.py": ("slow", "cli learner report docs/ README.md"),
    "whole/test_screens.py": ("slow", "diagnosis remarks report tests/grader/fixtures/"),
    "diagnosis/test_forms.py": ("slow", ""),
    "whole/test_silence.py": ("slow", "grading worker"),
    "whole/test_killed_habits.py": ("slow", "suite verify solutions/ tests/hidden/"),
    "verify/test_proofs.py": ("slow", "suite oracle diagnosis"),
    "whole/test_crosschecks.py": ("slow", "probes exercises/ solutions/"),
    "whole/test_crosscheck_formulas.py": ("slow", "exercises/ solutions/"),
    "whole/test_crosscheck_sync_batch_norm.py": ("slow", "exercises/sync_batch_norm/ solutions/sync_batch_norm/"),
    "whole/test_likenesses.py": ("slow", "remarks"),
    "worker/trusted/test_host.py": ("slow", ""),
    "diagnosis/test_diagnose.py": ("slow", "grading suite"),
    "learner/test_reproduction.py": ("slow", "probes suite"),
    "cli/test_watch.py": ("slow", "learner"),
    "learner/test_standing.py": ("slow", ""),
    "whole/test_suggestions.py": ("slow", "cli learner report"),
    "whole/test_wheel.py": ("slow", "course language grader/"),
    "whole/test_golden.py": ("slow", "compare diagnosis oracle probes remarks report suite tests/grader/fixtures/"),
    "whole/test_gradescope_package.py": ("slow", "classes report"),
    "whole/test_beginners.py": ("slow", "diagnosis remarks"),
    "whole/test_authors_page.py": ("slow", "verify docs/"),
    "whole/test_forged.py": ("slow", "compare worker"),
    "worker/test_fuzz.py": ("slow", ""),
    "grading/test_grade.py": ("slow", "worker"),
    "whole/test_limits.py": ("slow", "probes worker"),
    "whole/test_fair.py": ("slow", "compare oracle probes suite tests/hidden/"),
    "whole/test_logs.py": ("slow", "language report"),
    "cli/test_installation.py": ("slow", "diagnosis report"),
    "cli/test_cli.py": ("slow", ""),
    "cli/test_trials.py": ("slow", "learner exercises/"),
    "notebook/test_apart.py": ("slow", "worker"),
    "language/test_visible.py": ("slow", "cli report"),
    "oracle/test_seal.py": ("slow", ""),
    "cli/test_verify.py": ("slow", "verify"),
    "cli/test_options.py": ("slow", ""),
    "cli/test_streams.py": ("slow", ""),
    "course/test_unoptimised.py": ("slow", ""),
    "grading/test_tracking.py": ("slow", "diagnosis oracle suite"),
    "diagnosis/steps/test_locate.py": ("slow", "probes"),
    "cli/test_check.py": ("slow", "grading report"),
    "notebook/test_notebook.py": ("slow", ""),
    "grading/test_recording.py": ("slow", "oracle suite"),
    "cli/test_warn.py": ("slow", ""),
    "cli/test_show.py": ("slow", ""),
    "whole/test_figures.py": ("slow", "probes exercises/ docs/figures/"),
    "report/render/test_dialects.py": ("slow", ""),
    "verify/test_draft.py": ("slow", "course exercises/ solutions/ tests/hidden/"),
    "learner/test_study.py": ("slow", "exercises/ probes worker"),
    "grading/test_run.py": ("slow", "suite worker"),
    "suite/test_vocabulary.py": ("slow", "oracle probes"),
    "learner/test_after_check.py": ("slow", ""),
    "grading/test_new_workers.py": ("slow", "worker"),
    "suite/test_collection.py": ("slow", ""),
    "pointing/test_counterpart.py": ("slow", ""),
    "suite/test_blame.py": ("slow", "oracle probes"),
    "grading/test_warming.py": ("slow", "oracle"),
    "verify/test_missing_texts.py": ("slow", "course suite exercises/ solutions/ tests/hidden/"),
    "course/test_trust.py": ("slow", "cli"),
    "cli/test_class_files.py": ("slow", "classes"),
    "course/test_mistakes.py": ("slow", "solutions/"),
    "notebook/test_commands.py": ("slow", ""),
    "verify/test_shipping.py": ("slow", "diagnosis oracle"),
    "verify/test_completeness.py": ("slow", "course"),
}
MARKED_FIXTURES = {"browser": "browser", "outputs": "kernel"}  # tests that use these fixtures
OWN_ZYGOTES = ("whole", "worker")  # folders of tests in which every host starts processes of its own
MOST_KEPT = 4  # zygotes; most of them hold PyTorch


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--since", metavar="COMMIT", help="of slow tests, run only those that guard files changed since a commit")


def pytest_configure() -> None:
    """Stop before the first test if NORMGRADE_UNDER_TEST names an environment and normgrade comes from elsewhere.

    A clone's catalogues of messages are compiled first. Options in PYTEST_ADDOPTS, which are read already, are kept from the runs of pytest
    that tests start.
    """
    os.environ.pop("PYTEST_ADDOPTS", None)
    wanted = os.environ.get("NORMGRADE_UNDER_TEST")
    if wanted and not Path(normgrade.__file__).resolve().is_relative_to(Path(wanted).resolve()):
        raise pytest.UsageError(
            f'normgrade was imported from "{normgrade.__file__}", outside of NORMGRADE_UNDER_TEST="{wanted}". '
            "Run pytest with `-o pythonpath=` in the environment that the wheel is installed in."
        )
    if (compiled := find_spec("compiled_catalogues")) and CATALOGUES.is_relative_to(Path(str(compiled.origin)).parent):
        import_module("compiled_catalogues").compile_catalogues()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one more than the number of cores: many tests wait for processes, locks and terminals."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


def pytest_report_header() -> str:
    return f"normgrade {normgrade.__version__} from {Path(normgrade.__file__).parent}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the slow tests and move them to the front. With --since, deselect those that guard nothing that has changed."""
    here, order = Path(__file__).parent, [*MARKED_FILES]
    if gone := [name for name in MARKED_FILES if not (here / name).exists()]:
        raise pytest.UsageError(f"MARKED_FILES in {__file__} names files that are not there: {', '.join(gone)}")
    names = {item: Path(os.path.relpath(item.path, here)).as_posix() for item in items}
    for item, name in names.items():
        marks = {
            MARKED_FILES.get(name, (None,))[0],
            *(mark for fixture, mark in MARKED_FIXTURES.items() if fixture in names_of_fixtures(item)),
        }
        for mark in marks - {None}:
            item.add_marker(str(mark))
    items.sort(key=lambda item: order.index(names[item]) if names[item] in order else len(order))
    if since := config.getoption("since"):
        changed = changed_since(since)
        left_out = {name for name, (_mark, guarded) in MARKED_FILES.items() if not is_needed(name, guarded, changed)}
        config.hook.pytest_deselected(items=[item for item in items if names[item] in left_out])
        items[:] = [item for item in items if names[item] not in left_out]


def names_of_fixtures(item: pytest.Item) -> list[str]:
    return getattr(item, "fixturenames", [])


@pytest.fixture(scope="session")
def expectations(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder of expectations: NORMGRADE_CACHE if it is set, else pytest's own cache; never the user's."""
    with pytest.MonkeyPatch.context() as patch:
        if "NORMGRADE_CACHE" not in os.environ:
            cache = getattr(request.config, "cache", None)
            folder = cache.mkdir("expectations") if cache else tmp_path_factory.mktemp("expectations")
            folder.chmod(0o700)  # regardless of the umask: a folder that others may write to is not used
            patch.setenv("NORMGRADE_CACHE", str(folder))
        yield Path(os.environ["NORMGRADE_CACHE"])


@pytest.fixture(scope="session", autouse=True)
def configuration(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder for the key of the cache and for trusted courses; never the user's.

    All processes of all runs have one key: from the folder that NORMGRADE_CONFIG names, else from pytest's own cache. If each had its own
    key, they would reject each other's expectations.
    """
    folder = tmp_path_factory.mktemp("config")
    if named := os.environ.get("NORMGRADE_CONFIG"):
        Seal(folder).write(Seal(Path(named)).key)
    elif cache := getattr(request.config, "cache", None):
        kept = cache.mkdir("key")
        kept.chmod(0o700)
        Seal(folder).write(Seal(kept).key)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NORMGRADE_CONFIG", str(folder))
        yield folder


class KeptZygote(Zygote):
    """A zygote that stays when its host closes, for the next host of the same kind. Starting one takes longer than most tests."""

    idle: ClassVar[list[KeptZygote]] = []

    def __init__(self, tier: str, written_with: Library) -> None:
        super().__init__(tier, (), written_with)  # each worker finds its bans, since the zygote may serve other exercises
        self.kind = kind_of(tier, written_with)

    def close(self) -> None:
        try:
            self.end(0.0)
        except Lost:  # also raised if nobody had waited until it was ready
            super().close()
            return
        self.idle.append(self)
        while len(self.idle) > MOST_KEPT:
            Zygote.close(self.idle.pop(0))


def kind_of(tier: str, written_with: str) -> tuple[object, ...]:
    """Return everything that a zygote started now depends on."""
    return tier, written_with, launch.BOOTSTRAP, sorted(launch.environment().items())


@pytest.fixture(scope="session")
def keep_zygotes() -> Iterator[Callable[[Host], Starter]]:
    """Yield a function that gives a host a used zygote if there is one, else a new one."""

    def starter(host: Host) -> Starter:
        kind = kind_of(host.tier, host.written_with)
        used = next((zygote for zygote in KeptZygote.idle if zygote.kind == kind and zygote.process.poll() is None), None)
        if used is None or not host.fork:
            return KeptZygote(host.tier, host.written_with) if host.fork else new_starter(host)
        KeptZygote.idle.remove(used)
        return used

    new_starter = Host.new_starter
    yield starter
    while KeptZygote.idle:
        Zygote.close(KeptZygote.idle.pop())


@pytest.fixture(autouse=True, scope="module")
def kept_zygotes(request: pytest.FixtureRequest, keep_zygotes: Callable[[Host], Starter]) -> Iterator[None]:
    """Let hosts use zygotes again, except in tests about processes."""
    with pytest.MonkeyPatch.context() as patch:
        if request.path.relative_to(Path(__file__).parent).parts[0] not in OWN_ZYGOTES:
            patch.setattr(Host, "new_starter", keep_zygotes)
        yield


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    """Switch back to English after each test, click too, because the whole process has one language."""
    yield
    cli.speak_here(ENGLISH)


@pytest.fixture(scope="session")
def tiny() -> Course:
    """Return a course of one function, `rms`, and one layer, `centring`."""
    return Course(TINY)


@pytest.fixture(scope="session")
def edited_course(tmp_path_factory: pytest.TempPathFactory) -> EditedCourse:
    """Return a function that copies the tiny course and edits files in it: path → [(old, new), …], or its whole new text."""

    def edited(edits: dict[str, list[tuple[str, str]] | str]) -> Course:
        root = tmp_path_factory.mktemp("course")
        shutil.copytree(TINY, root, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        for name, edit in edits.items():
            path = root / name
            text = edit if isinstance(edit, str) else path.read_text(encoding="utf-8")
            for old, new in () if isinstance(edit, str) else edit:
                assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {name}"
                text = text.replace(old, new)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Course(root)

    return edited


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create an empty cache, set NORMGRADE_CACHE to it, and return its folder."""
    folder = tmp_path / "cache"
    folder.mkdir(0o700)
    monkeypatch.setenv("NORMGRADE_CACHE", str(folder))
    return folder


@pytest.fixture
def run(tmp_path: Path, tiny: Course, expectations: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command in an empty folder, on the tiny course, and returns its exit code and unwrapped streams."""
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
    """Return an empty folder, which is the current one."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def invoke(here: Path, tiny: Course, expectations: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Invoke:
    """Return a function that runs a command in this process, in the folder `here`, on the tiny course, and keeps its output as written."""
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))

    def ran(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        code = cli.run([str(argument) for argument in arguments])
        return subprocess.CompletedProcess(arguments, code, *capsys.readouterr())

    return ran


@pytest.fixture
def in_a_process(here: Path, expectations: Path) -> Invoke:
    """Return a function that runs a command in its own process, with pipes, in the folder `here`."""

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
    """Return a function that puts right submissions into the folder `here`."""

    def copied(*slugs: str) -> None:
        for slug in slugs:
            shutil.copy(tiny.exercise(slug).reference, here / f"{slug}.py")

    return copied


@pytest.fixture
def run_suite(edited_course: EditedCourse, expectations: Path) -> Callable[..., Any]:
    """Return a function that runs tests as the hidden suite of `centring` on a source, and returns the checks by name."""
    from hidden_suites import HEAD, RIGHT, InThisProcess, played

    from normgrade.remarks.remarks import remarked
    from normgrade.suite.collection import collect

    def ran(tests: str, source: str = RIGHT, reference: tuple[str, str] | None = None) -> Any:
        edits = {"solutions/centring/reference.py": [reference]} if reference else {}
        exercise = edited_course({"tests/hidden/test_centring.py": HEAD + tests, **edits}).exercise("centring")
        results = played(collect([exercise])["centring"], InThisProcess(source, exercise), expectations)
        return {check.name: check for check in remarked(results, exercise)}

    return ran
