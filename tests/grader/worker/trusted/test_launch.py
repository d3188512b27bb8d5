"""Tests of the start of worker processes: their command, environment and pipes, and the message if they do not start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from normgrade.course.exercise import Limits
from normgrade.language.errors import GraderError
from normgrade.worker.trusted import launch
from normgrade.worker.walls import Budget

only_posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes as POSIX has them")


def test_processor_time_is_limited_by_the_total_time() -> None:
    assert launch.budget_of(Limits(answer_s=1.0, total_s=9.2, memory_mib=64)) == Budget(64, 11)


def test_command_ignores_the_users_settings() -> None:
    environment = os.environ | {"PYTHONPATH": "/nowhere", "PYTHONSTARTUP": "/nowhere"}
    command = launch.command("worker.framing", "")
    program, *options, code = command
    assert program == sys.executable and {"-s", "-P"} <= {*options}
    shown = "import sys; print(sys.path[0]); print(sys.flags.safe_path, sys.flags.no_user_site, sys.flags.utf8_mode)"
    done = subprocess.run([program, *options, shown], env=environment, cwd="/", capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == "True 1 1" and "worker.framing" in code


def test_only_a_clone_adds_its_source_to_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "PACKAGE", Path("/home/me/clone/grader/normgrade"))
    assert "'/home/me/clone/grader'" in launch.command("worker.zygote", "")[-1]
    monkeypatch.setattr(launch, "PACKAGE", Path("/usr/lib/python3/dist-packages/normgrade"))
    assert "dist-packages" not in launch.command("worker.zygote", "")[-1]


def test_environment_has_one_thread_and_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "hush")
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/lib")
    environment = launch.environment()
    assert environment["OMP_NUM_THREADS"] == environment["MKL_NUM_THREADS"] == "1"
    assert environment["LD_LIBRARY_PATH"] == "/opt/lib" and environment["HOME"] == "/"
    assert not {"SECRET", "USER", "NORMGRADE_CACHE", "NORMGRADE_CONFIG"} & environment.keys()


@only_posix
def test_pipes_connect_both_ends() -> None:
    ours, (question, answer, output) = launch.pipes()
    for source, end in ((ours.question, question), (answer, ours.answer), (output, ours.output)):
        os.write(source, b"x")
        assert os.read(end, 2) == b"x"
    for fd in (*ours, question, answer, output):
        os.close(fd)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whether a process was stopped")
def test_a_process_that_was_stopped_is_known() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert not launch.is_stopped(process.pid)
    process.send_signal(signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)
    assert launch.is_stopped(process.pid)
    process.kill()
    process.communicate()
    assert not launch.is_stopped(process.pid)


@only_posix
@pytest.mark.parametrize(("code", "grace_s", "alone", "exit_code"), [("raise SystemExit(3)", 20.0, True, 3), ("input()", 0.0, False, -9)])
def test_a_process_that_was_not_forked_is_ended(code: str, grace_s: float, alone: bool, exit_code: int) -> None:
    process = subprocess.Popen([sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, start_new_session=True)
    ending = launch.end(process, grace_s)
    assert (ending.alone, ending.code) == (alone, exit_code)
    process.communicate()


@pytest.mark.parametrize(
    ("log", "code", "said"),
    [
        (b"", None, "no output within 120 s"),
        (b" \n", 1, "no output, and exit code 1"),
        ("\n".join(f"line {n}" for n in range(20)).encode(), 1, "line 12\nline 13\nline 14\nline 15\nline 16\nline 17\nline 18\nline 19"),
    ],
)
def test_a_process_that_does_not_start_is_explained(log: bytes, code: int | None, said: str) -> None:
    error = str(launch.did_not_start(log, code))
    assert error == f"The process that runs submissions did not start. Check if `python -c 'import torch'` works. Its output:\n{said}"


def test_missing_pytorch_is_explained() -> None:
    error = str(launch.did_not_start(b"ModuleNotFoundError: No module named 'torch'", 1))
    assert error == f"PyTorch is not installed for {sys.executable}. Run `{sys.executable} -m pip install torch`, then try again."


@only_posix
def test_every_submission_gets_the_start_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "START_S", 0.0)
    zygote = launch.Zygote("process")
    try:
        for _submission in range(2):
            with pytest.raises(GraderError, match="The process that runs submissions did not start"):
                zygote.start(launch.DEFAULT_BUDGET)
        zygote.wait(0.0)
        assert zygote.ready  # it has failed, so waiting is over
    finally:
        zygote.close()
