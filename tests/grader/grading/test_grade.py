"""Tests of grading from file to report: several submissions at once, some of which hang, die, cheat or do not exist."""

from __future__ import annotations

import math
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise, Limits
from normgrade.course.files import read_text
from normgrade.course.mistakes import COST, read_mistakes
from normgrade.course.package import carried
from normgrade.grading import grade as grade_module
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options
from normgrade.language.errors import CourseError
from normgrade.report.report import Check, Diagnosis, Outcome, Report
from normgrade.worker.trusted.channel import Capture
from normgrade.worker.trusted.host import Worker
from normgrade.worker.walls import TIERS
from normgrade.worker.wire.messages import PlayQuestion
from normgrade.worker.wire.observation import Observation

pytestmark = pytest.mark.usefixtures("expectations")
Write = Callable[[str, str], Path]

RMS = "def rms(x, eps=1e-5):\n    {body}\n    return (x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5).type_as(x)\n"
LAYER = (
    (Path(__file__).parents[1] / "fixtures/submissions/right_centring/centring.py")
    .read_text(encoding="utf-8")
    .replace("import torch\n", "import os, torch\n", 1)
    .replace("        mean = x.mean(0)", "        if len(x) == 5:\n            {at_five}\n        mean = x.mean(0)", 1)
)
WITH_FIVE = {"test_training[5]", "test_running_mean"}  # the checks with a batch of five


def written(folder: Path, exercise: Exercise, source: str, name: str = "") -> Submission:
    path = folder / f"{len(list(folder.iterdir()))}_{exercise.file_name}"
    path.write_text(source, encoding="utf-8")
    return Submission(exercise, path, name or path.name)


def outcomes(report: Report) -> dict[str, Outcome]:
    return {check.name: check.outcome for check in report.checks}


def failed(report: Report) -> dict[str, Check]:
    return {check.name: check for check in report.checks if check.outcome is not Outcome.PASSED}


def ran(*_: object) -> None:
    raise AssertionError("something was run")


# Many at once


@pytest.fixture(scope="module")
def together(tiny: Course, expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Report]:
    """Return the reports on submissions for two exercises, graded in one call, by the name of the submission."""
    rms, centring, folder = tiny.exercise("rms"), tiny.exercise("centring"), tmp_path_factory.mktemp("together")
    submissions = [
        written(folder, rms, RMS.format(body="print('hello')"), "right function"),
        written(folder, centring, centring.stub.read_text(encoding="utf-8"), "untouched stub"),
        written(folder, centring, LAYER.format(at_five="pass"), "right layer"),
        written(folder, rms, "def rms(x, eps=1e-5:\n", "syntax error"),
        written(folder, rms, "def rsm(x, eps=1e-5):\n    return x\n", "misspelt"),
        written(folder, rms, "1 / 0\ndef rms(x, eps=1e-5):\n    return x\n", "raises on import"),
        written(folder, centring, LAYER.format(at_five="os._exit(3)"), "dies"),
        written(folder, centring, LAYER.format(at_five="raise SystemExit(3)"), "exits"),
        written(folder, rms, RMS.format(body="return None"), "returns nothing"),
        Submission(rms, folder / "nowhere.py", "missing"),
        written(folder, rms, RMS.format(body="pass"), "right function again"),
    ]
    return dict(zip([each.name for each in submissions], grade(submissions), strict=True))


def test_every_submission_has_its_report_in_its_place(together: Mapping[str, Report]) -> None:
    assert [report.submission for report in together.values()] == list(together)
    assert [report.exercise for report in together.values()] == [
        "rms", "centring", "centring", "rms", "rms", "rms", "centring", "centring", "rms", "rms", "rms",
    ]  # fmt: skip


def test_possible_points_are_those_of_the_suite(edited_course: Callable[..., Course]) -> None:
    """An exercise that is not finished may say otherwise."""
    exercise = edited_course({"exercises/rms/exercise.toml": [("points = 8", "points = 7")]}).exercise("rms")
    [report] = grade([Submission(exercise, exercise.reference, "rms.py")])
    assert (report.earned, report.possible) == (8, 8)


@pytest.mark.parametrize(("name", "points"), [("right function", 8), ("right layer", 10), ("right function again", 8)])
def test_right_ones_pass(name: str, points: int, together: Mapping[str, Report]) -> None:
    report = together[name]
    assert report.outcome is Outcome.PASSED and set(outcomes(report).values()) == {Outcome.PASSED}
    assert (report.earned, report.possible, report.findings, report.diagnoses) == (points, points, (), ())


def test_report_names_its_submission_sandbox_and_seed(together: Mapping[str, Report]) -> None:
    report = together["right function"]
    assert (report.exercise, report.submission, report.sandbox in TIERS, report.seed) == ("rms", "right function", True, 0)
    assert report.duration_s >= sum(check.duration_s for check in report.checks) > 0


def test_check_carries_claim_kind_and_points(together: Mapping[str, Report]) -> None:
    checks = {check.name: check for check in together["returns nothing"].checks}
    assert list(checks) == ["test_call", "test_rows[shape0]", "test_rows[shape1]", "test_alone", "test_half_precision"]
    call, rows = checks["test_call"], checks["test_rows[shape1]"]
    assert (call.claim, call.kind) == ("It can be called and returns a tensor of its input's shape.", "interface")
    assert (call.outcome, call.points, call.message) == (Outcome.FAILED, 1, "")
    [difference] = call.differences
    assert (difference.place, difference.expected, difference.actual) == ("result", "a float32 tensor of shape (2, 3)", None)
    assert (rows.outcome, rows.points, rows.kind) == (Outcome.FAILED, 2, "formula")


def test_output_is_kept_with_its_check(together: Mapping[str, Report]) -> None:
    assert {check.stdout for check in together["right function"].checks} == {"hello\n", "hello\nhello\nhello\n"}
    assert {check.stdout for check in together["right function again"].checks} == {""}


def test_output_of_probes_is_left_out(edited_course: Callable[..., Course], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.worker.trusted.channel.Capture", SlowlyRead)
    exercise = edited_course({"exercises/rms/probes.py": [("def row", "print('loud')\n\n\ndef row")]}).exercise("rms")
    [report] = grade([written(tmp_path, exercise, RMS.format(body="print('hello')"))])
    assert {check.stdout for check in report.checks} == {"hello\n", "hello\nhello\nhello\n"}


class SlowlyRead(Capture):
    """Output that arrives later than the answer it belongs to."""

    def read(self, fd: int) -> None:
        reading, writing = os.pipe()

        def pass_on() -> None:
            while chunk := os.read(fd, 4096):
                time.sleep(0.1)
                os.write(writing, chunk)
            os.close(fd)
            os.close(writing)

        threading.Thread(target=pass_on, daemon=True).start()
        super().read(reading)


def test_an_untouched_stub_is_not_started(together: Mapping[str, Report]) -> None:
    report = together["untouched stub"]
    assert report.outcome is Outcome.NOT_STARTED
    assert (report.findings, report.checks, report.diagnoses, report.earned, report.possible) == ((), (), (), 0, 10)


@pytest.mark.parametrize(
    ("name", "rule", "says"),
    [
        ("syntax error", "syntax", "The file is not valid Python: "),
        ("misspelt", "contract", "The file does not define `rms`, but it defines `rsm`. Rename it."),
        ("missing", "file", "nowhere.py"),
    ],
)
def test_findings_of_inspection_end_the_grade(name: str, rule: str, says: str, together: Mapping[str, Report]) -> None:
    report = together[name]
    [finding] = report.findings
    assert (report.outcome, report.checks, report.earned, report.possible) == (Outcome.FAILED, (), 0, 8)
    assert finding.rule == rule and says in finding.text


def test_failed_import_is_reported_with_its_line(together: Mapping[str, Report]) -> None:
    report = together["raises on import"]
    first, *rest = report.checks
    assert report.outcome is Outcome.FAILED and first.outcome is Outcome.FAILED
    assert first.message == "ZeroDivisionError: division by zero\n  line 1, in <module>: 1 / 0"
    assert {check.outcome for check in rest} == {Outcome.SKIPPED}


@pytest.mark.parametrize(("name", "message"), [("dies", "your code ended the process with exit code 3"), ("exits", "SystemExit: 3")])
def test_exit_fails_only_the_checks_it_hits(name: str, message: str, together: Mapping[str, Report]) -> None:
    found = failed(together[name])
    assert found.keys() == WITH_FIVE and {check.outcome for check in found.values()} == {Outcome.FAILED}
    assert found["test_training[5]"].message.startswith(f"step 1: {message}" if name == "exits" else message)
    assert together[name].earned == 10 - 2 - 2


# Without running anything


def test_nothing_runs_without_a_gradable_submission(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grade_module, "open_grader", ran)
    rms = tiny.exercise("rms")
    stub, broken = written(tmp_path, rms, rms.stub.read_text(encoding="utf-8")), written(tmp_path, rms, "def rms(:")
    reports = grade([stub, broken, Submission(rms, tmp_path, "a folder")], Options(seed=7))
    assert [report.outcome for report in reports] == [Outcome.NOT_STARTED, Outcome.FAILED, Outcome.FAILED]
    assert {(report.seed, report.sandbox, report.checks, report.duration_s) for report in reports} == {(7, "none", (), 0.0)}
    assert grade([]) == []


# Time


@pytest.fixture(scope="module")
def slow(tiny: Course, expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Return the report on a submission that hangs on a batch of five, with a time limit for each answer."""
    exercise = replace(tiny.exercise("centring"), limits=Limits(answer_s=1.0, total_s=60.0))
    [report] = grade([written(tmp_path_factory.mktemp("slow"), exercise, LAYER.format(at_five="while True: pass"))])
    return report


def test_an_endless_loop_fails_only_its_own_checks(slow: Report) -> None:
    found = failed(slow)
    assert slow.outcome is Outcome.FAILED and found.keys() == WITH_FIVE
    late = "no answer within 1 s: is there an endless loop?\n  line 17, in forward: while True: pass"
    assert {check.message for check in found.values()} == {late}


def test_the_time_for_all_checks_runs_out(tiny: Course, tmp_path: Path) -> None:
    source = LAYER.format(at_five="pass").replace("    def forward(self, x):\n", "    def forward(self, x):\n        while True: pass\n")
    [report] = grade([written(tmp_path, tiny.exercise("centring"), source)], Options(timeout_s=1.5))
    found = failed(report)
    assert report.outcome is Outcome.FAILED and outcomes(report)["test_build"] is Outcome.PASSED
    assert all("the time for all checks (1.5 s) is used up" in check.message for check in found.values())
    assert {check.outcome for check in found.values()} == {Outcome.FAILED} and len(found) == 6


@pytest.mark.parametrize(("timeout_s", "longest_s"), [(None, math.inf), (20.0, 10.0)])
def test_only_an_explicit_timeout_bounds_the_search(
    tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timeout_s: float | None, longest_s: float
) -> None:
    told: list[float] = []

    def heard(_results: Any, _known: Any, _plays: Any, within_s: float, *_more: Any) -> tuple[Diagnosis, ...]:
        told.append(within_s)
        return ()

    monkeypatch.setattr("normgrade.diagnosis.investigation.diagnose", heard)
    grade([written(tmp_path, tiny.exercise("rms"), "def rms(x, eps=1e-5):\n    return 2 * x + 1\n")], Options(timeout_s=timeout_s))
    assert told and all(1.0 < within_s <= longest_s for within_s in told)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("def rms(x, eps=1e-5):\n    raise ValueError('not yet')\n", [("crash",)]),
        ("1 / 0\ndef rms(x, eps=1e-5):\n    return x\n", []),
        ("def rms(x, eps=1e-5):\n    import os\n    os._exit(0)\n", []),
        ("def rms(x, eps):\n    return x.missing\n", [("missing-arguments",)]),
    ],
)
def test_no_footprints_are_computed_if_no_play_finishes(
    source: str, named: list[tuple[str, ...]], tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMGRADE_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr("normgrade.grading.tracking.play_all", ran)
    [report] = grade([written(tmp_path, tiny.exercise("rms"), source)])
    assert (report.outcome, report.earned, report.stopped_after_s) == (Outcome.FAILED, 0, None)
    assert [diagnosis.mistakes for diagnosis in report.diagnoses] == named


@pytest.mark.parametrize("seed", [0, 5])
def test_a_timeout_bounds_all_that_follows_the_answers(seed: int, tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(what: str, *rest: Any) -> None:
        tick = rest[-1]
        for _ in range(600):
            time.sleep(0.1)
            tick(what)

    monkeypatch.setenv("NORMGRADE_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr("normgrade.grading.tracking.play_here", slowly)
    options = Options(seed=seed, timeout_s=4.0)
    [report] = grade([written(tmp_path, tiny.exercise("rms"), "def rms(x, eps=1e-5):\n    return 2 * x + 1\n")], options)
    assert report.diagnoses == () and report.stopped_after_s is not None and 0 < report.stopped_after_s < 4.5


def test_a_timeout_leaves_time_to_look_for_the_mistake(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMGRADE_CACHE", str(tmp_path / "empty"))
    rms = tiny.exercise("rms")
    wrong = read_text(rms.reference).replace("mean(dim=-1, keepdim=True)", "sum(dim=-1, keepdim=True)")
    [report] = grade([written(tmp_path, rms, wrong)], Options(timeout_s=60.0))
    assert [diagnosis.mistakes for diagnosis in report.diagnoses] == [("sum-for-mean",)]


# Deaths

AT_CALL = "calls = 0\ndef rms(x, eps=1e-5):\n    global calls\n    calls += 1\n    if calls == {call}:\n        {act}\n    return {right}\n"
RIGHT = "(x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5).type_as(x)"


@pytest.mark.parametrize("call", [1, 2, 7])
@pytest.mark.parametrize(
    ("act", "why"),
    [
        ("os._exit(3)", "your code ended the process with exit code 3"),
        ("ctypes.string_at(0)", "your code crashed: segmentation fault (SIGSEGV)"),
        (
            "kept = bytearray(3 * 2**30)",
            "memory limit: your code may use 1024 MiB more than PyTorch itself needs, and no shared memory",
        ),
    ],
)
def test_right_answer_that_dies_fails_with_its_deaths(act: str, why: str, call: int, tiny: Course, tmp_path: Path) -> None:
    source = "import ctypes, os\n" + AT_CALL.format(call=call, act=act, right=RIGHT)
    [report] = grade([written(tmp_path, tiny.exercise("rms"), source)])
    assert report.outcome is Outcome.FAILED
    assert {death.why for death in report.deaths} == {why} and len(report.deaths) >= 2
    assert report.deaths[0] == report.deaths[1]
    checks = {check.name: check for check in report.checks}
    assert why in checks[report.deaths[0].check].message


def test_right_answer_killed_once_passes_with_one_death(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, asked = Worker.try_to_answer, list[PlayQuestion]()

    def killed_at_the_third(worker: Worker, question: PlayQuestion) -> Observation:
        asked.append(question)
        if len(asked) == 3 and worker.channel is not None:
            worker.channel.kill(0.0)
        return answer(worker, question)

    monkeypatch.setattr("normgrade.worker.trusted.host.AHEAD", 0)  # else the killed process may have answered everything before
    monkeypatch.setattr(Worker, "try_to_answer", killed_at_the_third)
    [report] = grade([written(tmp_path, tiny.exercise("rms"), RMS.format(body="pass"))])
    assert (report.outcome, report.earned) == (Outcome.PASSED, 8)
    [death] = report.deaths
    assert death.play == 3


# Banned calls

TORCH_BATCH_NORM = """
import torch
from torch import nn


class BatchNorm(nn.BatchNorm1d):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats)

    def forward(self, x):
        return super().forward(x.flatten(2)).reshape(x.shape) if x.dim() == 4 else super().forward(x)
"""
TORCH_BATCH_NORM_INSIDE = """
import torch
import torch.nn as nn
from torch.nn import BatchNorm1d as B1


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        inner = B1(num_features, eps, momentum, affine, track_running_stats)
        self.inner = [inner, nn.BatchNorm2d(num_features, eps, momentum, affine, track_running_stats)]
        self.weight, self.bias = inner.weight, inner.bias
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            self.register_buffer(name, getattr(inner, name))

    def forward(self, x):
        layer = self.inner[x.dim() == 4].train(self.training)
        layer.weight, layer.bias = self.weight, self.bias
        layer.running_mean, layer.running_var, layer.num_batches_tracked = self.running_mean, self.running_var, self.num_batches_tracked
        return layer(x)
"""
TORCH_LAYER_NORM = """
import torch


class LayerNorm(torch.nn.LayerNorm):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__(normalized_shape, eps, elementwise_affine, bias)

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        weight, bias = (None if t is None else t.to(wide.dtype) for t in (self.weight, self.bias))
        return torch.nn.functional.layer_norm(wide, self.normalized_shape, weight, bias, self.eps).to(x.dtype)
"""


HALF = {
    "test_half_precision",
    "situation_every_dtype",
    "situation_float32_parameters",
    "situation_far_eps",
}  # PyTorch's CPU kernel rounds the mean to half precision


@pytest.fixture(scope="module", params=["banned", "welcome"])
def library(
    request: pytest.FixtureRequest, expectations: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Mapping[str, Report]]:
    """Return reports on PyTorch's own layers as submissions, with the exercise's bans and without any."""
    course, folder = Course(carried()), tmp_path_factory.mktemp("cheats")
    sources = {"a subclass": TORCH_BATCH_NORM, "two layers inside": TORCH_BATCH_NORM_INSIDE, "a layer norm": TORCH_LAYER_NORM}
    slugs = {"a subclass": "batch_norm", "two layers inside": "batch_norm", "a layer norm": "layer_norm"}
    submissions = [written(folder, course.exercise(slugs[name]), source, name) for name, source in sources.items()]
    if request.param == "welcome":
        submissions = [replace(each, exercise=replace(each.exercise, banned=())) for each in submissions]
    return request.param, dict(zip(sources, grade(submissions), strict=True))


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("a subclass", [(6, "torch.nn.BatchNorm1d")]),
        ("two layers inside", [(10, "torch.nn.BatchNorm1d"), (11, "torch.nn.BatchNorm2d")]),
        ("a layer norm", [(5, "torch.nn.LayerNorm"), (12, "torch.nn.functional.layer_norm")]),
    ],
)
def test_the_library_passes_every_check_unless_it_is_banned(
    name: str, places: list[tuple[int, str]], library: tuple[str, Mapping[str, Report]]
) -> None:
    standing, report = library[0], library[1][name]
    if standing == "welcome":
        decisive = {name for name, check in failed(report).items() if check.decides}  # PyTorch counts a batch before it refuses it
        assert decisive <= (HALF if "BatchNorm" in places[0][1] else set()) and report.findings == ()
        return
    assert report.outcome is Outcome.FAILED and report.diagnoses == ()
    found = [(finding.line, finding.rule, finding.text.partition(" Derive from ")[0]) for finding in report.findings]
    assert found == [(line, "banned", f"This line uses `{used}`, which must be written by hand.") for line, used in places]
    assert any(re.search("ByHand: this (calls|inherits from) `torch[.]", check.message) for check in failed(report).values())


# Options


def test_the_seed_draws_the_inputs(tiny: Course, tmp_path: Path) -> None:
    submission = written(tmp_path, tiny.exercise("rms"), RMS.format(body="return x"))
    reports = [grade([submission], Options(seed=seed))[0] for seed in (1, 2)]
    one, other = (failed(report)["test_rows[shape0]"].differences[0].expected for report in reports)
    assert one != other and [report.seed for report in reports] == [1, 2]


def test_mistake_is_named_under_every_seed(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("rms")
    [mistake] = [mistake for mistake in read_mistakes(exercise) if mistake.name == "eps-outside-root"]
    submission = written(tmp_path, exercise, mistake.source)
    reports = [grade([submission], Options(seed=seed))[0] for seed in (0, 7)]
    assert [report.diagnoses[0].mistakes for report in reports] == [("eps-outside-root",)] * 2
    first, other = ([check.differences for check in report.checks] for report in reports)
    assert first != other


def test_stub_is_graded_if_allowed(tiny: Course, tmp_path: Path) -> None:
    rms = tiny.exercise("rms")
    stub = written(tmp_path, rms, rms.stub.read_text(encoding="utf-8"))
    [report] = grade([stub], Options(allow_stub=True))
    assert report.outcome is Outcome.FAILED and report.checks[0].message.startswith("NotImplementedError: divide every row")


def test_progress_is_told_after_every_check(tiny: Course, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    submissions = [
        written(tmp_path, tiny.exercise("rms"), RMS.format(body="pass"), "right"),
        written(tmp_path, tiny.exercise("rms"), RMS.format(body="return 2 * x + 1"), "wrong"),
    ]
    grade(submissions, Options(progress=lambda *what: told.append(what)))
    counted = [(f"{name}: check {done} of 5", done, 5) for name in ("right", "wrong") for done in (1, 2, 3, 4, 5)]
    steps = [step for step in told if ": check" in step[0] or "looking" in step[0]]
    assert steps == [*counted, ("wrong: looking for the mistake", 0, 0)]


def test_each_step_is_told_from_the_start_on(tiny: Course, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    submission = written(tmp_path, tiny.exercise("rms"), RMS.format(body="pass"), "right")
    grade([submission], Options(seed=11, progress=lambda *what: told.append(what)))
    expected = "rms: expected results, once for seed 11"
    assert told[0] == ("starting PyTorch", 0, 0) and {step for step in told if step[0] == expected} <= {(expected, n, 5) for n in range(5)}


def test_report_is_told_before_the_search_and_after(tiny: Course, tmp_path: Path) -> None:
    told: list[Report] = []
    wrong, right = read_mistakes(tiny.exercise("rms"))[0].source, RMS.format(body="pass")
    submissions = [written(tmp_path, tiny.exercise("rms"), source, name) for name, source in (("wrong", wrong), ("right", right))]
    reports = grade(submissions, on_report=told.append)
    assert [(report.submission, report.searching) for report in told] == [("wrong", True), ("wrong", False), ("right", False)]
    assert told[1:] == reports and told[0].checks == reports[0].checks
    assert told[0].diagnoses == () != told[1].diagnoses and told[0].earned <= told[1].earned


def test_nothing_is_told_early_without_a_search(tiny: Course, tmp_path: Path) -> None:
    told: list[Report] = []
    raising = written(tmp_path, tiny.exercise("rms"), RMS.format(body="raise ValueError"), "raising")
    unread = written(tmp_path, tiny.exercise("rms"), "def rms(", "unread")
    reports = grade([raising, unread], on_report=told.append)
    assert told == reports and not any(report.searching for report in reports)


# Broken courses


@pytest.mark.parametrize(
    ("path", "old", "new", "name", "message"),
    [
        ("tests/hidden/test_rms.py", 'agree(probe("row', 'agree(1 + probe("row', "test_alone", "TypeError: "),
        ("tests/hidden/test_rms.py", '"row_by_row"', '"by_column"', "test_alone", 'there is no probe "by_column". '),
        ("solutions/rms/reference.py", "wide.square()", "(1 / 0)", "test_rows[shape0]", "the reference itself raises Zero"),
    ],
)
def test_broken_course_is_an_error_not_a_failure(
    path: str, old: str, new: str, name: str, message: str, tiny: Course, edited_course: Callable[..., Course]
) -> None:
    exercise = edited_course({path: [(old, new)]}).exercise("rms")
    [report] = grade([Submission(exercise, tiny.exercise("rms").reference, "right")])
    assert report.outcome is Outcome.ERROR and report.findings == ()
    [check] = [check for check in report.checks if check.name == name]
    assert check.outcome is Outcome.ERROR and check.message.startswith(f"the suite is broken, not your code: {message}")


def test_a_suite_that_is_no_python_is_named(edited_course: Callable[..., Course]) -> None:
    exercise = edited_course({"tests/hidden/test_rms.py": "import pytest\ndef test_it(agree:\n"}).exercise("rms")
    with pytest.raises(CourseError) as caught:
        grade([Submission(exercise, exercise.reference, "right")])
    why = "the hidden suite cannot be collected: SyntaxError: '(' was never closed"
    assert str(caught.value) == f"{exercise.suite}, line 2: {why}"


def test_broken_probes_are_named_in_the_error(edited_course: Callable[..., Course]) -> None:
    exercise = edited_course({"exercises/rms/probes.py": "1 / 0\n"}).exercise("rms")
    [report] = grade([Submission(exercise, exercise.reference, "right")])
    assert report.outcome is Outcome.ERROR and {check.outcome for check in report.checks} == {Outcome.ERROR}
    assert report.checks[0].message == "The course's own probes cannot be executed: ZeroDivisionError: division by zero."


def test_a_diagnosis_points_at_the_learners_own_lines(tmp_path: Path) -> None:
    exercise = Course(carried()).exercise("layer_norm")
    source = exercise.reference.read_text(encoding="utf-8").replace("dims", "axes").replace("True, correction=0", "True")
    [report] = grade([written(tmp_path, exercise, source)])
    [spot] = report.diagnoses[0].spots
    place = spot.text[spot.column - 1 :][: spot.width]
    assert (spot.mistake, spot.text.strip().startswith("var = "), place) == ("unbiased-variance", True, "var")
    assert spot.text == source.splitlines()[spot.line - 1] and "correction=0" in spot.remedy


# Points


def test_course_chooses_credit_for_mistakes_or_claims(tiny: Course, tmp_path: Path) -> None:
    rms = tiny.exercise("rms")
    wrong = read_text(rms.reference).replace("mean(dim=-1, keepdim=True)", "sum(dim=-1, keepdim=True)")
    submissions = [written(tmp_path, replace(rms, credit=credit), wrong) for credit in ("mistakes", "claims")]
    mistakes, claims = grade(submissions)
    assert [diagnosis.mistakes for diagnosis in mistakes.diagnoses] == [("sum-for-mean",)]
    assert mistakes.of_claims == claims.earned < mistakes.earned == rms.points - COST
