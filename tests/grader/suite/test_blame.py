"""Tests of the message to an author about a broken suite, probe or reference: the file, the line and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from hidden_suites import EditedCourse, InThisProcess, played

from normgrade.course.course import Course
from normgrade.grading.grade import Submission, grade
from normgrade.report.report import Outcome
from normgrade.suite.blame import functions_in
from normgrade.suite.collection import collect

SUITE, PROBES, REFERENCE = "tests/hidden/test_rms.py", "exercises/rms/probes.py", "solutions/rms/reference.py"
RIGHT = "def rms(x, eps=1e-5):\n    return (x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5).type_as(x)\n"
RETURNED = '{Place("row {number}", number=number): impl.rms(row) for number, row in enumerate(x, 1)}'
IN_TORCH = [("import pytest\n", "import pytest\nimport torch\n")]
WHAT_TO_USE = "TypeError: a suite cannot use a Tensor of torch: use randn(…), uniform(…), ones(…), zeros(…), or a NumPy array"
NOT_FINITE = (
    "the reference gives NaN or infinity at row 1, so results cannot be compared with it: "
    "play it on an input for which it is finite, or spoil less than half of an input's numbers if NaN is intended"
)
BROKEN = {  # edits, the check that ends in an error, and its message
    "suite": (
        {SUITE: [('agree(probe("row', 'agree(1 + probe("row')]},
        "test_alone",
        f"{SUITE}, line 24: TypeError: unsupported operand type(s) for +: 'int' and 'OwnProbe'",
    ),
    "probe": (
        {PROBES: [("impl.rms(row)", "impl.rms(row).nonsense()")]},
        "test_alone",
        f"{PROBES}, line 8: the exercise's own probes raise AttributeError: 'Tensor' object has no attribute 'nonsense'",
    ),
    "probe in float64 alone": (
        {PROBES: [("    return {", "    x.dtype.itemsize == 8 and 1 / 0\n    return {")]},
        "test_alone",
        f"{PROBES}, line 8: the exercise's own probes raise ZeroDivisionError: division by zero",
    ),
    "unknown probe": (
        {SUITE: [('"row_by_row"', '"row_by_rwo"')]},
        "test_alone",
        f'{SUITE}, line 24: there is no probe "row_by_rwo". Did you mean "row_by_row"? {PROBES} has row_by_row',
    ),
    "argument of a probe": (
        {SUITE: [("x=randn(3, 4)", "y=randn(3, 4)")]},
        "test_alone",
        f"{SUITE}, line 24: the probe row_by_row raises TypeError: row_by_row() got an unexpected keyword argument 'y' ({PROBES}, line 6)",
    ),
    "syntax of probes": (
        {PROBES: [("return {", "return {{")]},
        "test_call",
        f"{PROBES}, line 8: SyntaxError: '{{' was never closed",
    ),
    "error of probes when they are read": (
        {PROBES: [("impl, x):\n", "impl, x=1 / 0):\n")]},
        "test_call",
        f"{PROBES}, line 6: ZeroDivisionError: division by zero",
    ),
    "tensor": (
        {SUITE: [*IN_TORCH, ("x=randn(3, 4)", "x=torch.randn(3, 4)")]},
        "test_alone",
        f"{SUITE}, line 25: {WHAT_TO_USE}",
    ),
    "tensor in a call": (
        {SUITE: [*IN_TORCH, ('(randn(4, 8) * 300).astype("float16")', "torch.randn(4, 8)")]},
        "test_half_precision",
        f"{SUITE}, line 31: {WHAT_TO_USE}",
    ),
    "list": (
        {PROBES: [(RETURNED, '{"rows": [impl.rms(row) for row in x]}')]},
        "test_alone",
        f"{SUITE}, line 24: the reference returns a list at rows, which cannot be compared: return tensors, NumPy arrays, numbers, "
        f"bools, texts or None, each at its own place ({PROBES}, line 6)",
    ),
    "no dict": (
        {PROBES: [(RETURNED, "[impl.rms(row) for row in x]")]},
        "test_alone",
        f"{SUITE}, line 24: the probe row_by_row raises TypeError: a probe must return a dict from places to values, but this one returned "
        f"a list ({PROBES}, line 6)",
    ),
    "NaN": (
        {SUITE: [("x=randn(3, 4)", "x=randn(3, 4) * float('nan')")]},
        "test_alone",
        f"{SUITE}, line 24: {NOT_FINITE} ({PROBES}, line 6)",
    ),
    "reference": (
        {REFERENCE: [("wide.square()", "(1 / 0)")]},
        "test_rows[shape0]",
        f"{REFERENCE}, line 10: the reference itself raises ZeroDivisionError: division by zero",
    ),
    "reference in observe": (
        {REFERENCE: [("wide.square()", "(1 / 0)")]},
        "test_call",
        f"{REFERENCE}, line 10: the reference itself raises ZeroDivisionError: division by zero",
    ),
    "helper": (
        {
            "tests/hidden/shared.py": "def rows():\n    return 1 / 0\n",
            SUITE: [("import pytest\n", "import pytest\nfrom shared import rows\n"), ("x=randn(3, 4)", "x=rows()")],
        },
        "test_alone",
        "tests/hidden/shared.py, line 2: ZeroDivisionError: division by zero",
    ),
}


@pytest.mark.parametrize("way", BROKEN)
def test_an_author_reads_file_and_line(way: str, edited_course: EditedCourse, tmp_path: Path) -> None:
    edits, name, says = BROKEN[way]
    exercise = edited_course(edits).exercise("rms")
    results = {result.check.name: result for result in played(collect([exercise])["rms"], InThisProcess(RIGHT, exercise), tmp_path)}
    assert results[name].check.outcome is Outcome.ERROR
    assert results[name].broken == says
    assert all(bool(result.broken) == (result.check.outcome is Outcome.ERROR) for result in results.values())


def test_missing_probe_file_is_named(edited_course: EditedCourse, tmp_path: Path) -> None:
    course = edited_course({"tests/hidden/test_centring.py": [("def test_rank(refuses):", "def test_rank(agree):")]})
    suite = course.root / "tests/hidden/test_centring.py"
    head, body = suite.read_text(encoding="utf-8").split("def test_rank(agree):", 1)
    docstring = body.split('"""')[1]
    lines = f'def test_rank(agree):\n    """{docstring}"""\n    from normgrade.suite import probe\n\n    agree(probe("ranks"))\n'
    suite.write_text(head + lines, encoding="utf-8")
    exercise = course.exercise("centring")
    results = {result.check.name: result for result in played(collect([exercise])["centring"], InThisProcess(CENTRING, exercise), tmp_path)}
    line = (head + lines).count("\n")
    path = "exercises/centring/probes.py"
    says = f'there is no probe "ranks": {path} does not exist, which would define it'
    assert results["test_rank"].broken == f"tests/hidden/test_centring.py, line {line}: {says}"


CENTRING = (Path(__file__).parents[1] / "fixtures/submissions/right_centring/centring.py").read_text(encoding="utf-8")


def test_functions_that_build_layers_are_no_probes() -> None:
    source = "BUILDERS = {'a': made}\n\ndef made(impl): ...\n\ndef _inner(): ...\n\ndef seen(impl): ...\n"
    assert functions_in(source) == {"seen": 7}
    assert functions_in("def (") == {}


def test_a_situation_is_blamed_on_the_typical_uses(edited_course: EditedCourse, tmp_path: Path) -> None:
    toml = [('all = "a course for tests"', 'as_built = "a function has no state"')]
    typical = "\n\ndef typical():\n    return [nonsense]\n"
    course: Course = edited_course({"exercises/rms/exercise.toml": toml})
    suite = course.root / SUITE
    suite.write_text(suite.read_text(encoding="utf-8") + typical, encoding="utf-8")
    exercise = course.exercise("rms")
    results = played(collect([exercise])["rms"], InThisProcess(RIGHT, exercise), tmp_path)
    broken = {result.broken for result in results if result.broken}
    assert broken == {f"{SUITE}, line 34: NameError: name 'nonsense' is not defined"}


WITH_A_HELPER = {
    PROBES: [("from normgrade.probes import Place\n", "from shared_probes import called\n"), (RETURNED, "called(impl.rms, x)")],
    "exercises/shared_probes.py": "def called(function, x):\n    return {f'row {n}': function(row) for n, row in enumerate(x, 1)}\n",
}


def test_probes_share_modules_beside_the_exercises(edited_course: EditedCourse, tmp_path: Path) -> None:
    path = tmp_path / "rms.py"
    path.write_text(RIGHT, encoding="utf-8")
    [report] = grade([Submission(edited_course(WITH_A_HELPER).exercise("rms"), path, "rms.py")])
    assert report.outcome is Outcome.PASSED


def test_error_in_a_shared_probe_module_names_it(edited_course: EditedCourse, tmp_path: Path) -> None:
    exercise = edited_course(WITH_A_HELPER | {"exercises/shared_probes.py": "called = 1 / 0\n"}).exercise("rms")
    results = played(collect([exercise])["rms"], InThisProcess(RIGHT, exercise), tmp_path)
    told = {result.broken for result in results if result.check.name == "test_alone"}
    assert told == {"exercises/shared_probes.py, line 1: ZeroDivisionError: division by zero"}
