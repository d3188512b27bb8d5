"""The formats by name, their imports, that no text becomes a command in any of them, and the levels of detail."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hostile_texts import COLOUR, HOSTILE_TEXTS, STEERING, commands_in, steering_in
from html_page import Page
from sample_reports import BANNED, EVERY_KIND, FAILED, MISSING, PASSED, VARIANCE, check, failed, hostile, report
from thorough import all_or

import normgrade
from normgrade.language.errors import UsageError
from normgrade.language.visible import disarmed
from normgrade.report.render import FORMATS, QUIET, USUAL, VERBOSE, Detail, render
from normgrade.report.render.html import render_fragment, render_html
from normgrade.report.render.junit import render_junit
from normgrade.report.render.terminal import render_text
from normgrade.report.report import Outcome, Report


def test_an_unknown_format_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UsageError) as refused:
        render([], "jnit")
    assert str(refused.value) == (
        '"jnit" is not a valid format. Did you mean "junit"? '
        "Use one of: terminal, json, junit, html, gradescope, github, classroom50, prairielearn."
    )


def test_only_the_terminal_imports_rich() -> None:
    program = (
        "import sys\nfrom normgrade.report.render import render\nrender([], 'json'), render([], 'junit')\nprint('rich' in sys.modules)"
    )
    path = str(Path(normgrade.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


@pytest.mark.parametrize("format", [format for format in FORMATS if format != "html"])
def test_only_the_page_imports_jinja(format: str) -> None:
    program = f"import sys\nfrom normgrade.report.render import render\nrender([], {format!r})\nprint('jinja2' in sys.modules)"
    path = str(Path(normgrade.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


# Texts that would be commands


def hostile_reports(text: str) -> list[Report]:
    """Return reports of each outcome in which every text is `text`, with and without a diagnosis, and in a mere process, too."""
    whole = hostile(text)
    bare = replace(whole, outcome=Outcome.ERROR, diagnoses=(), findings=(), sandbox="process", seed=7)
    return [whole, bare, replace(whole, outcome=Outcome.NOT_STARTED), replace(whole, outcome=Outcome.PASSED, checks=())]


def in_columns(reports: Sequence[Report], width: int, detail: Detail, coloured: bool = False) -> str:
    """Return the text that a console of this width shows."""
    from normgrade.report.render.terminal import Screen, show

    colour = "standard" if coloured else None
    file = io.StringIO()
    console = Screen(file=file, width=width, force_terminal=coloured, color_system=colour, legacy_windows=False)  # type: ignore[arg-type]
    show(reports, console, detail)
    return file.getvalue()


every_hostile_text = pytest.mark.parametrize("text", all_or(20, HOSTILE_TEXTS), ids=all_or(20, range(len(HOSTILE_TEXTS))))


def test_the_hostile_texts_are_hostile() -> None:
    assert len(set(HOSTILE_TEXTS)) == len(HOSTILE_TEXTS) >= 40
    assert all(commands_in(text) or steering_in(text) or set("<[") & set(text) or "::" in text for text in HOSTILE_TEXTS)
    assert all(map(steering_in, STEERING))


@every_hostile_text
def test_no_text_becomes_a_command_in_a_terminal(text: str) -> None:
    every = hostile_reports(text)
    for reports, width, detail in ((every[:1], 40, VERBOSE), (every, 80, USUAL), (every, 80, QUIET), (every[:1], 100, VERBOSE)):
        shown = in_columns(reports, width, detail)
        assert (commands_in(shown), steering_in(shown)) == ([], set()), (width, detail)


@every_hostile_text
def test_no_text_becomes_a_command_in_colour(text: str) -> None:
    shown = in_columns(hostile_reports(text)[:1], 40, USUAL, coloured=True)
    assert commands_in(shown) == [] and "\x1b[1m" in shown
    assert steering_in(COLOUR.sub("", shown)) == set()


@every_hostile_text
def test_no_text_becomes_a_command_in_junit(text: str) -> None:
    document = render(hostile_reports(text), "junit")
    assert (commands_in(document), steering_in(document) - {"\t"}) == ([], set())
    for element in ElementTree.fromstring(document).iter():
        for each in (element.text or "", *element.attrib.values()):
            assert (commands_in(each), steering_in(each) - {"\t"}) == ([], set()), element.tag


@every_hostile_text
def test_no_text_becomes_a_command_in_json(text: str) -> None:
    document = render(hostile_reports(text), "json")
    assert (commands_in(document), steering_in(document)) == ([], set())
    held = json.loads(document)["reports"][0]["checks"][0]["stdout"]
    assert held == "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in text)


@every_hostile_text
@pytest.mark.parametrize("format", ["gradescope", "classroom50", "prairielearn"])
def test_no_text_becomes_a_command_for_another_system(format: str, text: str) -> None:
    document = render(hostile_reports(text), format)
    assert (commands_in(document), steering_in(document)) == ([], set())
    for each in texts_in(json.loads(document)):
        assert (commands_in(each), steering_in(each) - {"\t"}) == ([], set())


def texts_in(document: Any) -> Iterator[str]:
    """Yield all texts of a JSON document, at any depth."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict | list):
        for each in document.values() if isinstance(document, dict) else document:
            yield from texts_in(each)


@every_hostile_text
def test_no_text_becomes_a_command_in_a_page(text: str) -> None:
    for document in (render(hostile_reports(text), "html"), render_fragment(hostile_reports(text), "x-")):
        assert (commands_in(document), steering_in(document) - {"\t"}) == ([], set())
        assert [node.name for node in Page(document).nodes if node.name in ("img", "script")] in ([], ["script"])


def test_reports_without_commands_are_unchanged() -> None:
    shown = {format: render(EVERY_KIND, format, VERBOSE) for format in FORMATS if format != "github"}
    assert {format: disarmed(text) for format, text in shown.items()} == shown
    assert "::" not in "".join(text for format, text in shown.items() if format != "html")


# The detail: as usual, with -v, and with -q


MANY = report(*(failed(f"test_{number}[{case}]", claim=f"Claim {number}.") for number in range(5) for case in "ab"), seed=7)


def test_three_failing_claims_are_told_in_full() -> None:
    three = replace(VERBOSE, claims=3, cases=1)
    text = render_text([MANY], three)
    assert [text.count(f"✗ Claim {number}.") for number in range(5)] == [1, 1, 1, 0, 0]
    assert "\n  test_0[a] · also [b]\n" in text
    assert "2 more claims do not hold; use -v to see them\n" in text
    assert "1 more claim does not hold; use -v to see it\n" in render_text([replace(MANY, checks=MANY.checks[:8])], three)
    assert "more claim" not in render_text([replace(MANY, checks=MANY.checks[:6])], three)


def test_verbose_tells_every_case_and_place() -> None:
    many = replace(MANY, checks=tuple(replace(each, differences=(VARIANCE, VARIANCE, MISSING)) for each in MANY.checks))
    text = render_text([many], VERBOSE)
    assert [text.count(f"✗ Claim {number}.") for number in range(5)] == [2] * 5
    assert " · also " not in text and "more claim" not in text and "more place" not in text
    assert text.count("step 1 · weight.grad") == 10
    assert "seed 7 · 0.41 s\n" in text


def test_an_unusual_seed_is_told_at_every_detail() -> None:
    told, usual = "Seed 7: use `--seed 7` to draw the same inputs again.\n", report(failed())
    seven = replace(usual, seed=7)
    assert [render_text([seven, seven], detail).count(told) for detail in (USUAL, VERBOSE)] == [1, 1]
    assert [line.endswith(" · seed 7") for line in render_text([seven, usual], QUIET).splitlines()] == [True, False]
    assert "seed" not in render_text([usual]).casefold()
    assert '<property name="seed" value="7"' in render_junit([seven]) and "seed 7" in render_html([seven])


def test_quiet_is_one_line_for_each_report() -> None:
    found = report(check(outcome=Outcome.PASSED), findings=(BANNED, BANNED))
    assert render_text([FAILED, PASSED, found], QUIET).splitlines() == [
        "✗ batch_norm · batch_norm.py · 4 of 14 points · not passed · biased-running-variance · sandbox: linux",
        "✓ layer_norm · layer_norm.py · 4 of 4 points · passed · sandbox: linux",
        "✗ batch_norm · batch_norm.py · 2 of 2 points · not passed because of line 12 (banned) · banned · sandbox: linux",
    ]
