"""Reports as JUnit XML: they follow the schema, and a report that did not pass is never all green."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema
from sample_reports import ASKED, BANNED, BIASED, EVERY_KIND, FAILED, FOUND, NOT_STARTED, PASSED, SPOT, hostile

import normgrade
from normgrade.report.render import render
from normgrade.report.report import Outcome, Report, reveal

XUNIT2 = xmlschema.XMLSchema(Path(__file__).parents[2] / "fixtures" / "xunit2.xsd")


def case_named(document: str, name: str) -> ElementTree.Element:
    [found] = [case for case in ElementTree.fromstring(document).iter("testcase") if case.get("name") == name]
    return found


@pytest.mark.parametrize(
    "reports", [(), *((one,) for one in EVERY_KIND), EVERY_KIND, (hostile(),), (replace(FAILED, duration_s=1234.5678),)]
)
def test_junit_follows_the_schema(reports: tuple[Report, ...]) -> None:
    XUNIT2.validate(render(reports, "junit"))


@pytest.mark.parametrize("one", [one for one in EVERY_KIND if one.outcome is not Outcome.PASSED])
def test_junit_is_not_green_without_a_pass(one: Report) -> None:
    root = ElementTree.fromstring(render([one], "junit"))
    assert int(root.get("failures", 0)) + int(root.get("errors", 0)) > 0


@pytest.mark.parametrize("one", [PASSED, reveal(PASSED, "score")])
def test_junit_of_a_passed_report_is_green(one: Report) -> None:
    root = ElementTree.fromstring(render([one], "junit"))
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    assert int(root.get("tests", 0)) > 0


def test_junit_counts_its_cases() -> None:
    [suite] = ElementTree.fromstring(render([FAILED], "junit"))
    assert {name: suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped", "time")} == {
        "name": "batch_norm", "tests": "6", "failures": "2", "errors": "1", "skipped": "1", "time": "0.414",
    }  # fmt: skip


def test_the_submission_keeps_the_files_of_several_people_apart() -> None:
    [suite] = ElementTree.fromstring(render([replace(FAILED, submission="o.b-7/batch_norm.py")], "junit"))
    assert suite.get("name") == "batch_norm · o.b-7/batch_norm.py"
    assert {case.get("classname") for case in suite.iter("testcase")} == {"normgrade.batch_norm · o\u2024b-7/batch_norm\u2024py"}


def test_junit_has_the_score_as_properties() -> None:
    root = ElementTree.fromstring(render([FAILED], "junit"))
    assert {found.get("name"): found.get("value") for found in root.iter("property")} == {
        "normgrade": normgrade.__version__, "submission": "batch_norm.py", "outcome": "failed",
        "earned": "4", "possible": "14", "sandbox": "linux", "seed": "0",
    }  # fmt: skip


def test_a_junit_failure_tells_claim_place_and_mistake() -> None:
    found = case_named(render([FAILED], "junit"), "test_statistics[wide]")
    failure = found.find("failure")
    assert found.get("classname") == "normgrade.batch_norm"
    assert failure is not None
    assert failure.attrib == {
        "type": "state",
        "message": "The running statistics follow the batches, with the unbiased variance: step 2 · running_var · float32 · (3,): "
        "2 of 3 numbers differ, worst at [2]: off by 0.067 (relative 6.2 %), allowed 1.3e-06",
    }
    assert failure.text == (
        "step 2 · running_var · float32 · (3,): 2 of 3 numbers differ, worst at [2]: off by 0.067 (relative 6.2 %), allowed 1.3e-06\n"
        "  looks like: every value × 15/16\n"
        "step 1 · weight.grad · float32 · (3,): expected a float32 tensor of shape (3,), got nothing\n"
        "Diagnosis: biased-running-variance: running_var is updated with the biased variance. Multiply by n / (n − 1).\n"
        "Hint: Which variance does PyTorch store?"
    )
    assert found.findtext("system-out") == "var 0.9\n"


def test_a_junit_failure_shows_the_line_of_the_mistake() -> None:
    located = replace(FAILED, diagnoses=(replace(BIASED, spots=(SPOT,)),))
    failure = case_named(render([located], "junit"), "test_statistics[wide]").find("failure")
    assert failure is not None and failure.text is not None
    assert "  19 │ var = h.var(dims)\n     │         ^^^ pass correction=1\n" in failure.text


def test_a_junit_finding_is_a_failure_with_its_place() -> None:
    failure = case_named(render([FOUND], "junit"), "banned at 12:16").find("failure")
    assert failure is not None
    assert failure.get("message") == "F.batch_norm is banned: write it by hand"
    assert failure.text == BANNED.text


def test_a_finding_beside_a_pass_is_green_in_junit() -> None:
    found = case_named(render([replace(PASSED, findings=(BANNED,))], "junit"), "banned at 12:16")
    assert [child.tag for child in found] == ["system-out"]


def test_an_untouched_stub_is_a_junit_failure() -> None:
    failure = case_named(render([NOT_STARTED], "junit"), "started").find("failure")
    assert failure is not None
    assert (
        failure.get("message")
        == "rms_norm is not started. Run `normgrade show rms_norm` to read the task, and write your code in rms_norm.py."
    )


def test_a_bare_score_is_a_junit_failure() -> None:
    failure = case_named(render([reveal(FAILED, "score")], "junit"), "score").find("failure")
    assert failure is not None
    assert failure.get("message") == "4 of 14 points: not passed"


def test_a_failed_courtesy_is_skipped() -> None:
    document = render((ASKED,), "junit")
    [suite] = ElementTree.fromstring(document)
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")
    [skipped] = case_named(document, "test_rank")
    assert (skipped.tag, skipped.get("message")) == ("skipped", "not required to pass: Other ranks are ValueErrors: No error.")
