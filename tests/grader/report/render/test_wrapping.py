"""Where lines of Chinese may break, and that nothing else changes."""

from __future__ import annotations

import io
import re

import pytest
from click import formatting
from rich.cells import cell_len
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from normgrade.report.render.wrapping import WORD, break_chinese, break_chinese_help

CHINESE = "方差与 eps 一样小时，eps 起决定作用：它加在方差上，在根号内（见 PyTorch 文档）；默认值是 1e-5。" * 3
ENGLISH = "Where the variance is as small as “eps”, eps decides: it is added (to the variance), inside the root … 1e-5. " * 3


def lines(content: Text | Markdown, width: int) -> list[str]:
    break_chinese()
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None)
    console.print(content)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines() if line.strip()]


@pytest.mark.parametrize("width", [12, 20, 33, 40])
@pytest.mark.parametrize("kind", [Text, Markdown])
def test_lines_of_chinese_are_full_and_keep_their_punctuation(kind: type[Text] | type[Markdown], width: int) -> None:
    shown = lines(kind(CHINESE), width)
    assert "".join(shown).replace(" ", "") == CHINESE.replace(" ", "")
    assert max(map(cell_len, shown)) <= width
    assert min(map(cell_len, shown[:-1])) >= width - 8  # the longest Latin word, or a bracket with what follows
    assert not [line for line in shown if line[0] in "，。；：）" or line[-1] in "（"]


@pytest.mark.parametrize("text", [ENGLISH, " lead", "trail  ", "", "…", "“", "a…b ”"])
def test_words_of_other_languages_stay_what_they_are(text: str) -> None:
    assert WORD.findall(text) == re.findall(r"\s*\S+\s*", text)


def test_help_in_chinese_ends_where_the_columns_end(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = formatting.wrap_text
    monkeypatch.setattr(formatting, "wrap_text", plain)
    break_chinese_help()
    break_chinese_help()  # twice is once
    shown = formatting.wrap_text(CHINESE, 40).splitlines()
    assert max(map(cell_len, shown)) <= 40 and "".join(shown).replace(" ", "") == CHINESE.replace(" ", "")
    assert formatting.wrap_text(ENGLISH, 40) == plain(ENGLISH, 40)
