"""Tests of docs/authors.md, the page for authors: its exercise becomes green, and its lists are complete."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import normgrade.suite
from normgrade import probes
from normgrade.suite.claims import KINDS
from normgrade.suite.collection import FIXTURES
from normgrade.suite.situations import GROUPS, SITUATIONS

PAGE = (Path(__file__).parents[3] / "docs" / "authors.md").read_text(encoding="utf-8")
FILES = {
    path: text
    for path, _fence, text in re.findall(
        r"^`((?:exercises|solutions|tests)/[\w./]+)`\n\n(`{3,4})\w*\n(.*?)^\2$", PAGE, re.MULTILINE | re.DOTALL
    )
}


def section(heading: str) -> str:
    return PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def first_cells(text: str) -> list[str]:
    """Return the names in the first column of all tables in a text."""
    return [name for row in re.findall(r"^\| (.*?) \|", text, re.MULTILINE) for name in re.findall(r"`([^`]+)`", row)]


def test_the_exercise_of_the_page_becomes_green(in_a_process: Any, here: Path) -> None:
    [new, verify] = [line.removeprefix("$ normgrade ") for line in section("Begin").splitlines() if line.startswith("$ ")]
    begun: CompletedProcess[str] = in_a_process(*shlex.split(new))
    assert begun.returncode == 0, begun.stderr
    unfinished = in_a_process(*shlex.split(verify))
    assert unfinished.returncode == 1 and "TODO" in unfinished.stdout
    for path in (here / "norms").rglob("another_way.py"):
        path.unlink()
    for path, text in FILES.items():
        (here / "norms" / path).parent.mkdir(parents=True, exist_ok=True)
        (here / "norms" / path).write_text(text, encoding="utf-8")
    finished = in_a_process(*shlex.split(verify), "--mutants")
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_page_has_every_file_of_an_exercise() -> None:
    parts = ["README.md", "scale_norm.py", "exercise.toml", "reference.py", "mistakes.toml", "test_scale_norm.py"]
    assert [part for part in parts if not any(path.endswith(f"/{part}") for path in FILES)] == []
    assert len([path for path in FILES if "/alternatives/" in path]) >= 4


def test_every_word_of_suites_is_on_the_page() -> None:
    said = section("The words of suites") + section("Situations") + section("Mistakes")
    words = normgrade.suite.__all__  # type: ignore[attr-defined]
    assert words and [word for word in words if not re.search(rf"\b{word}\(", said)] == []
    assert set(FIXTURES) <= set(first_cells(said))


def test_every_method_of_build_is_on_the_page() -> None:
    from normgrade.suite.story import Build

    methods = [name for name, value in vars(Build).items() if callable(value) and not name.startswith("_")]
    said = section("The words of suites")
    assert [name for name in methods if f"`.{name}(" not in said and name != "with_arguments"] == []


def test_the_kinds_are_all_there_are() -> None:
    assert first_cells(section("Kinds")) == [str(kind.value) for kind in KINDS]


def test_the_situations_are_all_there_are_with_their_points() -> None:
    rows = re.findall(r"^\| `(\w+)`( ᶠ)?( ᶜ)? \|.*\| (\d*) ?\|$", section("Situations"), re.MULTILINE)
    assert [(name, bool(layers), bool(courtesy), int(points or 0)) for name, layers, courtesy, points in rows] == [
        (name, each.of_layers, each.courtesy, each.points) for name, each in SITUATIONS.items()
    ]
    assert f"the same {len(SITUATIONS)} checks" in section("Situations")
    assert all(f"`{name}`" in section("Situations") for name in GROUPS)
    assert f"the same {len(SITUATIONS)} checks" in section("Situations")


def test_names_in_the_section_on_probes_exist() -> None:
    names = set(re.findall(r"`(\w+)(?:\(|`)", section("Probes"))) & {
        "Place",
        "gradient_of",
        "take_step",
        "fill",
        "go_back",
        "Stopped",
        "Estimate",
    }
    assert len(names) == 7 and names <= {*probes.LAYERS, *probes.RESULTS}


def test_all_python_of_the_page_is_python() -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        ast.parse(block)


def test_every_link_within_the_page_leads_to_a_heading() -> None:
    headings = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([\w-]+)\)", PAGE)) - headings == set()
