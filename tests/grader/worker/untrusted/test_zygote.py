"""Tests of the process that workers are forked from: its preparation, and the end of its children."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from typing import Any

import pytest

from normgrade.course.package import PACKAGE
from normgrade.worker.wire.framing import ENDED, KILLED

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")

SCENES = """
import gc, json, os, signal, sys, threading, time
import torch
from _thread import start_new_thread  # here, because after the preparation no thread can start
from normgrade.worker.untrusted import zygote
from normgrade.worker.walls.kernel import Missing, prctl

def forked(deed):
    pid = os.fork()
    if pid == 0:
        deed()
        os._exit(0)
    return pid

def family():
    os.setsid()
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
    told[1].write("x")
    told[1].flush()
    time.sleep(600)

gc.disable()
gc.freeze()
zygote.warm_up("torch")
slow = sorted({"sympy", "torch._dynamo", "torch._inductor"} & sys.modules.keys())
zygote.freeze()
remnants = [each.__name__ for each in torch.nn.Module.__subclasses__() if each.__module__ == "submission"]
works = zygote.example_works("torch")
seen = {"remnants": remnants, "slow": slow, "collects": gc.isenabled(), "unfrozen": gc.get_count()[0], "layer": works}
zygote.check_threads()
other = threading.Event()
start_new_thread(other.wait, ())
try:
    zygote.check_threads()
except RuntimeError as error:
    seen["threads"] = str(error)
other.set()
prctl("PR_SET_CHILD_SUBREAPER", 1)
seen["nobody"] = zygote.end(0, 0.0)
seen["alone"] = zygote.end(forked(lambda: os._exit(3)), 20.0)
seen["killed"] = zygote.end(forked(lambda: time.sleep(600)), 0.0)
told = [open(fd, mode) for fd, mode in zip(os.pipe(), "rw")]
parent = forked(family)
told[0].read(1)
seen["family"] = zygote.end(parent, 0.0)
seen["left"] = zygote.children()

class Weak:
    name, loses = "weak", ()
    def prepare(self):
        raise self.reason
    def give_up(self, reason):
        raise Missing(reason)

reasons = {"a": OSError("no a"), "b": ValueError("no b")}
kinds = {name: type(name, (Weak,), {"name": name, "reason": reason}) for name, reason in reasons.items()}
zygote.walls_of = kinds.__getitem__
try:
    zygote.strongest(["a", "b"], {}, lambda: True)
except RuntimeError as error:
    seen["no walls"] = str(error)
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """Return the observations of a separate process, where everything may be killed."""
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", SCENES], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_warm_up_leaves_no_garbage(seen: dict[str, Any]) -> None:
    assert seen["remnants"] == [] and seen["collects"] is True and seen["unfrozen"] < 1000


def test_no_step_imports_slow_modules(seen: dict[str, Any]) -> None:
    """Avoid `Tensor.backward` of a given gradient, which would import SymPy, and modes that would import PyTorch's compiler."""
    assert seen["slow"] == []


def test_example_layer_works_before_grading(seen: dict[str, Any]) -> None:
    assert seen["layer"] is True


def test_a_process_with_threads_is_not_forked(seen: dict[str, Any]) -> None:
    assert seen["threads"] == "the process to fork from has 2 threads instead of one"


@pytest.mark.parametrize(
    ("who", "what", "code"), [("nobody", KILLED, 0), ("alone", ENDED, 3), ("killed", KILLED, -9), ("family", KILLED, -9)]
)
def test_end_of_a_worker_is_reported(who: str, what: int, code: int, seen: dict[str, Any]) -> None:
    assert seen[who] == [what, code]


def test_children_of_a_worker_end_with_it(seen: dict[str, Any]) -> None:
    assert seen["left"] == []


def test_without_walls_every_reason_is_given(seen: dict[str, Any]) -> None:
    assert "no a" in seen["no walls"] and "ValueError: no b" in seen["no walls"]


IMPORTING = """
import socket, sys, time
from normgrade.worker.untrusted.zygote import ended_by

control = socket.socket(fileno=int(sys.argv[1]))
if sys.argv[2] == "before":
    control.recv(1)
with ended_by(control):
    print("importing", flush=True)
    if sys.argv[2] == "during":
        time.sleep(600)
print("ready", flush=True)
control.recv(1)
"""


@pytest.mark.parametrize(
    ("when", "told", "code"), [("before", "", 0), ("during", "importing\n", -signal.SIGIO), ("after", "importing\nready\n", 0)]
)
def test_a_zygote_ends_if_the_grader_ends(when: str, told: str, code: int) -> None:
    """End in the middle of an import, too. A question that comes after the imports ends nothing."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-c", IMPORTING, str(theirs.fileno()), when]
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdout=subprocess.PIPE, text=True)
    with closing(ours):
        assert process.stdout is not None
        said = "".join(process.stdout.readline() for _line in told.splitlines())
        if when == "after":
            ours.send(b"?")
    assert (said + process.communicate(timeout=60)[0], process.returncode) == (told, code)
