"""Tests of a learner's first day, typed into a shell in a real terminal of 80 columns. README's tour is a part of it.

`python tests/grader/whole/test_day.py` prints the session, to update README from.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.package import carried

pexpect = pytest.importorskip("pexpect", reason="the session is typed by pexpect")
pyte = pytest.importorskip("pyte", reason="the screen is drawn by pyte")
pytestmark = pytest.mark.skipif(sys.platform == "win32" or shutil.which("bash") is None, reason="a shell as POSIX has it")

WIDTH, HEIGHT = 80, 40
LATEST_S = 240  # only a guard: the first check plays every known mistake, while other tests use the cores
PROMPT = "$ "
PLACES = ("NORMGRADE_CACHE", "NORMGRADE_CONFIG")  # of expectations and their key, so that those of other tests are used
README = Path(__file__).parents[3] / "README.md"

WRONG = """\
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.dims = tuple(range(-len(shape), 0))
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.ones(shape)) if elementwise_affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None)

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        var, mean = torch.var_mean(wide, dim=self.dims, keepdim=True)
        y = (wide - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
"""
RIGHT = WRONG.replace("keepdim=True)", "keepdim=True, correction=0)")


class Session:
    """A shell in a terminal that types commands and reads the screen."""

    def __init__(self, folder: Path) -> None:
        command = Path(sys.executable).with_name("normgrade")
        paths = os.pathsep.join((str(command.parent), os.environ["PATH"]))
        kept = {name: os.environ[name] for name in PLACES if name in os.environ}
        environment = {
            "PATH": paths, "HOME": str(folder), "PS1": PROMPT, "TERM": "xterm", "LANG": "C.UTF-8",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""), **kept,
        }  # fmt: skip
        self.child = pexpect.spawn(
            shutil.which("bash"), ["--norc", "--noprofile"], cwd=str(folder), env=environment, dimensions=(HEIGHT, WIDTH), timeout=LATEST_S
        )
        self.screen = pyte.HistoryScreen(WIDTH, HEIGHT, history=10_000)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""  # since the last command
        self.wait_for(PROMPT.strip() + "$")

    def wait_for(self, pattern: str, scrolled: bool = False) -> str:
        """Wait until the screen shows a pattern, across line breaks, and return the whole screen. `scrolled` text counts as well."""
        deadline = time.monotonic() + LATEST_S
        while True:
            shown = self.everything() if scrolled else self.shown()
            if re.search(pattern, " ".join(shown.split())) and not self.more():
                return self.shown()
            assert time.monotonic() < deadline, f"{pattern!r} is not on the screen:\n{shown}"
            self.more()

    def more(self) -> bool:
        """Feed new output to the screen; return True if there was any within 0.2 s."""
        try:
            read = self.child.read_nonblocking(2**16, timeout=0.2)
        except pexpect.TIMEOUT:
            return False
        self.raw += read
        self.stream.feed(read)
        return True

    def shown(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def everything(self) -> str:
        """Return the lines that have scrolled away, and the screen below them."""
        columns = range(self.screen.columns)
        history = ["".join(line[column].data for column in columns).rstrip() for line in self.screen.history.top]
        return "\n".join([*history, self.shown()])

    def said(self) -> str:
        """Return all lines, scrolled away or not, and clear the screen."""
        whole = self.everything()
        self.screen.reset()
        return whole

    def type(self, command: str) -> str:
        """Type a command, wait for the next prompt, and return the command with its output."""
        self.screen.reset()
        self.screen.history.top.clear()
        self.raw = b""
        self.child.sendline(command)
        self.wait_for(re.escape(command[-30:]), scrolled=True)
        self.wait_for(r"\$$")
        said = self.said().removesuffix(PROMPT.strip()).rstrip()
        return f"{PROMPT}{said[said.index(command) :]}\n"

    def press(self, key: str) -> None:
        self.child.send(key)

    def close(self) -> None:
        self.child.close(force=True)

    def resize(self, height: int, width: int) -> None:
        self.child.setwinsize(height, width)
        self.screen.resize(height, width)


def day(folder: Path) -> dict[str, str]:
    """Type the commands of a day, and return the output of each step."""
    session, told = Session(folder), {}
    try:
        told["init"] = session.type("normgrade init norms")
        told["cd"] = session.type("cd norms")
        told["next"] = session.type("normgrade")
        (folder / "norms" / "layer_norm.py").write_text(WRONG, encoding="utf-8")
        told["wrong"] = session.type("normgrade check layer_norm")
        told["hint"] = session.type("normgrade hint layer_norm")
        told["explain"] = session.type("normgrade explain unbiased-variance --exercise layer_norm")
        told["too early"] = session.type("normgrade solution layer_norm")
        session.screen.reset()
        session.child.sendline("normgrade watch layer_norm")
        told["watched, wrong"] = session.wait_for(r"unbiased-variance.*all claims")
        (folder / "norms" / "layer_norm.py").write_text(RIGHT, encoding="utf-8")
        told["watched, right"] = session.wait_for(r"20 of 20 points, passed .*Passed: n goes on")
        session.press("q")
        told["left"] = session.wait_for(r"\$$")
        told["solution"] = session.type("normgrade solution layer_norm")
        told["progress"] = session.type("normgrade progress")
        told["next again"] = session.type("normgrade")
    finally:
        session.close()
    return told


@pytest.fixture(scope="module")
def told(expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    yield day(tmp_path_factory.mktemp("home"))


def test_a_workspace_is_begun_and_the_next_step_named(told: dict[str, str]) -> None:
    course = list(Course(carried()))
    exercises, figures = len(course), sum(each.figure is not None for each in course)
    assert f"{2 * exercises + figures} files added" in told["init"] and f"{exercises} stubs" in told["init"]
    assert "Next is min_max (level 1," in " ".join(told["next"].split())


def test_the_mistake_is_named_and_helped_with(told: dict[str, str]) -> None:
    assert "\nunbiased-variance  explains all 37 failing claims" in told["wrong"] and "pass correction=0." in told["wrong"]
    assert "pass correction=0." in told["hint"]
    assert "Next: normgrade explain unbiased-variance --exercise layer_norm · -v: all claims" in told["wrong"]
    assert "It shows here" in told["explain"] and "It hides here" in told["explain"]
    assert "has not passed yet" in told["too early"]


def test_a_fix_turns_the_checks_green_under_watch(told: dict[str, str]) -> None:
    assert "✗" in told["watched, wrong"] and "unbiased-variance" in told["watched, wrong"]
    assert "✗" not in told["watched, right"] and told["watched, right"].count("✓") >= 20
    assert "last scores: " in told["watched, right"]
    assert "✓ layer_norm · layer_norm.py · 20 of 20 points · passed" in " ".join(told["left"].split())


def test_the_solution_and_the_progress_are_shown(told: dict[str, str]) -> None:
    assert "correction=0" in told["solution"] and "From your file to it" in told["solution"] and "Other right ways" in told["solution"]
    assert "passed" in told["progress"] and "unbiased-variance" in told["progress"]
    assert "layer_norm" not in told["next again"] and "Next is min_max " in told["next again"]
    assert "Passed: n goes on with min_max." in told["watched, right"]


@pytest.fixture
def session(expectations: Path, tiny: Course, tmp_path: Path) -> Iterator[Session]:
    session = Session(tmp_path)
    session.type(f"export NORMGRADE_COURSE={tiny.root}")
    yield session
    session.close()


def test_watch_follows_the_size_of_the_terminal(session: Session, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text("def rms(x, eps=1e-5):\n    return x\n", encoding="utf-8")
    session.child.sendline("normgrade watch rms")
    session.wait_for(r"not passed .* ✓ It can be called .* ✗✗ Every row is divided")
    session.resize(20, 50)
    low = session.wait_for(r"n next .* rms\.py .* d: all claims$")
    assert max(map(len, low.splitlines())) <= 50 and len(low.splitlines()) <= 20
    session.resize(HEIGHT, WIDTH)
    session.wait_for(r"not passed .* ✓ It can be called .* ✗✗ Every row is divided")
    session.press("q")
    session.wait_for(r"\$$")


def test_wide_terminal_shows_the_solution_beside_the_code(session: Session, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text("def rms(x, eps=1e-5):\n    return x\n", encoding="utf-8")
    session.resize(HEIGHT, 140)
    said = session.type("normgrade solution rms --spoil")
    assert re.search(r"^ *rms\.py +reference\.py$", said, re.MULTILINE)
    assert re.search(r"^− +return x +\+", said, re.MULTILINE)
    session.resize(HEIGHT, WIDTH)
    assert "--- rms.py" in session.type("normgrade solution rms --spoil")


COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38;)")


@pytest.mark.parametrize(("setting", "coloured"), [("", True), ("NO_COLOR=1 ", False)])
def test_colours_are_shown_unless_they_are_not_wanted(session: Session, tmp_path: Path, setting: str, coloured: bool) -> None:
    (tmp_path / "rms.py").write_text("def rms(x, eps=1e-5):\n    return x\n", encoding="utf-8")
    assert "formula ✗" in session.type(f"{setting}normgrade check rms")
    assert bool(COLOUR.search(session.raw)) is coloured


def test_errors_break_between_words(session: Session) -> None:
    said = session.type("normgrade solution rms")
    assert "Error: rms has not passed yet, as far as is known here. `normgrade hint rms` helps; --spoil shows the answer." in " ".join(
        said.split()
    )


def elsewhere(line: str) -> str:
    """Return the line without the name of the sandbox, which depends on the machine."""
    return re.sub(r"sandbox: \w+", "sandbox: …", line.strip())


def test_every_line_of_the_tour_in_readme_was_shown(told: dict[str, str]) -> None:
    tour = README.read_text(encoding="utf-8").partition("<!-- the tour -->")[2].partition("<!-- its end -->")[0]
    shown = {elsewhere(line) for text in told.values() for line in text.splitlines()}
    lines = [elsewhere(line) for block in re.findall(r"```console\n(.*?)```", tour, re.DOTALL) for line in block.splitlines()]
    assert len(lines) > 40
    assert [line for line in lines if line and line != "…" and line not in shown] == []


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as home:
        for step, text in day(Path(home)).items():
            print(f"--- {step}\n{text}")
