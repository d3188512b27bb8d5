"""Tests of the cache's key: it belongs to the user, stays the same, and leaves the disk while code runs that could read it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options
from normgrade.oracle import seal as seal_module
from normgrade.oracle.seal import KEY, KEY_BYTES, Seal
from normgrade.report.report import Outcome, Report
from normgrade.worker.trusted.host import Host

if sys.platform == "win32":
    pytest.skip("locks, owners and rights as POSIX has them", allow_module_level=True)

WRONG = "def rms(x, eps=1e-5):\n    return x * 3 + 1\n"
FORGER = '''
import hmac, json, mmap, os, struct

SIZES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "uint8": 1, "bool": 1}


def files(folder):
    return [os.path.join(inside, name) for inside, _, names in os.walk(folder) for name in names]


def keys():
    for path in files("@CONFIG@"):
        with open(path, "rb") as file:
            content = file.read()
        yield from (content, content[:32])


def forged(content):
    """The expectation with a spread of 1e30 everywhere, so that anything goes."""
    end = 8 + struct.unpack("<Q", content[:8])[0]
    at, changed = end, bytearray(content)

    def walk(thing, *way):
        nonlocal at
        if isinstance(thing, dict) and "$array" in thing:
            dtype, shape = thing["$array"]
            size = SIZES[dtype]
            for length in shape:
                size *= length
            if way[0] == "places" and way[2:] == (1, 3):
                changed[at : at + size] = struct.pack("<d", 1e30) * (size // 8)
            at += size
        else:
            for inner, value in thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ():
                walk(value, *way, inner)

    walk(json.loads(content[8:end]))
    return bytes(changed)


def forge():
    for key in keys():
        for path in files("@CACHE@"):
            with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as kept:  # a limit on the size of files does not stop this
                try:
                    content = forged(kept[32:])
                except (ValueError, struct.error, TypeError):  # what is seen of a known mistake is packed otherwise
                    continue
                kept[:] = hmac.digest(key, os.path.basename(path).encode() + b"\\0" + content, "sha256") + content


def rms(x, eps=1e-5):
    forge()
    return x * 3 + 1
'''


def key_file(seal: Seal) -> Path:
    return seal.folder / KEY


@pytest.fixture
def seal(tmp_path: Path) -> Seal:
    return Seal(tmp_path / "configuration")


def test_key_is_drawn_once_and_stays_the_same(seal: Seal) -> None:
    assert len(seal.key) == KEY_BYTES
    assert Seal(seal.folder).key == seal.key == key_file(seal).read_bytes()


def test_nobody_else_may_read_it(seal: Seal) -> None:
    assert seal.key
    assert stat.S_IMODE(key_file(seal).stat().st_mode) == 0o600
    assert stat.S_IMODE(seal.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("spoil", ["readable", "short", "a link", "a pipe", "a folder"])
def test_key_that_is_not_private_is_replaced(spoil: str, seal: Seal, tmp_path: Path) -> None:
    old = seal.key
    match spoil:
        case "readable":
            key_file(seal).chmod(0o644)
        case "short":
            key_file(seal).write_bytes(b"short")
        case "a link":
            key_file(seal).rename(tmp_path / "key")
            key_file(seal).symlink_to(tmp_path / "key")
        case "a pipe":
            key_file(seal).unlink()
            os.mkfifo(key_file(seal), 0o600)
        case "a folder":
            key_file(seal).unlink()
            key_file(seal).mkdir()
    new = Seal(seal.folder)
    assert new.key != old
    assert spoil == "a folder" or Seal(seal.folder).key == new.key


def test_without_a_folder_the_key_lasts_one_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    seal = Seal(tmp_path / "file")
    seal.before_worker("process")
    assert len(seal.key) == KEY_BYTES and seal.key == seal.key
    seal.close()
    assert Seal(tmp_path / "file").key != seal.key


@pytest.mark.parametrize("tier", ["linux", "container"])
def test_key_stays_on_disk_in_tiers_with_walls(tier: str, seal: Seal) -> None:
    assert seal.key
    seal.before_worker(tier)
    assert key_file(seal).exists()


def test_key_leaves_the_disk_in_tier_process(seal: Seal) -> None:
    with seal:
        assert seal.key and key_file(seal).exists()
        seal.before_worker("process")
        seal.before_worker("process")
        assert not key_file(seal).exists()
    assert Seal(seal.folder).key == seal.key == key_file(seal).read_bytes()


def test_file_put_in_place_of_the_key_is_ignored(seal: Seal) -> None:
    with seal:
        seal.before_worker("process")
        key_file(seal).write_bytes(b"f" * KEY_BYTES)
        key_file(seal).chmod(0o600)
    assert Seal(seal.folder).key == seal.key != b"f" * KEY_BYTES


def test_key_comes_back_after_the_last_grading(seal: Seal) -> None:
    one, other, third = (Seal(seal.folder) for _ in range(3))
    key = one.key
    assert other.key == key
    one.before_worker("process")
    other.before_worker("process")
    one.close()
    assert not key_file(seal).exists()
    assert third.key != key and not key_file(seal).exists()  # no new key is written either, since code of the other grading could read it
    other.close()
    assert Seal(seal.folder).key == key


def test_stuck_lock_costs_the_key_not_the_grading(seal: Seal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seal_module, "PATIENCE_S", 0.0)
    holder = Seal(seal.folder).locked(shared=False)
    assert holder is not None
    with seal:
        seal.before_worker("process")
        assert len(seal.key) == KEY_BYTES
    os.close(holder)
    assert not key_file(seal).exists()


@pytest.mark.parametrize("spoil", [lambda folder: folder.chmod(0o777), lambda folder: replaced_by_link(folder)], ids=["writable", "a link"])
def test_folder_of_others_is_not_touched(spoil: Callable[[Path], object], seal: Seal) -> None:
    old = seal.key
    spoil(seal.folder)
    with Seal(seal.folder) as another:
        assert another.key != old and len(another.key) == KEY_BYTES
        another.before_worker("process")
        assert key_file(seal).read_bytes() == old
    assert key_file(seal).read_bytes() == old


def replaced_by_link(folder: Path) -> None:
    folder.rename(folder.with_name("real"))
    folder.symlink_to("real")


@pytest.mark.parametrize("level", ["0", "1", "2"])
def test_key_survives_every_optimisation_level(level: str, seal: Seal) -> None:
    key = seal.key
    program = (
        "import sys; from pathlib import Path; from normgrade.oracle.seal import Seal\n"
        "with Seal(Path(sys.argv[1])) as seal:\n    seal.before_worker('process')"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONOPTIMIZE": level}
    subprocess.run([sys.executable, "-c", program, str(seal.folder)], env=environment, check=True)
    assert Seal(seal.folder).key == key


def test_concurrent_graders_agree_on_one_key(tmp_path: Path) -> None:
    program = "import sys; from pathlib import Path; from normgrade.oracle.seal import Seal; print(Seal(Path(sys.argv[1])).key.hex())"
    command = [sys.executable, "-c", program, str(tmp_path / "configuration")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(6)]
    assert len({process.communicate()[0] for process in running}) == 1


# Code that ran in a weaker tier changes nothing that a stronger tier reads


def graded(course: Course, folder: Path, source: str, tier: str) -> Report:
    path = folder / "rms.py"
    path.write_text(source, encoding="utf-8")
    [report] = grade([Submission(course.exercise("rms"), path, path.name)], Options(tier=tier))
    return report


@pytest.mark.parametrize("key", ["leaves the disk", "stays"])
def test_expectations_forged_in_tier_process_are_ignored(key: str, tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seal forged expectations with every file found. If the key stays on the disk, the forgery works."""
    monkeypatch.setenv("NORMGRADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NORMGRADE_CONFIG", str(tmp_path / "configuration"))
    monkeypatch.setattr(Host, "ready", False)  # so that the grader reads its expectations first, as while PyTorch is imported
    if key == "stays":
        monkeypatch.setattr(Seal, "before_worker", lambda seal, tier: None)
    assert graded(tiny, tmp_path, tiny.exercise("rms").reference.read_text(encoding="utf-8"), "process").outcome is Outcome.PASSED
    forger = FORGER.replace("@CACHE@", str(tmp_path / "cache")).replace("@CONFIG@", str(tmp_path / "configuration"))
    forged, wrong = graded(tiny, tmp_path, forger, "process"), graded(tiny, tmp_path, WRONG, "auto")
    believed = Outcome.PASSED if key == "stays" else Outcome.FAILED
    assert forged.outcome is Outcome.FAILED  # the expectations of its first questions were read before it ran
    assert wrong.outcome is believed
