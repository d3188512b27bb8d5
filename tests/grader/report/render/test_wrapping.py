"""The line breaks of Chinese text; everything else is unchanged."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from click import formatting
from rich.cells import cell_len
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from normgrade.report.render.terminal import Screen
from normgrade.report.render.wrapping import WORD, break_chinese_help, breaks, broken

CHINESE = "方差与 eps 一样小时，eps 起决定作用：它加在方差上，在根号内（见 PyTorch 文档）；默认值是 1e-5。" * 3
ENGLISH = "Where the variance is as small as “eps”, eps decides: it is added (to the variance), inside the root … 1e-5. " * 3


def lines(content: Text | Markdown | Table, width: int) -> list[str]:
    console = Screen(file=io.StringIO(), width=width, force_terminal=False, color_system=None)
    console.print(content)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines() if line.strip()]


@pytest.mark.parametrize("width", [12, 20, 33, 40])
@pytest.mark.parametrize("kind", [Text, Markdown])
def test_lines_of_chinese_are_full_and_keep_punctuation(kind: type[Text] | type[Markdown], width: int) -> None:
    shown = lines(kind(CHINESE), width)
    assert "".join(shown).replace(" ", "") == CHINESE.replace(" ", "")
    assert max(map(cell_len, shown)) <= width
    assert min(map(cell_len, shown[:-1])) >= width - 8  # the longest Latin word, or a bracket with the text after it
    assert not [line for line in shown if line[0] in "，。；：）" or line[-1] in "（"]


@pytest.mark.parametrize("text", [ENGLISH, " lead", "trail  ", "", "…", "“", "a…b ”"])
def test_words_of_other_languages_are_unchanged(text: str) -> None:
    assert re.findall(WORD, text) == re.findall(r"\s*\S+\s*", text)


def test_text_without_chinese_is_left_to_rich() -> None:
    text, console = Text(ENGLISH), Screen(file=io.StringIO(), width=20)
    assert broken(text, console.options) is text


def test_breaking_keeps_every_style() -> None:
    text = Text("方差" * 20, style="bold", justify="right").append("加在方差上" * 4, style="red")
    shown = broken(text, Screen(file=io.StringIO(), width=10).options)
    assert shown.plain.replace("\n", "") == text.plain and (shown.style, shown.justify) == ("bold", "right")
    assert "".join(shown.plain[span.start : span.end] for span in shown.spans if span.style == "red").replace("\n", "") == "加在方差上" * 4


@pytest.mark.parametrize("options", [{"no_wrap": True, "overflow": "ignore"}, {"soft_wrap": True}])
def test_a_line_without_wrapping_stays_whole(options: dict[str, Any]) -> None:
    console = Screen(file=io.StringIO(), width=20, force_terminal=False, color_system=None)
    console.print(Text(CHINESE), **options)
    assert isinstance(console.file, io.StringIO) and console.file.getvalue().count("\n") == 1


def test_a_word_wider_than_a_line_is_folded() -> None:
    assert breaks("方差" + "x" * 25 + "方差方差", 10) == [2, 12, 22, 29]
    assert breaks("方差" + "x" * 25 + "方差方差", 10, fold=False) == [2, 27]
    assert lines(Text("方差" + "x" * 25 + "方差方差"), 10) == ["方差", "x" * 10, "x" * 10, "xxxxx方差", "方差"]


def test_chinese_breaks_in_tables_and_lists() -> None:
    table = Table(box=None, show_header=False, padding=0)
    table.add_row("甲", CHINESE)
    for renderable in (table, Markdown(f"- {CHINESE}")):
        shown = lines(renderable, 30)
        assert min(map(cell_len, shown[:-1])) >= 22 and max(map(cell_len, shown)) <= 30


def test_help_in_chinese_fits_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = formatting.wrap_text
    monkeypatch.setattr(formatting, "wrap_text", plain)
    break_chinese_help()
    break_chinese_help()  # a second call changes nothing
    shown = formatting.wrap_text(CHINESE, 40).splitlines()
    assert max(map(cell_len, shown)) <= 40 and "".join(shown).replace(" ", "") == CHINESE.replace(" ", "")
    assert formatting.wrap_text(ENGLISH, 40) == plain(ENGLISH, 40)
