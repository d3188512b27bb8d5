"""Tests of the files that a runner of GitHub names: the summary of a step, and its outputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_reports import FAILED, PASSED

from normgrade.cli.runner_files import tell_runner
from normgrade.language.errors import UsageError
from normgrade.report.render.github import step_summary
from normgrade.report.render.workflow_commands import MOST_BYTES
from normgrade.report.report import Report


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name both files in the environment, and return their folder."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    return tmp_path


def test_the_summary_is_appended(files: Path) -> None:
    (files / "summary.md").write_text("# before\n", encoding="utf-8")
    tell_runner("github", [FAILED])
    assert (files / "summary.md").read_text(encoding="utf-8") == "# before\n" + "".join(step_summary([FAILED]))
    assert not (files / "output").exists()


def test_summary_that_is_nearly_full_gets_less(files: Path) -> None:
    (files / "summary.md").write_text("x" * (MOST_BYTES - 1200), encoding="utf-8")
    tell_runner("github", [FAILED] * 100)
    text = (files / "summary.md").read_text(encoding="utf-8")
    assert "x| exercise " in text and text.endswith("\n\nThe rest is left out&#58; the summary would be too long&#46;\n\n")
    assert len(text.encode()) <= MOST_BYTES


@pytest.mark.parametrize(
    ("reports", "lines"),
    [
        ([FAILED, PASSED], "status=failure\nsummary=8 of 18 points, 1 of 2 passed\n"),
        ([PASSED], "status=success\nsummary=4 of 4 points, 1 of 1 passed\n"),
    ],
)
def test_classroom50_learns_the_state_of_the_commit(reports: list[Report], lines: str, files: Path) -> None:
    tell_runner("classroom50", reports)
    assert (files / "output").read_text(encoding="utf-8") == lines
    assert not (files / "summary.md").exists()


@pytest.mark.parametrize("format", ["terminal", "json", "gradescope"])
def test_other_formats_write_nothing(format: str, files: Path) -> None:
    tell_runner(format, [FAILED])
    assert [*files.iterdir()] == []


def test_without_a_runner_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for format, variable in (("github", "GITHUB_STEP_SUMMARY"), ("classroom50", "GITHUB_OUTPUT")):
        monkeypatch.delenv(variable, raising=False)
        tell_runner(format, [FAILED])
    assert [*tmp_path.iterdir()] == []


def test_file_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path))
    with pytest.raises(UsageError) as refused:
        tell_runner("classroom50", [FAILED])
    assert str(refused.value) == (
        f'The file "{tmp_path}" in GITHUB_OUTPUT cannot be written (Is a directory). Unset GITHUB_OUTPUT to do without it.'
    )
