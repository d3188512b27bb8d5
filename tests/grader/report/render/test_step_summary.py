"""Reports as Markdown for the summary of a step: a table and details, cut to the limit, and inert for Markdown and HTML."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in
from sample_reports import FAILED, FOUND, PASSED, hostile
from thorough import all_or

from normgrade.report.render.plain import plain
from normgrade.report.render.step_summary import NOTICE_BYTES, inert, render_summary

HEAD = "| exercise | submission | points | mistake |\n|---|---|--:|---|\n"
NOTICE = "The rest is left out, because a summary may not be longer. The log has all of it."


def test_the_table_has_a_row_for_each_report() -> None:
    table = html.unescape(render_summary((FAILED, PASSED, FOUND))).partition("\n\n")[0]
    assert table == (
        f"{HEAD}| ✗ batch_norm | batch_norm.py | 4/14 | biased-running-variance |\n"
        "| ✓ layer_norm | layer_norm.py | 4/4 |  |\n"
        "| ✗ batch_norm | batch_norm.py | 0/20 | banned |"
    )


def test_only_reports_that_did_not_pass_have_details() -> None:
    found = render_summary((FAILED, PASSED))
    assert found.count("<details>") == 1
    assert html.unescape(found).endswith(
        f"\n\n<details><summary>batch_norm</summary>\n\n<pre><code>{plain([FAILED])}\n</code></pre>\n</details>\n"
    )


@pytest.mark.parametrize("room", [0, 200, 5000])
def test_a_long_summary_is_cut_with_a_notice(room: int) -> None:
    whole = [replace(FAILED, submission=f"{number}.py") for number in range(100)]
    cut = render_summary(whole, NOTICE_BYTES + room)
    assert len(cut.encode()) <= NOTICE_BYTES + room < len(render_summary(whole).encode())
    assert cut.endswith(f"\n{inert(NOTICE)}\n")
    assert cut.count("<details>") == cut.count("</details>")


def test_a_full_summary_gets_nothing_more() -> None:
    assert render_summary([FAILED], NOTICE_BYTES - 1) == ""


@pytest.mark.parametrize("text", all_or(20, HOSTILE_TEXTS), ids=all_or(20, range(len(HOSTILE_TEXTS))))
def test_no_text_is_structure_of_markdown_or_html(text: str) -> None:
    found = render_summary([hostile(text)])
    table, details = found.split("\n\n<details>", 1)
    head, rule, row = table.split("\n")
    assert f"{head}\n{rule}\n" == HEAD and row.count("|") == 5
    assert not set(re.sub(r"&#\d+;", "", row)) & set("<>`*_[]()!~\\@:\"'")
    assert set(re.findall(r"<[^>]*>", f"<details>{details}")) == {
        *("<details>", "<summary>", "</summary>", "<pre>", "<code>", "</code>", "</pre>", "</details>")
    }
    assert (commands_in(found), steering_in(found) - {"\t"}) == ([], set())
