"""Reports for GitHub Actions: annotations at their places, no command of a submission between them, and the summary of a step."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in
from sample_reports import BANNED, BIASED, BROKEN, EVERY_KIND, FAILED, FOUND, NOT_STARTED, PASSED, SPOT, failed, hostile, report
from thorough import all_or

from normgrade.report.render import render
from normgrade.report.render.github import step_summary, token
from normgrade.report.render.plain import plain
from normgrade.report.render.workflow_commands import MOST, fitting
from normgrade.report.report import Diagnosis, Raised, Report, WrongStep, reveal

COMMAND = re.compile(r"::(?P<kind>error|warning|notice) (?P<properties>(?:[a-zA-Z]+=[^,:\n\r]*,)*[a-zA-Z]+=[^,:\n\r]*)::(?P<text>[^\n\r]*)")


@pytest.fixture(autouse=True)
def outside_of_actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def annotated(*reports: Report) -> list[str]:
    """Return the lines after the plain text."""
    return render(reports, "github").partition(f"::{token()}::\n")[2].splitlines()


def test_the_plain_text_stands_where_no_command_is_obeyed() -> None:
    said, _end, _annotations = render((FAILED, FOUND), "github").partition(f"\n::{token()}::\n")
    assert said == f"::stop-commands::{token()}\n{plain((FAILED, FOUND))}"
    assert re.fullmatch("[0-9a-f]{32}", token())


def test_the_harm_that_weak_walls_allow_is_told() -> None:
    weak = replace(FAILED, sandbox="process", lost=("network: your code can use it",))
    assert "\n  network: your code can use it\nRun `normgrade doctor` to see why" in render([weak], "github")


def test_a_mistake_is_annotated_at_its_place() -> None:
    located = replace(FAILED, submission="anna/batch_norm.py", diagnoses=(replace(BIASED, spots=(SPOT,)),))
    assert annotated(located) == [
        "::error file=anna/batch_norm.py,line=19,col=13,endColumn=15,title=biased-running-variance::"
        "running_var is updated with the biased variance. Multiply by n / (n − 1).%0Apass correction=1"
    ]


def test_mistake_without_a_place_is_annotated_at_the_file() -> None:
    assert annotated(FAILED) == [
        "::error file=batch_norm.py,title=biased-running-variance::"
        "running_var is updated with the biased variance. Multiply by n / (n − 1)."
    ]


def test_findings_come_before_mistakes() -> None:
    first, _second = annotated(replace(FAILED, findings=(BANNED,)))
    assert first == "::error file=batch_norm.py,line=12,col=16,title=banned::F.batch_norm is banned: write it by hand"


def test_an_exception_is_annotated_with_its_advice() -> None:
    raised = Raised("ValueError: 1, 2: no", 4, 5, 3, "    raise", "forward", "Check the shape.")
    assert annotated(report(failed(differences=(), message="ValueError: no", raised=raised))) == [
        "::error file=batch_norm.py,line=4,col=5,endColumn=7,title=ValueError::1, 2: no%0ACheck the shape."
    ]


def test_the_first_wrong_step_is_annotated() -> None:
    stepped = replace(FAILED, diagnoses=(), step=WrongStep("The root is 2 % off.", SPOT))
    assert annotated(stepped)[0] == (
        "::error file=batch_norm.py,line=19,col=13,endColumn=15,title=The first step that goes wrong::The root is 2 %25 off."
    )


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (PASSED, "::notice file=layer_norm.py,title=layer_norm::4 of 4 points, passed"),
        (BROKEN, "::error file=batch_norm.py,title=batch_norm::0 of 2 points, error%3A the grader failed"),
        (NOT_STARTED, "::warning file=rms_norm.py,title=rms_norm::rms_norm is not started."),
        (reveal(FAILED, "score"), "::error file=batch_norm.py,title=batch_norm::4 of 14 points, not passed"),
        (
            replace(reveal(FAILED, "claims"), diagnoses=()),
            "::error file=batch_norm.py,title=batch_norm::4 of 14 points, not passed%0AThe running statistics follow the batches",
        ),
    ],
)
def test_every_report_has_an_annotation(one: Report, said: str) -> None:
    assert annotated(one)[0].startswith(said.replace("%3A", ":"))


def test_ten_of_a_kind_are_shown_in_turn() -> None:
    spots = tuple(replace(SPOT, line=line) for line in range(1, 10))
    many = replace(FAILED, diagnoses=(replace(BIASED, spots=spots),))
    notice, *shown = annotated(*(replace(many, submission=f"{name}.py") for name in "abc"))
    assert notice == "::notice::17 more annotations are not shown."
    assert len(shown) == MOST
    assert [line.partition(",col")[0] for line in shown[:4]] == [
        "::error file=a.py,line=1", "::error file=b.py,line=1", "::error file=c.py,line=1", "::error file=a.py,line=2",
    ]  # fmt: skip


@pytest.mark.parametrize("text", all_or(20, HOSTILE_TEXTS), ids=all_or(20, range(len(HOSTILE_TEXTS))))
def test_no_text_becomes_a_command_for_github(text: str) -> None:
    mistake = Diagnosis((text,), text, (text,))
    document = render([hostile(text), replace(hostile(text), diagnoses=(mistake,), findings=())], "github")
    head, *lines = document.splitlines()
    end = lines.index(f"::{token()}::")
    assert head == f"::stop-commands::{token()}"
    assert commands_in("\n".join(lines[:end])) == [] and steering_in(document) - {"\t"} == set()
    for line in lines[end + 1 :]:
        found = COMMAND.fullmatch(line)
        assert found is not None and not re.search(r"##\w*\[", line), line


def test_every_line_of_every_report_is_known() -> None:
    for one in EVERY_KIND:
        assert all(map(COMMAND.fullmatch, annotated(one)))


# The summary of a step


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
