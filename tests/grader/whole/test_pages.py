"""Tests of README and of the pages in docs: generated parts, links, files, commands, and numbers that the code has, too."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from normgrade import cli
from normgrade.compare.differences import K
from normgrade.course.course import Course
from normgrade.course.exercise import Limits
from normgrade.course.reading import MINUTES
from normgrade.learner.workspace import MARK_BYTES
from normgrade.oracle.cache import MOST_BYTES
from normgrade.oracle.monte_carlo import PLAYS
from normgrade.report.render.json import OF_ONE_VALUE, render_json
from normgrade.report.report import Check, Kind, Outcome, Report
from normgrade.worker.walls.selftest import TRIALS, Facts, trials

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
BLOCK = re.compile(r"^(`{3,})\w*\n.*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINES_OF_README = 130
NO_FACTS = Facts(zygote=1, grader={}, own={}, kept_capabilities=0, neighbours=(), play=lambda: True)
OWN_FOLDERS = {"docs", "grader", "tests", *(path.name for path in (ROOT / "grader" / "normgrade").iterdir() if path.is_dir())}


@pytest.fixture
def pages() -> ModuleType:
    """Import tests/pages.py, which is a script."""
    spec = spec_from_file_location("pages", ROOT / "tests" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["architecture.md", "commands.md", "exercises.md"])
def test_generated_part_is_up_to_date(name: str, pages: ModuleType) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    assert pages.updated(name, text) == text, "run `python tests/pages.py`"
    assert f"| {pages.UNWRITTEN} |" not in pages.parts_of(text)[1], "say what is hard about the exercise"
    assert name in pages.PAGES and len(pages.PAGES) == 3


def test_handwritten_cells_stay_and_new_ones_are_marked(tiny: Course, pages: ModuleType) -> None:
    old = "| exercise | level | what is hard about it |\n|---|---|---|\n| `rms` | 9 | the mean |\n| `gone` | 1 | x |\n"
    table = pages.table_of(tiny, dict(pages.HARD.findall(old)))
    assert re.search(r"^\| `rms` \| \d \|.*\| the mean \|$", table, re.MULTILINE)
    assert "| **Layers** | | | | | |\n| `centring` | 2 | 10 | 3 | | TODO |\n" in table and "gone" not in table


def test_rooms_stand_above_all_that_they_import(pages: ModuleType) -> None:
    order = {"roof": "walls floor", "porch": "floor", "walls": "floor", "floor": ""}
    assert pages.picture(order) == "roof\n   ↓\nporch · walls\n   ↓\nfloor\n"


def prose(path: Path) -> str:
    """Return a page without its blocks of code."""
    return BLOCK.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and MkDocs make them."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(prose(path))}


def dead_links(path: Path) -> Iterator[str]:
    """Yield the links of a page that lead to no file, or to no heading of it."""
    for link in LINK.findall(re.sub(r"`[^`\n]*`", "", prose(path))):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if "://" not in link and (not target.exists() or (anchor and anchor not in anchors(target))):
            yield link


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_link_leads_to_a_file_and_heading(path: Path) -> None:
    assert list(dead_links(path)) == []


def test_readme_is_short_and_leads_to_every_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = {link.partition("#")[0] for link in LINK.findall(readme)}
    assert len(readme.splitlines()) <= LINES_OF_README
    assert {f"docs/{path.name}" for path in DOCS.glob("*.md")} - {"docs/README.md"} <= linked
    assert {"CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"} <= linked


def test_dead_links_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n[x](no.md) [y](#a-page) [z](#b) `[c](d)` [w](https://x.org)\n\n```\n[e](f)\n```\n", encoding="utf-8")
    assert list(dead_links(page)) == ["no.md", "#b"]


MODULE = re.compile(r"`((?:[\w*]+/)+[\w*]*(?:\.\w+)?)`")


@pytest.mark.parametrize("path", [path for path in TEXTS if path.name != "authors.md"], ids=lambda path: path.name)
def test_files_of_the_program_that_a_page_names_exist(path: Path) -> None:
    named = [name for name in MODULE.findall(prose(path)) if name.split("/")[0] in OWN_FOLDERS]
    places = (ROOT, ROOT / "grader" / "normgrade")
    assert [name for name in named if not any(any(place.glob(name)) for place in places)] == []


TYPED = {"normgrade", "pytest", "python", "pip", "dask"}  # test_page_screens.py types all but the last two


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_commands_of_a_clone_have_what_they_name(path: Path) -> None:
    for command in re.findall(r"^\$ (.*?)(?: +#.*)?$", path.read_text(encoding="utf-8"), re.MULTILINE):
        program, *arguments = shlex.split(command)
        match program:
            case "make":
                assert {*arguments} <= {*re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)}
            case ".venv/bin/python":
                assert (ROOT / arguments[0]).is_file()
            case ".venv/bin/normgrade":
                cli.command_named(arguments[0]).make_context(command, arguments[1:], resilient_parsing=True)
            case _:
                assert program in TYPED


LIMITS = Limits()
NUMBERS = [
    ("walls.md", f"{LIMITS.answer_s:g} seconds for each answer, {LIMITS.total_s:g} seconds for all of them, and {LIMITS.memory_mib} MiB"),
    ("walls.md", f"There are {len(trials('process', NO_FACTS))} trials behind `process`"),
    ("architecture.md", f"At most {MOST_BYTES / 1024**3:g} GiB is kept"),
    ("architecture.md", f"`lang`, `course`; at most {MARK_BYTES / 1024:g} KiB"),
    ("tolerance.md", f"Then it is played {PLAYS} times more"),
    ("tolerance.md", f"{K} · (spread + u·|y| + the smallest subnormal of its dtype)"),
    ("authors.md", ", ".join(map(str, [*MINUTES.values()][:-1])) + f" or {MINUTES[4]} by the level"),
]


@pytest.mark.parametrize(("name", "sentence"), NUMBERS)
def test_number_on_a_page_is_that_of_the_code(name: str, sentence: str) -> None:
    assert sentence in " ".join((DOCS / name).read_text(encoding="utf-8").split())


def test_every_field_of_json_is_on_the_page() -> None:
    check = Check("test_output", "The output is normalised.", Kind.FORMULA, Outcome.PASSED, points=3)
    report = Report("rms", "rms.py", Outcome.PASSED, possible=3, sandbox="linux", seed=0, duration_s=0.4, checks=(check,))
    [written] = json.loads(render_json([report]))["reports"]
    page = (DOCS / "architecture.md").read_text(encoding="utf-8").partition("## Data formats")[2].partition("## Words")[0]
    assert [field for field in {**written, **written["checks"][0], **OF_ONE_VALUE} if f"`{field}`" not in page] == []


def test_walls_page_has_every_tier() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (DOCS / "walls.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*TRIALS} <= {*rows}
