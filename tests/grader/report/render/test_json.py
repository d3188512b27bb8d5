"""Reports as JSON, the contract for programs, and reports that are read from it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
import sample_reports as reports
from sample_reports import ASKED, BANNED, BIASED, FAILED, MISSING, SPOT, STATISTICS, VARIANCE, failed, hostile, report

import normgrade
from normgrade.report.render import FORMATS, render
from normgrade.report.render.json import report_as_json, report_from_json
from normgrade.report.report import UNLISTED, ArrayDifference, Raised, Report, Spot, WrongStep


def test_json_is_the_contract() -> None:
    located = replace(BIASED, spots=(SPOT,))
    one = report(failed(duration_s=0.01249, message="m", hint="h", stdout="s\n"), findings=(BANNED,), diagnoses=(located,), seed=7)
    text = render([one], "json")
    assert text.startswith('{\n  "version": 1,\n') and text.endswith("\n}\n")
    content = json.loads(text)
    assert content == {
        "version": 1,
        "normgrade": normgrade.__version__,
        "reports": [
            {
                "exercise": "batch_norm",
                "submission": "batch_norm.py",
                "outcome": "failed",
                "score": {"earned": 0, "possible": 3},
                "granted": 0,
                "withheld": 0,
                "digest": "",
                "sandbox": "linux",
                "lost": [],
                "seed": 7,
                "course": "",
                "duration_s": 0.414,
                "findings": [{"line": 12, "column": 16, "rule": "banned", "text": BANNED.text}],
                "diagnoses": [
                    {
                        "mistakes": ["biased-running-variance"],
                        "says": BIASED.says,
                        "checks": list(BIASED.checks),
                        "cost": 0,
                        "texts": [],
                        "spots": [asdict(SPOT)],
                    }
                ],
                "unexplained": [],
                "first_wrong_step": None,
                "cells": [],
                "limits": [],
                "stopped_after_s": None,
                "deaths": [],
                "checks": [
                    {
                        "name": "test_statistics[wide]",
                        "claim": STATISTICS,
                        "kind": "state",
                        "outcome": "failed",
                        "points": 3,
                        "earned": 0,
                        "duration_s": 0.012,
                        "message": "m",
                        "hint": "h",
                        "stdout": "s\n",
                        "lines": [],
                        "call": "",
                        "raised": None,
                        "differences": [
                            {
                                "place": "step 2 · running_var",
                                "called": "",
                                "dtype": "float32",
                                "shape": [3],
                                "mismatched": 2,
                                "total": 3,
                                "max_abs": VARIANCE.max_abs,
                                "max_rel": VARIANCE.max_rel,
                                "allowed": 1.3e-06,
                                "at": [2],
                                "expected": 1.0677,
                                "actual": 1.001,
                                "looks_like": "every value × 15/16",
                            }
                        ],
                    }
                ],
            }
        ],
    }


def test_json_has_the_first_wrong_step() -> None:
    step = WrongStep("the mean is not right (line 3)", Spot(UNLISTED, 3, 5, 8, "    x.mean(0)"))
    [content] = json.loads(render([report(failed(), step=step)], "json"))["reports"]
    assert content["first_wrong_step"] == {"says": step.says, "line": 3, "column": 5, "width": 8, "text": step.spot.text}


def test_json_keys_come_in_the_order_of_the_contract() -> None:
    [content] = json.loads(render([report(failed())], "json"))["reports"]
    order = "exercise submission outcome score granted withheld digest sandbox lost seed course duration_s findings diagnoses unexplained"
    assert list(content) == [*order.split(), "first_wrong_step", "cells", "limits", "stopped_after_s", "deaths", "checks"]
    order = "name claim kind outcome points earned duration_s message hint stdout lines call raised differences"
    assert list(content["checks"][0]) == order.split()


def test_json_has_the_exception_and_the_limits() -> None:
    raised = Raised("NameError: no", line=3, column=9, width=5, text="    x = y", function="forward", advice="Name it.")
    whole = replace(report(failed(call="rms(x)", raised=raised)), limits=("It works in training.",))
    [content] = json.loads(render([whole], "json"))["reports"]
    [check] = content["checks"]
    assert (content["limits"], check["call"], check["raised"]) == (["It works in training."], "rms(x)", asdict(raised))


@pytest.mark.parametrize(
    "number, held",
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (-float("inf"), "-inf"),
        (np.float32("nan"), "nan"),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (None, None),
        (True, True),
    ],
)
def test_json_holds_every_number(number: Any, held: object) -> None:
    one = replace(VARIANCE, actual=number, max_abs=number)
    [difference] = json.loads(render([report(failed(differences=(one,)))], "json"))["reports"][0]["checks"][0]["differences"]
    assert [difference["actual"], difference["max_abs"]] == [held, held]
    assert type(difference["actual"]) is type(held)


def test_json_of_a_difference_in_kind() -> None:
    [difference] = json.loads(render([report(failed(differences=(MISSING,)))], "json"))["reports"][0]["checks"][0]["differences"]
    assert (difference["at"], difference["max_abs"], difference["actual"]) == (None, None, "nothing")


def test_json_is_readable_and_always_utf_8() -> None:
    text = render([hostile(), FAILED], "json")
    assert "step 2 · running_var" in text
    assert "\ufffd" in text.encode("utf-8").decode("utf-8")
    assert "\x1b" not in text


def test_only_a_courtesy_is_marked_as_one() -> None:
    checks = json.loads(render((ASKED,), "json"))["reports"][0]["checks"]
    assert [check.get("courtesy") for check in checks] == [None, True]


# Reports that are read from JSON


def reread(report: Report) -> Report:
    return report_from_json(json.loads(json.dumps(report_as_json(report))), report.source)


@pytest.mark.parametrize("report", reports.EVERY_KIND)
def test_report_says_the_same_after_json(report: Report) -> None:
    assert reread(report).source == report.source
    assert report_as_json(reread(report)) == report_as_json(report)


def test_points_stay_after_json() -> None:
    assert [reread(each).earned for each in reports.EVERY_KIND] == [each.earned for each in reports.EVERY_KIND]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("report", reports.EVERY_KIND)
def test_every_format_writes_a_report_from_json(format: str, report: Report) -> None:
    again = reread(report)
    assert render([again], format) == render([reread(again)], format)
    assert report.exercise in render([again], format) or format == "classroom50"


def test_numbers_that_are_not_finite_come_back() -> None:
    difference = reports.differing([1.0, np.nan], [np.inf, 2.0], 1e-6)
    [again] = reread(reports.report(reports.failed(differences=(difference,)))).checks[0].differences
    assert isinstance(again, ArrayDifference)
    assert (again.max_abs, again.at) == (difference.max_abs, difference.at)
    np.testing.assert_equal((again.expected, again.actual), (difference.expected, difference.actual))


def test_something_else_is_refused() -> None:
    with pytest.raises(LookupError):
        report_from_json({"exercise": "layer_norm"}, "")
