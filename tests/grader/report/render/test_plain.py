"""Tests of reports as text: as plain lines, and as Markdown."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import html_reports
import pytest
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in
from sample_reports import ASKED, BANNED, BIASED, BROKEN, FAILED, FOUND, NOT_STARTED, PASSED, SPOT, failed, report

from normgrade.report.render.outline import Head
from normgrade.report.render.plain import code, inert, plain, prose, render_markdown
from normgrade.report.report import Raised

RAISED = Raised("ValueError: no", 4, 5, 3, "    raise", "forward", "Check the shape.")


def test_mistake_has_its_text_its_line_and_its_reach() -> None:
    granted = replace(FAILED, diagnoses=(replace(BIASED, spots=(SPOT,)),), granted=12)
    assert plain([granted]) == (
        "batch_norm: 12 of 14 points, not passed\n"
        "1 mistake (−2); counted by claims: 4\n"
        "biased-running-variance explains the failing claim, costs 2 points\n"
        "running_var is updated with the biased variance. Multiply by n / (n − 1).\n"
        "  19 │ var = h.var(dims)\n"
        "     │         ^^^ pass correction=1"
    )


def test_several_reports_have_an_empty_line_between_them() -> None:
    assert plain([PASSED, replace(PASSED, submission="anna/layer_norm.py")]) == (
        "layer_norm: 4 of 4 points, passed\n\nlayer_norm · anna/layer_norm.py: 4 of 4 points, passed"
    )


def test_findings_have_their_place_and_source() -> None:
    assert plain([FOUND]) == (
        "batch_norm: 0 of 20 points, not passed\n"
        "12:16 banned: F.batch_norm is banned: write it by hand\n"
        "      return F.batch_norm(x)\n"
        "             ^^^^^^^^^^^^^^^"
    )


def test_exception_has_its_line_and_advice() -> None:
    crashed = report(failed(differences=(), message="ValueError: no", raised=RAISED), seed=7)
    assert plain([crashed]).split("\n")[1:] == [
        "ValueError: no",
        "  4 │ raise",
        "    │ ^^^",
        "Check the shape.",
        "Seed 7: use `--seed 7` to draw the same inputs again.",
    ]


def test_reports_without_a_verdict_tell_the_next_step() -> None:
    assert plain([NOT_STARTED]).split("\n")[1].startswith("rms_norm is not started. Run `normgrade show rms_norm`")
    assert plain([BROKEN]).split("\n")[1].startswith("Show this report to the maintainer of the course.")
    assert plain([ASKED]).split("\n")[1] == "not required to pass: Other ranks are ValueErrors."


# Markdown: no text in it becomes structure


CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")  # a span of code, which shows everything as it is


def test_a_failed_report_tells_its_mistake_and_claims() -> None:
    failed = replace(FAILED, diagnoses=(replace(BIASED, spots=(SPOT,)),))
    assert render_markdown([failed], Head("Anna *Li*", ("Late by `1` day.",))) == (
        "<!-- normgrade -->\n\n"
        "# Anna \\*Li\\*\n\n"
        "Late by `1` day.\n\n"
        "## ✗ batch\\_norm: 4 of 14 points, not passed\n\n"
        "**biased-running-variance**: running\\_var is updated with the biased variance. Multiply by n / (n − 1).\n\n"
        "line 19: `var = h.var(dims)`: pass correction=1\n\n"
        "step 2 · running\\_var\\[2\\] is 1.001, expected 1.0677 ± 1.3e-06; 2 of 3 numbers differ\n\n"
        "- The running statistics follow the batches, with the unbiased variance.\n"
    )


def test_a_passed_report_is_one_line() -> None:
    assert render_markdown([PASSED]) == "<!-- normgrade -->\n\n## ✓ layer\\_norm: 4 of 4 points, passed\n"


def test_a_finding_has_its_line() -> None:
    assert "**banned**: line 12: F.batch\\_norm is banned: write it by hand\n" in render_markdown([report(findings=(BANNED,))])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("# a", "\\# a"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("[a](https://b.org) www.c.org @d", "\\[a\\](https\\://b.org) www\\.c.org \\@d"),
        ("a\n\n# b", "a \\# b"),
        ("a_b*c|d~e$f\\g", "a\\_b\\*c\\|d\\~e\\$f\\\\g"),
    ],
)
def test_no_text_becomes_structure(text: str, shown: str) -> None:
    assert inert(text) == shown


@pytest.mark.parametrize(("text", "shown"), [("a", "`a`"), ("a`b", "`` a`b ``"), ("``", "``` `` ```"), ("", ""), ("a\nb", "`a b`")])
def test_code_is_between_enough_backticks(text: str, shown: str) -> None:
    assert code(text) == shown


def test_backticks_in_prose_enclose_code() -> None:
    assert prose("Call `a_b` on *x*.") == "Call `a_b` on \\*x\\*."


class Tags(HTMLParser):
    """The tags that a browser would find in a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.found.append(tag)


@pytest.mark.parametrize("text", [html_reports.HOSTILE, *HOSTILE_TEXTS])
def test_hostile_texts_stay_texts(text: str) -> None:
    made = render_markdown([html_reports.filled(lambda name: text)], Head(text, (text,)))
    assert commands_in(made) == [] and steering_in(made) == set()
    for line in made.removeprefix("<!-- normgrade -->\n").splitlines():
        outside = CODE.sub("", line)
        assert Tags(outside).found == [] and re.search(r"(?<!\\)[\[\]<>]", outside) is None
        assert re.match(r"(?:#{1,2} |- |\*\*|line |$|[^-+=#>|~\s\d])", line), line
