"""Grading in notebooks, in IPython and in plain Python, as a learner meets it: a kernel runs a notebook from its first cell on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import normgrade
from normgrade.course.course import Course
from normgrade.course.trust import trust
from normgrade.language.errors import UsageError
from normgrade.language.places import Place
from normgrade.learner.standing import Attempts
from normgrade.notebook.notebook import cells_of, python, words
from normgrade.report.render import BRIEF, FULL, Detail
from normgrade.report.render.html import render_fragment
from normgrade.report.report import Check, Kind, Outcome, Report, ValueDifference
from normgrade.worker.trusted import launch

PACKAGE = str(Path(launch.__file__).parents[2])
FIRST = """\
%load_ext normgrade
import normgrade, torch
from torch import Tensor, nn, zeros
"""
HELPER = """\
MOMENTUM = 0.1

def refuse(x: Tensor) -> None:
    if x.dim() != 2:
        raise ValueError(f"x must be (N, num_features), but its shape is {tuple(x.shape)}.")
"""
WRONG = """\
%%normgrade centring --seed 3
%alias_magic nothing time
class Centring(nn.Module):
    def __init__(self, num_features, momentum=MOMENTUM):
        super().__init__()
        print("<script>document.title = 'run'</script>")
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("steps", torch.tensor(0))

    def forward(self, x):
        refuse(x)
        mean = x.mean(dim=0)
        self.steps += 1
        self.running_mean += self.momentum * (mean.detach() - self.running_mean)
        return (x - mean) * self.weight
"""
USABLE = "Centring(2)(torch.eye(2)).tolist()"
RIGHT = """\
class Counting(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_features))
        self.register_buffer("running_mean", zeros(num_features))
        self.register_buffer("steps", torch.tensor(0))

class Centring(Counting):
    def __init__(self, num_features: int, momentum: float = MOMENTUM) -> None:
        super().__init__(num_features)
        self.momentum = momentum

    def forward(self, x: Tensor) -> Tensor:
        refuse(x)
        mean = x.mean(dim=0) if self.training else self.running_mean
        if self.training:
            self.steps += 1
            self.running_mean += self.momentum * (mean.detach() - self.running_mean)
        return (x - mean) * self.weight
"""
PASSED = """\
before = torch.manual_seed(1).get_state()
torch.set_default_dtype(torch.float64)
graded = normgrade.check("centring", Centring)
graded
"""
UNTOUCHED = """\
import sys
[
    torch.equal(before, torch.get_rng_state()),
    torch.get_default_dtype(),
    {"normgrade.oracle.oracle", "normgrade.grading.run", "pytest"} & set(sys.modules),
    graded.passed,
]
"""
SENT = "print(graded.reports[0].source)"
NO_SLUG = "%%normgrade centering\nnot_run = 1"
NO_SEED = "%%normgrade centring --seed -1\nnot_run = 1"
NO_OPTION = "%%normgrade centring --sed 1\nnot_run = 1"
HELP = "%%normgrade --help\nnot_run = 1"
LIVE = "%%normgrade centring\nnot_run = before"
NOT_RUN = "'not_run' in globals()"
BROKEN = "%%normgrade centring\nclass Centring(:\n    pass"
TENSOR = "W = torch.ones(2)\ndef rms(x): return x * W\nnormgrade.check('rms', rms)"
SLUG_OF_NONE = "normgrade.check('centering', Centring)"
BY_NAME = "normgrade.check(Centring)"
OBJECT = "normgrade.check(Centring(2))"
ALONE = "%normgrade"
TASK = "%normgrade show centring"
HINT = "%normgrade hint centring"
SOLUTION = "%normgrade solution centring"
NO_COMMAND = "%normgrade hnt centring"
NOT_PASSED = "%normgrade solution rms"
CELLS = (
    *(FIRST, HELPER, WRONG, USABLE, HINT, RIGHT, PASSED, UNTOUCHED, SENT),
    *(NO_SLUG, NO_SEED, NO_OPTION, HELP, LIVE, NOT_RUN, TENSOR, SLUG_OF_NONE, OBJECT),
    *(ALONE, TASK, SOLUTION, NO_COMMAND, NOT_PASSED, BY_NAME, BROKEN),
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, expectations: Path) -> Iterator[Path]:
    """Hide the settings and the language of the user, and return a folder for all files of the tests."""
    root = tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NORMGRADE_COURSE", "NORMGRADE_REQUIRE_ISOLATION"):
            patch.delenv(name, raising=False)
        patch.setenv("NORMGRADE_LANG", "en")
        patch.setenv("PYTHONPATH", PACKAGE)
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"):
            patch.setenv(name, str(root / "settings"))
        yield root


@pytest.fixture(scope="module")
def workspace(environment: Path, tiny: Course) -> Path:
    """Return a workspace of the tiny course."""
    folder = environment / "workspace"
    folder.mkdir()
    (folder / "normgrade.toml").write_text(f"course = {json.dumps(str(tiny.root))}\n")
    trust(folder, tiny.root)
    return folder


RUN = """
import json, sys
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

kernels, folder, cells = json.load(sys.stdin)
book = new_notebook(cells=[new_code_cell(cell) for cell in cells])
manager = AsyncKernelManager(kernel_name="ours", kernel_spec_manager=KernelSpecManager(kernel_dirs=[kernels], ensure_native_kernel=False))
NotebookClient(book, km=manager, allow_errors=True, resources={"metadata": {"path": folder}}).execute()
json.dump([cell.outputs for cell in book.cells], sys.stdout)
"""
Output = dict[str, Any]
Outputs = Callable[[str], list[Output]]


@pytest.fixture(scope="module")
def outputs(environment: Path, workspace: Path) -> Outputs:
    """Return the outputs of each cell of the notebook, run by a kernel of this Python in the workspace."""
    if not (find_spec("ipykernel") and find_spec("nbclient")):
        pytest.skip("a kernel needs ipykernel and nbclient: `pip install ipykernel nbclient`")
    kernels = environment / "kernels"
    (kernels / "ours").mkdir(parents=True)
    spec = {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "ours", "language": "python"}
    (kernels / "ours" / "kernel.json").write_text(json.dumps(spec))
    asked = json.dumps([str(kernels), str(workspace), CELLS])
    done = subprocess.run([sys.executable, "-P", "-c", RUN], input=asked, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return dict(zip(CELLS, json.loads(done.stdout), strict=True)).__getitem__


def shown(outputs: list[Output]) -> dict[str, str]:
    """Return the last output of a cell, in every form."""
    assert outputs[-1]["output_type"] == "execute_result", outputs
    return dict(outputs[-1]["data"])


def printed(outputs: list[Output]) -> str:
    """Return all text that a cell printed; it must have no other output."""
    assert {output["output_type"] for output in outputs} <= {"stream"}, outputs
    return "".join(output["text"] for output in outputs)


def refused(outputs: list[Output]) -> str:
    """Return the sentence that refused a cell; it must be one line, without a traceback."""
    [error] = outputs
    assert error["ename"] == "UsageError" and error["traceback"] == [f"UsageError: {error['evalue']}"]
    return str(error["evalue"])


class Parsed(HTMLParser):
    """A page as a browser reads it: its elements, ids and links, and its text."""

    def __init__(self, *pages: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        for page in pages:
            self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.ids += [value or "" for name, value in attributes if name == "id"]
        self.links += [value or "" for name, value in attributes if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


# In a notebook


def test_a_cell_is_run_and_graded(outputs: Outputs) -> None:
    assert outputs(FIRST) == outputs(HELPER) == []
    data = shown(outputs(WRONG))
    assert data["text/plain"].startswith("centring · cell ") and "7 of 10 points, not passed" in data["text/plain"]
    assert shown(outputs(USABLE))["text/plain"] == "[[0.5, -0.5], [-0.5, 0.5]]"


def test_the_early_verdict_is_gone(outputs: Outputs) -> None:
    early = [output["data"] for output in outputs(WRONG) if output["output_type"] == "display_data"]
    assert early == [{"text/html": "", "text/plain": ""}]


def test_a_report_is_a_picture_in_a_notebook(outputs: Outputs) -> None:
    page = Parsed(shown(outputs(WRONG))["text/html"])
    assert {"table", "svg", "style"} <= page.tags
    assert "7 of 10 points, not passed" in page.text and "seed 3" in page.text and "def refuse(x: Tensor) -> None:" in page.text


def test_the_output_of_a_cell_stays_small(outputs: Outputs) -> None:
    for cell in (WRONG, PASSED, BROKEN):
        assert sum(len(shape.encode()) for shape in shown(outputs(cell)).values()) <= 60_000


def test_printed_markup_stays_text(outputs: Outputs) -> None:
    page = Parsed(shown(outputs(WRONG))["text/html"])
    assert "<script>document.title = 'run'</script>" in page.text and "script" not in page.tags


def test_several_reports_in_one_notebook_do_not_share_ids(outputs: Outputs) -> None:
    page = Parsed(*(shown(outputs(cell))["text/html"] for cell in (WRONG, PASSED, BROKEN)))
    assert len(page.ids) == len(set(page.ids)) > 3
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)


def test_a_class_is_graded_with_earlier_cells(outputs: Outputs) -> None:
    data = shown(outputs(PASSED))
    assert data["text/plain"].startswith("centring · Centring ") and "10 of 10 points, passed" in data["text/plain"]
    assert "passed" in data["text/html"]
    sent = printed(outputs(SENT))
    assert "from torch import Tensor, nn, zeros\n" in sent and "MOMENTUM = 0.1\n" in sent and "\n\nclass Counting(nn.Module):\n" in sent
    assert "\n\nclass Centring(Counting):\n" in sent and "\n\ndef refuse(x: Tensor) -> None:\n" in sent


def test_in_a_workspace_a_pass_tells_the_next_exercise(outputs: Outputs) -> None:
    data = shown(outputs(PASSED))
    said = data["text/plain"].splitlines()
    assert any(line.startswith("Passed after 2 attempts.") for line in said) and said[-1].startswith("Next is rms ")
    assert "Passed after 2 attempts." in Parsed(data["text/html"]).text


def test_grading_leaves_the_notebook_unchanged(outputs: Outputs) -> None:
    assert shown(outputs(UNTOUCHED))["text/plain"] == "[True, torch.float64, set(), True]"


def test_attempts_are_kept_in_the_workspace(outputs: Outputs, workspace: Path) -> None:
    kept = Attempts(workspace / ".normgrade" / "progress.db").attempts("centring")
    assert [attempt.passed for attempt in kept] == [False, True, False]  # the second pass is of the same source
    assert (workspace / ".normgrade" / "notebook" / "centring.py").read_text() == BROKEN.partition("\n")[2] + "\n"


def test_invalid_python_is_reported(outputs: Outputs) -> None:
    error, _ = outputs(BROKEN)
    assert error["ename"] == "SyntaxError"  # as without grading
    assert "✗ 1:16 syntax: The file is not valid Python" in shown(outputs(BROKEN))["text/plain"]


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        (NO_SLUG, 'No exercise named "centering". Did you mean "centring"? `normgrade list` shows them all.'),
        (NO_SEED, '"-1" is not a valid seed. --seed must be a whole number from 0 to 4294967295, or "random".'),
        (NO_OPTION, "No such option"),
        (LIVE, '"The cell" uses "before", which is computed elsewhere.'),
    ],
)
def test_a_wrong_call_is_refused_and_nothing_runs(outputs: Outputs, cell: str, sentence: str) -> None:
    assert refused(outputs(cell)).startswith(sentence)
    assert shown(outputs(NOT_RUN))["text/plain"] == "False"


def test_help_is_given(outputs: Outputs) -> None:
    said = printed(outputs(HELP))
    assert said.startswith("Usage: %%normgrade [OPTIONS] SLUG\n") and "--timeout S" in said


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        (SLUG_OF_NONE, 'No exercise named "centering". Did you mean "centring"? `normgrade list` shows them all.'),
        (
            OBJECT,
            "Cannot grade a value of type Centring: it is neither a class nor a function. "
            "Pass the class or function that you defined, as in check(…, Centring).",
        ),
        (
            TENSOR,
            '"rms" uses "W", which is computed elsewhere. Only imports, definitions and literals of other cells are sent: '
            "create it where it is used, or pass it as an argument.",
        ),
        (NO_COMMAND, 'No command named "hnt". Did you mean "hint"? Run `%normgrade` to see all commands.'),
        (
            NOT_PASSED,
            "No passed attempt at rms is recorded here. Run `normgrade hint rms` for a hint, or use --spoil to see the answer.",
        ),
    ],
)
def test_an_error_is_one_line_without_a_traceback(outputs: Outputs, cell: str, sentence: str) -> None:
    assert refused(outputs(cell)) == sentence


def test_the_name_of_a_class_tells_the_exercise(outputs: Outputs) -> None:
    data = shown(outputs(BY_NAME))
    assert data["text/plain"].startswith("centring · Centring ")


def test_commands_work_as_in_a_terminal(outputs: Outputs) -> None:
    assert "  %normgrade hint …\n" in printed(outputs(ALONE))
    assert shown(outputs(TASK))["text/markdown"].startswith("# ")
    assert "class Centring(nn.Module):" in shown(outputs(SOLUTION))["text/markdown"]


def test_a_hint_is_about_the_last_failure(outputs: Outputs) -> None:
    assert "last check" in printed(outputs(HINT))


# The shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return an IPython that neither reads nor writes files of the user."""
    pytest.importorskip("IPython", reason="`pip install ipython`")
    from IPython.core import interactiveshell
    from traitlets.config import Config

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setattr(sys, "displayhook", sys.displayhook)
    module: Any = interactiveshell
    return module.InteractiveShell(config=Config({"HistoryManager": {"hist_file": ":memory:"}}))


@pytest.mark.parametrize(
    ("cell", "source"),
    [
        ("x = 1\n%time y = 2\n", "x = 1\n\n"),
        ("!ls\nfiles = !ls\nx = 1\n", "\n\nx = 1\n"),
        ("def f(:\n", "def f(:\n"),
    ],
)
def test_syntax_of_ipython_is_left_out(shell: Any, cell: str, source: str) -> None:
    assert python(shell, cell) == source


def test_cells_are_there_newest_first(shell: Any) -> None:
    for cell in ("x = 1", "%%time\ny = 2"):
        shell.run_cell(cell, store_history=True)
    assert [cell.strip() for cell in cells_of(shell)[:2]] == ["y = 2", "x = 1"]
    assert cells_of(None) == []


def test_words_are_quoted_as_in_a_shell() -> None:
    assert words('try layer_norm "LayerNorm(4)"', "%normgrade COMMAND") == ["try", "layer_norm", "LayerNorm(4)"]
    with pytest.raises(UsageError) as raised:
        words('show "layer_norm', "%normgrade COMMAND")
    assert str(raised.value) == '"show "layer_norm" cannot be read (No closing quotation). Use %normgrade COMMAND.'


# In IPython, in a terminal


def test_ipython_shows_the_text(environment: Path, tiny: Course) -> None:
    pytest.importorskip("IPython", reason="`pip install ipython`")
    cell = "%load_ext normgrade\n%%normgrade rms\ndef rmse(x, eps=1e-5):\n    return x\n\n\nrmse(3)\n"
    options = ("--no-banner", "--simple-prompt", "--no-confirm-exit", "--colors=nocolor")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "IPython", *options],
        input=cell, capture_output=True, text=True, encoding="utf-8", cwd=environment,
        env=os.environ | {"NORMGRADE_COURSE": str(tiny.root), "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert "\nrms · cell  0 of 8 points, not passed  (sandbox: none)\n" in done.stdout
    assert "\n✗ 1:1 contract: The file does not define `rms`, but it defines `rmse`. Rename\nit.\n" in done.stdout
    assert "Out[3]: 3\n" in done.stdout and "<div" not in done.stdout


# In plain Python


@pytest.fixture
def layers(environment: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a learner's module, in an empty folder."""
    folder = environment / "plain"
    folder.mkdir(exist_ok=True)
    (folder / "own_layers.py").write_text(
        "import torch\n\ndef rms(x, eps=1e-5):\n    return torch.square(x) + eps\n\ndef rmse(x): ...\ndef twice(x): ...\n"
    )
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    import own_layers  # type: ignore[import-not-found]

    return own_layers


def test_a_report_respects_the_reveal_of_the_course(layers: Any, edited_course: Any) -> None:
    course = edited_course({"course.toml": 'reveal = "claims"\n'})
    graded = normgrade.check("rms", layers.rms, course=course.root, seed="7", timeout_s=60)
    [report] = graded.reports
    assert (report.exercise, report.submission, report.seed, graded.passed) == ("rms", "rms", 7, False)
    assert "not passed" in repr(graded) and "expected" not in repr(graded)
    assert not any(check.differences or check.message for check in report.checks)
    assert set(os.listdir()) - {"__pycache__"} == {"own_layers.py"}  # nothing else is left


def test_a_report_names_all_that_was_passed(layers: Any, tiny: Course) -> None:
    graded = normgrade.check("rms", layers.rmse, layers.twice, course=tiny.root)
    [report] = graded.reports
    assert report.submission == "rmse, twice" and report.source == "def rmse(x): ...\n\n\ndef twice(x): ...\n"
    assert [finding.text for finding in report.findings] == ["The file does not define `rms`, but it defines `rmse`. Rename it."]


@pytest.mark.parametrize(
    ("things", "options", "sentence"),
    [
        ((), {}, 'There is nothing to grade. Call check("centring", Centring).'),
        (
            (3,),
            {},
            "Cannot grade 3: it is neither a class nor a function. Pass the class or function that you defined, as in check(…, LayerNorm).",
        ),
        ((outputs,), {"timeout_s": 0}, '"0" is not a valid time limit. --timeout must be a number of seconds above 0 and up to 3600.'),
        ((outputs,), {"course": "nowhere"}, None),
    ],
)
def test_a_wrong_call_is_a_usage_error(tiny: Course, environment: Path, things: Any, options: Any, sentence: str | None) -> None:
    with pytest.raises(UsageError) as raised:
        normgrade.check("centring", *things, **{"course": tiny.root, **options})
    assert sentence is None or str(raised.value) == sentence


@pytest.mark.parametrize(
    ("things", "sentence"),
    [
        ((), 'There is nothing to grade. Call check("rms", rms).'),
        ((refused,), 'No exercise asks for refused. Pass the exercise too, as in check("layer_norm", refused).'),
        (("rmss", 3), 'No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.'),
    ],
)
def test_an_unknown_exercise_is_a_usage_error(environment: Path, tiny: Course, things: Any, sentence: str) -> None:
    with pytest.raises(UsageError) as raised:
        normgrade.check(*things, course=tiny.root)
    assert str(raised.value) == sentence


def test_a_function_tells_its_exercise_by_its_name(layers: Any, tiny: Course) -> None:
    [report] = normgrade.check(layers.rms, course=tiny.root).reports
    assert (report.exercise, report.submission) == ("rms", "rms")


def test_importing_normgrade_imports_nothing_more() -> None:
    code = "import sys; before = set(sys.modules); import normgrade; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE, capture_output=True, text=True)
    assert done.stdout == "['normgrade']\n", done.stderr


def test_only_public_names_can_be_imported() -> None:
    with pytest.raises(AttributeError, match=r"^module 'normgrade' has no attribute 'grade_all'$"):
        normgrade.grade_all  # type: ignore[attr-defined]  # noqa: B018


# The picture


def failing(name: str, differences: int) -> Check:
    places = [Place(f"place {number}") for number in range(differences)]
    found = [ValueDifference(place=place, dtype=None, shape=None, expected="one", actual="other") for place in places]
    return Check(name, "The claim.", Kind.FORMULA, Outcome.FAILED, 1, differences=tuple(found))


@pytest.mark.parametrize(("detail", "cases", "places"), [(BRIEF, 1, 2), (FULL, 1, 3), (Detail(9, 3, 5), 3, 13)])
def test_the_picture_shows_as_many_failures_as_the_text(detail: Detail, cases: int, places: int) -> None:
    checks = failing("test_a[x]", 5), failing("test_a[y]", 4), failing("test_a[z]", 4)
    report = Report("rms", "cell", Outcome.FAILED, 3, "linux", 0, 0.0, checks=checks)
    page = render_fragment([report], "a-", detail)
    assert page.count('class="case"') == cases and page.count('class="difference"') == places
    text = Parsed(page).text
    assert all(name in text for name in ("[x]", "[y]", "[z]"))
    assert ("and 3 more places" in text, "and 2 more places" in text) == (detail is BRIEF, detail is FULL)


def test_a_fragment_styles_only_itself() -> None:
    style = re.sub(r"/\*.*?\*/", "", render_fragment([], "a-").partition("<style>")[2].partition("</style>")[0])
    selectors = [part for rule in re.findall(r"([^{}]+)\{", style) if "@media" not in rule for part in rule.split(",")]
    assert selectors and all(re.match(r"\s*(\.normgrade\b|html:has\(> body > main\.normgrade\))", each) for each in selectors)
