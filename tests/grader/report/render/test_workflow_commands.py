"""Tests of workflow commands and of the summary of a step, also with texts that try to break out of them."""

from __future__ import annotations

import doctest
import html
import re
import string
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in

from normgrade.language.errors import UsageError
from normgrade.report.render import workflow_commands
from normgrade.report.render.workflow_commands import (
    MOST_BYTES,
    MOST_CHARACTERS,
    SUMMARY,
    WORKSPACE,
    add_to_summary,
    command,
    fitting,
    folded,
    in_markdown,
    in_repository,
    limited,
    paragraph,
    preformatted,
    table,
)

every_text = pytest.mark.parametrize("text", HOSTILE_TEXTS)
COMMAND = re.compile(r"::error file=([^,:]*),line=3,title=([^,:]*)::(.*)")


def test_the_examples_run() -> None:
    found = doctest.testmod(workflow_commands)
    assert found.attempted >= 5 and found.failed == 0


def test_every_separator_of_a_command_is_encoded() -> None:
    said = command("warning", "a,b:c%\r\nd", file="a:b,c%d\ne", line=0, title="")
    assert said == "::warning file=a%3Ab%2Cc%25d%0Ae::a,b:c%25\nd".replace("\n", "%0A")
    assert command("notice", "all") == "::notice::all"


@every_text
def test_no_text_breaks_out_of_a_command(text: str) -> None:
    said = command("error", text, file=text, line=3, title=text)
    assert COMMAND.fullmatch(said) and len(said.splitlines()) == 1
    assert steering_in(said) <= {"\t"} and commands_in(said.removeprefix("::error")) == []


def test_a_long_message_is_cut() -> None:
    assert command("error", "x" * 9999) == "::error::" + "x" * MOST_CHARACTERS


def test_ten_annotations_of_each_kind_are_kept() -> None:
    errors, warnings = ([command(kind, str(number)) for number in range(12)] for kind in ("error", "warning"))
    assert limited([*errors, *warnings]) == ["::notice::4 more annotations are not shown.", *errors[:10], *warnings[:10]]
    assert limited([*warnings[:10], *errors[:10]]) == [*errors[:10], *warnings[:10]]


def test_the_notice_of_more_is_one_of_ten() -> None:
    notices = [command("notice", str(number)) for number in range(12)]
    assert limited(notices) == ["::notice::3 more annotations are not shown.", *notices[:9]]
    assert limited(notices[:10]) == notices[:10]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that a runner names, in which another one is the current folder."""
    (tmp_path / "space" / "week").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "space" / "week")
    monkeypatch.setenv(WORKSPACE, str(tmp_path / "space"))
    return tmp_path / "space"


def test_a_path_begins_at_the_workspace(workspace: Path) -> None:
    assert in_repository(Path("a.py")) == "week/a.py"
    assert in_repository(workspace / "b.py") == "b.py"
    assert in_repository(workspace.parent / "space2" / "c.py") == f"{workspace.parent}/space2/c.py"


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])  # it is a file in a worktree
def test_a_path_begins_at_the_folder_with_git(make: Callable[[Path], None], workspace: Path) -> None:
    make(workspace / "week" / ".git")
    assert in_repository(Path("a.py")) == "a.py"
    assert in_repository(workspace / "week" / "deep" / "b.py") == "deep/b.py"


def test_without_a_repository_a_path_stays(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(WORKSPACE)
    assert in_repository(Path("a.py")) == "a.py"
    assert in_repository(workspace / "b.py") == f"{workspace}/b.py"


@every_text
def test_every_text_may_be_a_path(text: str, workspace: Path) -> None:
    assert in_repository(Path(text)).endswith(Path(text).as_posix().removeprefix("."))


class Read(HTMLParser):
    """A reader of HTML that keeps the tags and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@every_text
def test_no_text_is_markup_in_a_summary(text: str) -> None:
    inline, block = in_markdown(text), preformatted(text)
    assert set(re.sub(r"&#\d+;", "", inline)).isdisjoint({*string.punctuation, "\n"})
    assert steering_in(inline + block) <= {"\t", "\n"}
    assert Read(block).tags == ["pre"] and block.count("</pre>") == 1
    assert Read(folded(text, [block])).tags == ["details", "summary", "pre"]
    assert html.unescape(block.removeprefix("<pre>").removesuffix("</pre>")) == Read(block).text


def test_a_table_has_inert_cells() -> None:
    assert "".join(table(["a", "b"], "|---|--:|", [["x|y", "1\n2"]])) == "| a | b |\n|---|--:|\n| x&#124;y | 1 2 |\n\n"


def test_blocks_that_do_not_fit_are_left_out() -> None:
    notice = "\nThe rest is left out&#58; the summary would be too long&#46;\n\n"
    assert "".join(fitting(["ab\n", "cd\n"], 6)) == "ab\ncd\n"
    assert "".join(fitting(["ab\n", "cd" * 50, "ef"], 70)) == f"ab\n{notice}"
    assert "".join(fitting(["é" * 50], 80)) == notice  # it is counted in bytes
    assert "".join(fitting(["ab\n"], 2)) == ""


def test_summary_of_a_step_stays_below_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv(SUMMARY, str(path))
    for _time in range(3):
        add_to_summary([paragraph("x" * 400_000), paragraph("y" * 400_000)])
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\nxxx") and text.endswith("the summary would be too long&#46;\n\n") and len(text) <= MOST_BYTES


def test_without_a_summary_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(SUMMARY, raising=False)
    add_to_summary(["a"])
    monkeypatch.setenv(SUMMARY, "")
    add_to_summary(["a"])
    assert [*tmp_path.iterdir()] == []


def test_summary_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SUMMARY, str(tmp_path))
    with pytest.raises(UsageError) as caught:
        add_to_summary(["a"])
    assert str(caught.value) == (
        f'The summary cannot be written to "{tmp_path}" (Is a directory). '
        "The variable GITHUB_STEP_SUMMARY must name a file that you can write to."
    )
