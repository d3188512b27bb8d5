"""Reports in the summary of a step: a table and details, inert for Markdown and HTML."""

from __future__ import annotations

import html
import re

import pytest
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in
from sample_reports import FAILED, FOUND, PASSED, hostile
from thorough import all_or

from normgrade.report.render.plain import plain
from normgrade.report.render.step_summary import step_summary
from normgrade.report.render.workflow_commands import fitting
from normgrade.report.report import Report

HEAD = "| exercise | submission | points | mistake |\n|---|---|--:|---|\n"


def written(*reports: Report) -> str:
    """Return the whole summary."""
    return "".join(step_summary(reports))


def test_the_table_has_a_row_for_each_report() -> None:
    table = html.unescape(written(FAILED, PASSED, FOUND)).partition("\n\n")[0]
    assert table == (
        f"{HEAD}| ✗ batch_norm | batch_norm.py | 4/14 | biased-running-variance |\n"
        "| ✓ layer_norm | layer_norm.py | 4/4 |  |\n"
        "| ✗ batch_norm | batch_norm.py | 0/20 | banned |"
    )


def test_only_reports_that_did_not_pass_have_details() -> None:
    found = written(FAILED, PASSED)
    assert found.count("<details>") == 1
    assert html.unescape(found).endswith(f"\n\n<details><summary>batch_norm</summary>\n\n<pre>{plain([FAILED])}</pre>\n\n</details>\n\n")


@pytest.mark.parametrize("rows", [0, 2, 100])
def test_summary_may_end_after_each_row(rows: int) -> None:
    blocks = [*step_summary([FAILED] * 100)]
    room = len("".join(blocks[: rows + 1]).encode()) + 100
    cut = "".join(fitting(blocks, room))
    assert cut.startswith("".join(blocks[: rows + 1])) and cut.count("<details>") == cut.count("</details>") == 0
    assert cut.endswith("\n\nThe rest is left out&#58; the summary would be too long&#46;\n\n") and len(cut.encode()) <= room


@pytest.mark.parametrize("text", all_or(20, HOSTILE_TEXTS), ids=all_or(20, range(len(HOSTILE_TEXTS))))
def test_no_text_is_structure_of_markdown_or_html(text: str) -> None:
    found = written(hostile(text))
    table, details = found.split("\n\n<details>", 1)
    head, rule, row = table.split("\n")
    assert f"{head}\n{rule}\n" == HEAD and row.count("|") == 5
    assert not set(re.sub(r"&#\d+;", "", row)) & set("<>`*_[]()!~\\@:\"'")
    assert set(re.findall(r"<[^>]*>", f"<details>{details}")) == {
        *("<details>", "<summary>", "</summary>", "<pre>", "</pre>", "</details>")
    }
    assert (commands_in(found), steering_in(found) - {"\t"}) == ([], set())
