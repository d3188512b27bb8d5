"""A workspace: its files, which are never overwritten, and the way in which it is found."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.links import dead_links
from normgrade.course.trust import trust
from normgrade.language.errors import CourseError, UsageError
from normgrade.learner.workspace import MARK, Workspace, find_course, needed, new_workspace, submission_of

NOW = datetime(2026, 3, 1, 9, 5, 7)


@pytest.fixture
def workspace(tmp_path: Path, tiny: Course) -> Workspace:
    workspace = new_workspace(tmp_path / "norms")
    workspace.add(tiny)
    return workspace


def names(workspace: Workspace) -> set[str]:
    return {str(path.relative_to(workspace.root)) for path in workspace.root.rglob("*") if path.is_file()}


def test_a_new_workspace_holds_stubs_and_prompts(workspace: Workspace, tiny: Course) -> None:
    assert names(workspace) == {MARK, "rms.py", "centring.py", "prompts/rms.md", "prompts/centring.md"}
    for exercise in tiny:
        assert workspace.submission(exercise).read_bytes() == exercise.stub.read_bytes()
        assert workspace.prompt(exercise).read_bytes() == exercise.prompt.read_bytes()


def test_the_links_between_prompts_lead_to_the_copies(edited_course: Callable[..., Course], tmp_path: Path) -> None:
    prompt = "# RMS\n\nAs [centring](../centring/README.md), and as [that](https://example.org).\n"
    workspace = new_workspace(tmp_path / "norms")
    workspace.add(edited_course({"exercises/rms/README.md": prompt}))
    path = workspace.root / "prompts" / "rms.md"
    assert path.read_text(encoding="utf-8") == prompt.replace("../centring/README.md", "centring.md")
    assert [*dead_links(path, path.read_text(encoding="utf-8"))] == []


def test_files_are_added_but_never_overwritten(workspace: Workspace, tiny: Course) -> None:
    for name in ("rms.py", "prompts/rms.md", MARK):
        (workspace.root / name).write_text("# mine\n", encoding="utf-8")
    (workspace.root / "centring.py").unlink()
    again = new_workspace(workspace.root)
    assert again.add(tiny) == [workspace.root / "centring.py"] and again.add(tiny) == []
    assert {(workspace.root / name).read_text() for name in ("rms.py", "prompts/rms.md", MARK)} == {"# mine\n"}


def test_a_broken_link_is_not_overwritten(workspace: Workspace, tiny: Course) -> None:
    path = workspace.root / "rms.py"
    path.unlink()
    path.symlink_to("elsewhere.py")
    assert workspace.add(tiny) == [] and path.is_symlink()


def test_it_is_found_from_any_folder_inside(workspace: Workspace, tmp_path: Path) -> None:
    deep = workspace.root / "a" / "b"
    deep.mkdir(parents=True)
    assert Workspace.find(deep) == Workspace.find(workspace.root) == workspace
    assert Workspace.find(tmp_path) is None


def test_a_missing_workspace_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as refused:
        needed()
    assert str(refused.value) == f'"{tmp_path}" is not in a workspace. Run `normgrade init` to create one, or go to your workspace.'


def test_a_folder_beside_the_workspace_is_not_in_it(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace.root)
    beside = Path("..", "beside")
    assert Workspace.find(beside) is None
    assert new_workspace(beside).root == workspace.root.with_name("beside")


def test_no_workspace_is_made_inside_another(workspace: Workspace) -> None:
    refused = pytest.raises(
        UsageError, match=r'"inner" is inside the workspace ".*norms"\. Use that workspace, or choose a folder outside it\.'
    )
    with pytest.MonkeyPatch.context() as patch, refused:
        patch.chdir(workspace.root)
        new_workspace(Path("inner"))
    assert not (workspace.root / "inner").exists()


def test_no_workspace_is_made_at_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r'The workspace cannot be created in ".*file": it is a file\. Pass a folder\.'):
        new_workspace(tmp_path / "file")


def test_reset_keeps_the_old_file(workspace: Workspace, tiny: Course) -> None:
    rms = tiny.exercise("rms")
    path = workspace.submission(rms)
    path.write_bytes(b"# mine\r\n")
    kept = [workspace.reset(rms, NOW)]
    assert path.read_bytes() == rms.stub.read_bytes()
    path.write_bytes(b"# mine too\n")
    kept.append(workspace.reset(rms, NOW))
    backups = workspace.root / ".normgrade" / "backups"
    assert kept == [backups / "rms-2026-03-01-090507.py", backups / "rms-2026-03-01-090507-2.py"]
    assert [each.read_bytes() for each in kept if each] == [b"# mine\r\n", b"# mine too\n"]


@pytest.mark.parametrize("there", [True, False])
def test_reset_keeps_no_copy_of_a_stub(there: bool, workspace: Workspace, tiny: Course) -> None:
    rms = tiny.exercise("rms")
    if not there:
        workspace.submission(rms).unlink()
    assert workspace.reset(rms, NOW) is None and workspace.submission(rms).read_bytes() == rms.stub.read_bytes()
    assert not workspace.data.exists()


def test_a_workspace_may_name_its_course(workspace: Workspace, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NORMGRADE_COURSE", raising=False)
    (workspace.root / MARK).write_text(f'course = "{tiny.root}"\n', encoding="utf-8")
    trust(workspace.root, tiny.root)
    monkeypatch.chdir(workspace.root / "prompts")
    assert find_course(None).root == tiny.root
    assert submission_of(tiny.exercise("rms")) == workspace.root / "rms.py"
    monkeypatch.setenv("NORMGRADE_COURSE", str(Course.find(Path(__file__).parents[3]).root))
    assert find_course(None).root != tiny.root and find_course(tiny.root).root == tiny.root


def test_a_wrong_setting_is_named(workspace: Workspace) -> None:
    (workspace.root / MARK).write_text("colour = 1\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"normgrade\.toml: colour: unknown key\. .*Allowed are course, lang\."):
        Workspace.find(workspace.root)
