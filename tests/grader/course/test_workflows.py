"""Tests of all workflows that normgrade writes: their versions, their pins, their installation."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import normgrade
from normgrade.classes.systems import workflow
from normgrade.course.course import Course
from normgrade.course.workflows import SHARED, workflow_from, workflow_named
from normgrade.grading.grading_options import Options
from normgrade.verify.draft import begin_course

CLONE = Path(__file__).parents[3]
USES = re.compile(r"uses: (actions/.*)")
Written = Callable[[Path], str]


def exported(_folder: Path) -> str:
    return workflow([Course.find().exercise("layer_norm")], Options(), "")


def of_a_course(folder: Path) -> str:
    return workflow_named("verify", begin_course(folder / "course", ["en"]).root).read_text(encoding="utf-8")


both = pytest.mark.parametrize("written", [exported, of_a_course])


@both
def test_no_mark_is_left_in_a_workflow(written: Written, tmp_path: Path) -> None:
    assert not re.search(r"@[A-Z_]+@", written(tmp_path))


@both
def test_workflows_read_only_and_install_alike(written: Written, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with mkdocs: pip install -e '.[docs]' -c constraints.txt")
    held = yaml.safe_load(written(tmp_path))
    assert (held["permissions"], held["concurrency"]["cancel-in-progress"]) == ({"contents": "read"}, True)
    [job] = held["jobs"].values()
    assert job["runs-on"] == SHARED["MACHINE"]
    assert {name: job["env"][name] for name in ("NORMGRADE", "PIP_EXTRA_INDEX_URL")} == {
        "NORMGRADE": f"${{{{ vars.NORMGRADE || 'normgrade=={normgrade.__version__}' }}}}",
        "PIP_EXTRA_INDEX_URL": "${{ vars.PIP_EXTRA_INDEX_URL || '' }}",
    }
    checkout, python, install, *_others = job["steps"]
    assert checkout["with"]["persist-credentials"] is False
    assert python["with"] == {"python-version": SHARED["PYTHON"].strip('"')}
    assert install == {"run": 'python -I -m pip install --quiet "$NORMGRADE"'}


@both
def test_actions_are_pinned_to_commits(written: Written, tmp_path: Path) -> None:
    used = USES.findall(written(tmp_path))
    assert len(used) >= 2
    assert [each for each in used if not re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []


@pytest.mark.skipif(not (CLONE / "pyproject.toml").exists(), reason="these files are those of a clone, and this is none")
@pytest.mark.parametrize("name", ["action.yml", ".github/workflows/ci.yml"])
def test_clone_uses_the_same_actions(name: str) -> None:
    used = USES.findall((CLONE / name).read_text(encoding="utf-8"))
    assert used and set(used) <= {*SHARED.values()}


def test_values_are_quoted(tmp_path: Path) -> None:
    template = tmp_path / "a.yml"
    template.write_text("a: @SOURCES@\nb: @ONE@\n", encoding="utf-8")
    text = workflow_from(template, "https://example.org/it's", ONE="a: 'b'")
    assert text.endswith("${{ vars.PIP_EXTRA_INDEX_URL || 'https://example.org/it''s' }}\nb: 'a: ''b'''\n")
