"""Tests of the order of packages: the allowed imports, and a mirrored test file for every module."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import normgrade

HOUSE = Path(normgrade.__file__).parent
TESTS = Path(__file__).parents[1]
MOST_ROOMS = 18
DOORS = {"__init__", "__main__"}  # entry points; they hold only the code that must run before all imports

# The rooms that a room may import besides itself. From top to bottom as submissions are graded, from a front end down to the language.
HOUSE_ORDER: Mapping[str, str] = {
    # Front ends
    "notebook": "cli learner grading inspection report worker course language",
    "cli": "classes verify learner grading suite remarks compare inspection report worker course language",
    # Uses of grading
    "classes": "grading inspection report worker course language",
    "verify": "grading suite diagnosis remarks compare oracle inspection report worker course language",
    "learner": "grading suite remarks compare inspection report worker course language",
    # One grading, from file to report
    "grading": "suite diagnosis pointing remarks compare oracle inspection report worker course language",
    "suite": "compare oracle report worker course language",
    "diagnosis": "remarks compare oracle report worker course language",
    "pointing": "inspection report course language",
    "remarks": "compare inspection report worker course language",
    "compare": "oracle report worker language",
    "oracle": "worker probes course language",
    "inspection": "report course language",
    "report": "worker language",
    # The process that runs a submission, and its questions
    "worker": "probes course language",
    "probes": "language",
    "course": "language",
    "language": "",
}
NOT_OF_A_MODULE = {  # test files of something larger than a module
    "whole": "the whole program",
    "inspection/test_inspection.py": "inspection",
    "cli/test_cli.py": "cli",
    "cli/test_grade_command.py": "cli/grade.py",  # grading/grade.py has the plain name
    "cli/test_gradebook_command.py": "cli/gradebook.py",  # and classes/gradebook.py
    "cli/test_watch_loop.py": "cli/watch.py",  # fast; test_watch.py has real terminals
    "notebook/test_commands.py": "notebook/notebook.py",
    "worker/walls/test_walls.py": "worker/walls",
    "worker/test_fuzz.py": "worker",
    "report/render/test_render.py": "report/render",
    "report/render/test_pages_in_browser.py": "report/render",
    "language/test_language.py": "language",
    "probes/test_ways.py": "probes",
}
TESTED_ELSEWHERE = {  # modules without a test file of their own: names, tables, or the front of a package
    "cli/__init__.py": "cli/test_cli.py",
    "cli/grade.py": "cli/test_grade_command.py",
    "cli/gradebook.py": "cli/test_gradebook_command.py",
    "cli/demo_files/batch_norm.py": "cli/test_installation.py",
    "course/settings.py": "course/test_reading.py",
    "language/__init__.py": "language/test_language.py",
    "probes/__init__.py": "probes/test_results.py",
    "report/render/__init__.py": "report/render/test_render.py",
    "suite/__init__.py": "suite/test_vocabulary.py",
    "verify/plays.py": "verify/test_proofs.py",
    "worker/walls/__init__.py": "worker/walls/test_walls.py",
}
HEAVY = {"torch", "numpy", "pytest", "_pytest", "rich", "click", "jinja2", "hypothesis"}
FORKED = (
    "normgrade",
    "normgrade.language",
    "normgrade.course",
    "normgrade.worker",
    "normgrade.worker.untrusted",
    "normgrade.worker.walls",
    "normgrade.worker.wire",
)  # packages that a worker imports


class Import(NamedTuple):
    """One module of normgrade that is imported by a line of another."""

    path: Path
    line: int
    target: str  # below normgrade, as in "worker.host"

    @property
    def source(self) -> str:
        return room_of(self.path)

    @property
    def room(self) -> str:
        return self.target.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.path.relative_to(HOUSE)}:{self.line} imports normgrade.{self.target}"


def room_of(path: Path) -> str:
    """Return the top-level package or module that a file belongs to."""
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def modules() -> list[Path]:
    return sorted(path for path in HOUSE.rglob("*.py") if "_course" not in path.relative_to(HOUSE).parts)  # the course in the wheel


def imports(path: Path) -> Iterator[Import]:
    """Yield all imports of normgrade in a file, also those inside functions."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "normgrade" else [node.module or ""]
        else:
            continue
        for name in names:
            package, _, target = name.partition(".")
            if package == "normgrade" and target and not target.startswith("__") and target != "PACKAGE":
                yield Import(path, node.lineno, target)


ALL_IMPORTS = [each for path in modules() for each in imports(path)]


def test_every_room_has_its_place_in_the_order() -> None:
    rooms = {room_of(path) for path in modules()} - DOORS
    assert rooms == HOUSE_ORDER.keys()
    assert len(rooms) <= MOST_ROOMS


def test_order_goes_in_one_direction() -> None:
    """Each room uses only rooms below it, so the table has no cycle."""
    rooms = list(HOUSE_ORDER)
    upward = [(room, used) for room, below in HOUSE_ORDER.items() for used in below.split() if rooms.index(used) <= rooms.index(room)]
    assert upward == []


def test_no_import_goes_another_way() -> None:
    """Imports inside functions and imports for type checkers count as well."""
    between = [each for each in ALL_IMPORTS if each.source not in DOORS and each.room != each.source]
    assert len(between) >= 200
    assert [str(each) for each in between if each.room not in HOUSE_ORDER[each.source].split()] == []


def test_every_direction_of_the_table_is_used() -> None:
    used = {(each.source, each.room) for each in ALL_IMPORTS}
    assert [(room, below) for room, allowed in HOUSE_ORDER.items() for below in allowed.split() if (room, below) not in used] == []


def test_modules_import_each_other_without_a_circle() -> None:
    """Only imports at the top of a file count, because imports inside functions run later."""
    known = {".".join(path.relative_to(HOUSE).with_suffix("").parts).removesuffix(".__init__"): path for path in modules()}
    graph = {name: {each.target for each in at_the_top(path) if each.target in known} - {name} for name, path in known.items()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(known)


def at_the_top(path: Path) -> Iterator[Import]:
    tree = parsed(path)
    lines = {node.lineno for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)}
    return (each for each in imports(path) if each.line in lines)


def test_entry_points_import_only_necessary_rooms() -> None:
    """Before a front end, they import only the course, so that later modules keep their asserts, and the worker's interrupts."""
    through = {(each.source, each.room) for each in ALL_IMPORTS if each.source in DOORS}
    assert through == {
        ("__init__", "classes"),
        ("__init__", "course"),
        ("__init__", "notebook"),
        ("__main__", "cli"),
        ("__main__", "worker"),
    }


def test_an_import_in_a_function_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "room.py"
    path.write_text("def f():\n    from normgrade.cli import main\n    from normgrade import grade, PACKAGE\n", encoding="utf-8")
    assert [(each.line, each.target) for each in imports(path)] == [(2, "cli"), (3, "grade")]


# Imports in functions

LOADED = {"NumPy": "numpy", "PyTorch": "torch", "pytest": "pytest", "rich": "rich", "click": "click", "sqlite3": "sqlite3"}
REASON = re.compile(r"# (?:loads (?P<library>[\w.]+)|(?:only|nothing|every|not on|it) .*|English needs no catalogue|noqa: F401)$")


class Later(NamedTuple):
    """An import inside a function: it waits until it is needed, for the reason in the comment on its line."""

    path: Path
    line: int
    text: str

    @property
    def reason(self) -> re.Match[str] | None:
        return REASON.search(self.text)


def imports_in_functions() -> Iterator[Later]:
    for path in modules():
        lines = path.read_text(encoding="utf-8").splitlines()
        functions = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef)]
        for node in {node for function in functions for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)}:
            yield Later(path, node.lineno, lines[node.lineno - 1])


def test_imports_in_functions_give_a_reason() -> None:
    assert [f"{each.path.relative_to(HOUSE)}:{each.line}" for each in imports_in_functions() if not each.reason] == []


@pytest.mark.parametrize("library", LOADED)
def test_modules_do_not_load_libraries_that_wait(library: str) -> None:
    """A module that imports something later because it "loads NumPy", say, has not loaded NumPy by itself."""
    waiting = {each.path for each in imports_in_functions() if each.reason and each.reason["library"] == library}
    names = sorted(".".join(("normgrade", *path.relative_to(HOUSE).with_suffix("").parts)).removesuffix(".__init__") for path in waiting)
    assert names
    code = f"import sys\nfor name in {names}:\n    __import__(name)\n    assert {LOADED[library]!r} not in sys.modules, name"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(HOUSE.parent)})
    assert done.returncode == 0, done.stderr


# Imports of a worker


@pytest.mark.parametrize("package", FORKED)
def test_packages_that_a_worker_imports_are_light(package: str) -> None:
    code = f"import sys, {package}\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    command = [sys.executable, "-s", "-P", "-c", f"import sys; sys.path.insert(0, {str(HOUSE.parent)!r})\n{code}"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "normgrade" in loaded and HEAVY.isdisjoint(loaded)


# Tests


def test_every_room_says_its_purpose() -> None:
    assert [str(path) for path in modules() if path.name == "__init__.py" and not ast.get_docstring(parsed(path))] == []


def test_every_module_has_its_test_file() -> None:
    wanted = {path.relative_to(HOUSE): mirrored(path.relative_to(HOUSE)) for path in modules() if has_code(path)}
    missing = [str(module) for module, test in wanted.items() if not (TESTS / test).exists()]
    assert missing == []


def has_code(path: Path) -> bool:
    """Return True if there is a class or a function in a module. Constants need no tests of their own."""
    return any(isinstance(node, ast.ClassDef | ast.FunctionDef) for node in ast.walk(parsed(path)))


def mirrored(module: Path) -> Path:
    """Return the test file of a module, relative to tests/grader."""
    if module.parts in (("__init__.py",), ("__main__.py",)):
        return Path("whole/test_wheel.py")
    if str(module) in TESTED_ELSEWHERE:
        return Path(TESTED_ELSEWHERE[str(module)])
    return module.with_name(f"test_{module.name}")


def test_every_test_file_has_its_module() -> None:
    files = [path.relative_to(TESTS) for path in files_of_tests()]
    alone = [path for path in files if not (HOUSE / path.with_name(path.name.removeprefix("test_"))).exists()]
    assert [str(path) for path in alone if str(path) not in NOT_OF_A_MODULE and path.parts[0] not in NOT_OF_A_MODULE] == []


def test_no_two_test_files_have_the_same_name() -> None:
    assert [name for name, times in Counter(path.name for path in files_of_tests()).items() if times > 1] == []


def test_no_exception_is_out_of_date() -> None:
    assert [name for name in NOT_OF_A_MODULE if not (TESTS / name).exists()] == []
    assert [name for name in TESTED_ELSEWHERE if not (HOUSE / name).exists()] == []


def files_of_tests() -> list[Path]:
    return sorted(path for path in TESTS.rglob("test_*.py") if "fixtures" not in path.parts)
