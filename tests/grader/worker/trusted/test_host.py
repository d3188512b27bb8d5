"""Tests of the host with misbehaving submissions: each gets a clear outcome, does not harm the others, and leaves no process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from normgrade.course.exercise import Limits
from normgrade.language.errors import CourseError, GraderError, UsageError
from normgrade.worker.trusted import launch
from normgrade.worker.trusted.channel import Channel, Ending
from normgrade.worker.trusted.host import Host, Worker
from normgrade.worker.trusted.launch import Lost, Spawner, Starter, Zygote
from normgrade.worker.walls import Budget, Protection
from normgrade.worker.wire.framing import SIGNAL
from normgrade.worker.wire.messages import PlayQuestion
from normgrade.worker.wire.observation import Array, Cause, Error, Observation, Request

LINUX = sys.platform == "linux"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups as POSIX has them")
only_on_linux = pytest.mark.skipif(not LINUX, reason="only Linux hands the processes that a worker left behind to the zygote")

GOOD = """
import os, sys, time, ctypes, signal, threading, torch

def good(x):
    return x * 2

def evil():
"""
LIMITS = Limits()
NO_MEMORY = "memory limit: your code may use 1024 MiB more than PyTorch itself needs, and no shared memory"
SHORT = Limits(answer_s=0.4, total_s=30.0)
X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with Host("process") as host:
        yield host


@pytest.fixture(scope="module")
def fresh_host() -> Iterator[Host]:
    with Host(fork=False) as host:
        yield host


def call(function: str, *args: Any) -> Request:
    return Request("function_call", {"function": function, "args": list(args), "kwargs": {}})


def play(worker: Worker, function: str, *args: Any, size_limit_bytes: int = 10_000) -> Observation:
    return worker.play(call(function, *args), size_limit_bytes)


def result(observation: Observation) -> Any:
    assert observation.error is None, observation.error
    return observation.values["result"]


def assert_good(worker: Worker) -> None:
    """Assert that the next request gets its right answer."""
    doubled = result(play(worker, "good", Array(X, "float32")))
    assert doubled.dtype == "float32" and (doubled.values == 2 * X).all()


def evil(host: Host, body: str, limits: Limits = LIMITS, then_good: bool = True) -> Observation:
    """Return the observation of a call of `evil`. Assert that `good` works before it and, unless told otherwise, after it."""
    source = GOOD + "".join(f"    {line}\n" for line in body.splitlines())
    with host.worker(source, "evil.py", limits=limits) as worker:
        assert_good(worker)
        observation = play(worker, "evil")
        if then_good:
            assert_good(worker)
    return observation


def error_of(observation: Observation) -> Error:
    assert observation.error is not None
    return observation.error


def zygote_children(host: Host) -> list[str]:
    assert isinstance(host.starter, Zygote)
    pid = host.starter.process.pid
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def running_with(marker: str) -> list[int]:
    """Return the numbers of the processes whose command line holds this text."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if marker.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                pass
    return found


@pytest.mark.parametrize("fork", [True, False] if LINUX else [False])
def test_requests_are_answered(fork: bool, host: Host, fresh_host: Host) -> None:
    source = "print('loaded')\ndef twice(x):\n    print('called')\n    return x * 2"
    with (host if fork else fresh_host).worker(source, "twice.py") as worker:
        first, second = (play(worker, "twice", Array(X, "float32")) for _ in range(2))
    assert (result(first).values == 2 * X).all() and (result(second).values == 2 * X).all()
    assert (first.stdout, second.stdout) == ("loaded\ncalled\n", "called\n")


@pytest.mark.parametrize("fork", [True, False] if LINUX else [False])
def test_a_process_that_died_or_hung_is_replaced(fork: bool, host: Host, fresh_host: Host) -> None:
    source = GOOD + "    print('bye')\n    os._exit(3)\ndef loop():\n    while True: pass"
    with (host if fork else fresh_host).worker(source, "dies.py", limits=SHORT) as worker:
        died = play(worker, "evil")
        hung = play(worker, "loop")
        assert_good(worker)
    assert error_of(died) == Error(Cause.EXITED, "your code ended the process with exit code 3")
    assert died.stdout == "bye\n"
    assert (error_of(hung).cause, error_of(hung).message) == (Cause.TIMED_OUT, "no answer within 0.4 s: is there an endless loop?")
    assert [frame.line for frame in error_of(hung).frames] == [source.count("\n") + 1]


@pytest.mark.parametrize(
    ("body", "cause", "message"),
    [
        ("os._exit(0)", Cause.EXITED, "your code ended the process with exit code 0"),
        ("os._exit(3)", Cause.EXITED, "your code ended the process with exit code 3"),
        ("sys.exit('done')", Cause.EXITED, "done"),
        ("raise KeyboardInterrupt", Cause.RAISED, ""),
        ("ctypes.string_at(0)", Cause.CRASHED, "your code crashed: segmentation fault (SIGSEGV)"),
        ("os.abort()", Cause.CRASHED, "your code crashed: aborted (SIGABRT)"),
        ("os.kill(os.getpid(), 9)", Cause.CRASHED, "your code crashed: killed (SIGKILL); did it need too much memory?"),
        ("os.closerange(0, 256)", Cause.EXITED, "your code closed the files through which answers are sent, or changed Python so that"),
        ("os.close(4)", Cause.EXITED, "your code closed the files through which answers are sent, or changed Python so that"),
        (
            "os.close(4); time.sleep(60)",
            Cause.EXITED,
            "your code closed the files through which answers are sent, or changed Python so that",
        ),
        ("os.write(4, b'x' * 100)", Cause.FORGED, "your code wrote to a pipe of the grader: a frame starts with"),
        (
            "for fd in range(256):\n    try: os.write(fd, b'garbage' * 9)\n    except OSError: pass",
            Cause.FORGED,
            "your code wrote to a pipe",
        ),
        (
            "import builtins\nvars(builtins).clear()",
            Cause.EXITED,
            "your code closed the files through which answers are sent, or changed Python",
        ),
        ("def down(): return down()\nreturn down()", Cause.RAISED, "maximum recursion depth exceeded"),
        ("class E(Exception):\n    def __str__(self): raise self\nraise E", Cause.RAISED, "its message could not be read"),
        (
            "return bytearray(3 * 2**30)",
            Cause.OUT_OF_MEMORY,
            NO_MEMORY,
        ),
        (
            "return torch.zeros(10 * 2**30 // 4)",
            Cause.OUT_OF_MEMORY,
            NO_MEMORY,
        ),
    ],
)
def test_end_without_an_answer_is_explained(host: Host, body: str, cause: Cause, message: str) -> None:
    if not LINUX and ("bytearray" in body or "zeros" in body):
        pytest.skip("only Linux limits memory")
    error = error_of(evil(host, body))
    assert (error.cause, message in error.message) == (cause, True), error


def test_an_endless_loop_is_stopped_in_time(host: Host) -> None:
    with host.worker(GOOD + "    while True: pass", "evil.py", limits=SHORT) as worker:
        error = error_of(play(worker, "evil"))
        assert (error.cause, error.message) == (Cause.TIMED_OUT, "no answer within 0.4 s: is there an endless loop?")
        assert SHORT.answer_s <= worker.used_s < SHORT.total_s
        assert_good(worker)


def test_answers_may_take_longer_on_a_crowded_machine(host: Host) -> None:
    slow = GOOD + f"    time.sleep({2 * SHORT.answer_s})"
    with host.worker(slow, "slow.py", limits=SHORT) as worker:
        assert error_of(play(worker, "evil")).cause is Cause.TIMED_OUT
    with host.worker(slow, "slow.py", limits=SHORT, crowding=20.0) as worker:
        assert play(worker, "evil").error is None
        assert 0 < worker.used_s < SHORT.answer_s


@pytest.mark.parametrize(
    "signals", ["", "for s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"]
)
def test_nothing_outlasts_the_limit(host: Host, signals: str) -> None:
    assert error_of(evil(host, signals + "time.sleep(60)", SHORT)).cause is Cause.TIMED_OUT


IGNORED = "signal.signal(signal.SIGUSR1, signal.SIG_IGN)\n"


@pytest.mark.skipif(SIGNAL is None, reason="this system has no such signal")
@pytest.mark.parametrize(
    ("body", "running"),
    [
        ("def within():\n    time.sleep(60)\nwithin()", ["within()", "time.sleep(60)"]),
        ("while True:\n    try: time.sleep(60)\n    except BaseException: pass", ["try: time.sleep(60)"]),
        (IGNORED + "time.sleep(60)", []),
        ("signal.signal(signal.SIGUSR1, signal.SIG_DFL)\ntime.sleep(60)", []),
        ("signal.signal(signal.SIGUSR1, lambda *_: os.write(4, b'garbage' * 9))\ntime.sleep(60)", []),
        ("sum(range(10**12))", []),  # a loop in C, which no signal handler interrupts
    ],
)
def test_late_answer_is_reported_with_the_running_lines(host: Host, body: str, running: list[str]) -> None:
    error = error_of(evil(host, body, SHORT))
    assert (error.cause, [frame.text for frame in error.frames]) == (Cause.TIMED_OUT, running)


@pytest.mark.skipif(SIGNAL is None, reason="this system has no such signal")
def test_endless_load_is_reported_with_the_running_line(host: Host) -> None:
    with host.worker("import time\ntime.sleep(60)\n", "slow.py", limits=SHORT) as worker:
        error = error_of(play(worker, "good", Array(X, "float32")))
    assert error.cause is Cause.NOT_LOADED and "no answer within" in error.message
    assert [(frame.line, frame.function) for frame in error.frames] == [(2, "<module>")]


@pytest.mark.skipif(SIGNAL is None, reason="this system has no such signal")
def test_self_sent_signal_gains_no_answer(host: Host) -> None:
    error = error_of(evil(host, "os.kill(os.getpid(), signal.SIGUSR1)\ntime.sleep(60)", SHORT, then_good=False))
    assert (error.cause, error.message) == (Cause.TIMED_OUT, "no answer in time")


def test_the_time_for_all_checks_is_bounded(host: Host) -> None:
    limits = Limits(answer_s=5.0, total_s=0.5)
    with host.worker(GOOD + "    time.sleep(60)", "slow.py", limits=limits) as worker:
        assert_good(worker)
        used = Error(Cause.TIMED_OUT, "the time for all checks (0.5 s) is used up")
        assert replace(error_of(play(worker, "evil")), frames=()) == used
        used_s = worker.used_s
        assert error_of(play(worker, "good", Array(X, "float32"))) == used
        assert worker.used_s == used_s  # no further request is sent


FORGERY = """
from normgrade.worker.wire import messages
from normgrade.worker.wire.messages import PlayQuestion
from normgrade.worker.wire.observation import Array, Observation
import numpy as np
frame = messages.encode(Observation({"result": Array(np.full((2, 2), 6, np.float32), "float32")}), SERIAL)
os.write(4, frame)
"""


def test_a_forged_answer_is_noticed(host: Host) -> None:
    observation = evil(host, FORGERY.replace("SERIAL", "0"))
    assert error_of(observation).cause is Cause.FORGED
    assert error_of(observation).message.endswith("an unexpected answer")


def test_forged_answer_with_right_number_is_noticed_later(host: Host) -> None:
    find = "frame = sys._getframe()\nwhile 'serial' not in frame.f_locals: frame = frame.f_back\n"
    source = GOOD + "".join(f"    {line}\n" for line in (find + FORGERY.replace("SERIAL", "frame.f_locals['serial']")).splitlines())
    with host.worker(source, "forger.py") as worker:
        assert (result(play(worker, "evil")).values == 6).all()
        time.sleep(0.05)  # so that the second answer arrives
        assert error_of(play(worker, "good", Array(X, "float32"))).cause is Cause.FORGED
        assert_good(worker)


EMPTY_FRAME = "import os; from normgrade.worker.wire import messages; os.write(4, messages.encode(messages.Observation()))"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("1 / 0", "division by zero"),
        ("def f(:", "invalid syntax"),
        ("\0", "null bytes"),
        ("import os; os._exit(5)", "while the file was loaded, your code ended the process with exit code 5"),
        ("while True: pass", "while the file was loaded, no answer within 0.4 s: is there an endless loop?"),
        ("import ctypes; ctypes.string_at(0)", "while the file was loaded, your code crashed: segmentation fault (SIGSEGV)"),
        ("import os; os.write(4, b'x' * 99)", "while the file was loaded, your code wrote to a pipe of the grader"),
        (EMPTY_FRAME, "an unexpected answer"),
        ("import os; os.closerange(0, 99)", "while the file was loaded, your code closed the files through which answers are sent"),
    ],
)
def test_broken_file_is_loaded_only_once(host: Host, statement: str, message: str) -> None:
    with host.worker(f"print('loading')\n{statement}", "broken.py", limits=SHORT) as worker:
        first = play(worker, "good", Array(X, "float32"))
        used_s = worker.used_s
        assert error_of(first).cause is Cause.NOT_LOADED and message in error_of(first).message
        assert error_of(play(worker, "good", Array(X, "float32"))) is error_of(first) and worker.used_s == used_s


def test_output_before_a_failed_load_is_kept(host: Host) -> None:
    with host.worker("print('so far')\n1 / 0", "broken.py") as worker:
        observation = play(worker, "good")
    assert observation.stdout == "so far\n"
    assert [(frame.line, frame.text) for frame in error_of(observation).frames] == [(2, "1 / 0")]


def test_output_belongs_to_the_request_that_printed_it(host: Host) -> None:
    source = "import sys\ndef say(x):\n    print('out', x)\n    print('err', x, file=sys.stderr)\n    sys.__stdout__.write('old')"
    with host.worker(source, "say.py") as worker:
        printed = [play(worker, "say", number).stdout for number in range(3)]
    assert printed == [f"out {number}\nerr {number}\nold" for number in range(3)]


def test_a_flood_of_output_is_cut_and_counted(host: Host) -> None:
    observation = evil(host, "line = 'x' * 1023 + '\\n'\nfor _ in range(1024): sys.stdout.write(line * 1024)", Limits(20.0, 30.0))
    assert observation.error is None
    assert observation.stdout.startswith("xxx") and observation.stdout.endswith(
        "\n… 1,073,725,440 more bytes: printing this much takes time\n"
    )
    assert len(observation.stdout) < 17_000


def test_output_cannot_steer_the_terminal(host: Host) -> None:
    printed = "\\033[2J\\033]0;title\\007\\x1b[31mred\\x1b[0m\\tσ\\r50 %\\b\\r\\n\\u202e\\0\\x9b1mend"
    assert evil(host, f"sys.stdout.write('{printed}'); os.write(1, b'\\xff')").stdout == "red\tσ\n50 %\nend\ufffd"


@pytest.mark.parametrize(
    "body", ["sys.stdout = None", "sys.stdout.close()", "os.close(1); os.close(2)", "sys.stdout = sys.stderr = object()"]
)
def test_closed_or_replaced_stdout_is_harmless(host: Host, body: str) -> None:
    assert evil(host, body).error is None


@only_on_linux
@pytest.mark.parametrize(
    "body",
    [
        "for _ in range(20):\n    if os.fork() == 0: time.sleep(600)",
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(600)\n    os._exit(0)",
        "import subprocess\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\nos._exit(0)",
        "if os.fork() == 0:\n    end = time.monotonic() + 9\n    while time.monotonic() < end:\n"
        "        if os.fork() > 0: os._exit(0)\n        os.setsid()",
    ],
)
def test_nothing_is_left_running(host: Host, body: str) -> None:
    evil(host, body, SHORT)
    assert zygote_children(host) == []


def test_forked_child_cannot_answer(host: Host) -> None:
    with host.worker(GOOD + "    return os.fork() > 0", "forks.py") as worker:
        assert result(play(worker, "evil")) is True
        time.sleep(0.1)
        assert_good(worker)


# Deaths


COUNTING = """
import ctypes, os, sys, threading, time, torch

calls, kept = 0, []

def count(every, act):
    global calls
    calls += 1
    if calls % every == 0:
        act()
    return calls

def fine():
    return 1

def call():
    return count({every}, lambda: {act})
"""
EXITS = "your code ended the process with exit code 0"


def counted(host: Host, every: int, act: str, plays: int, limits: Limits = LIMITS) -> list[Observation]:
    """Return the observations of `plays` calls, of which every `every`-th runs `act`."""
    with host.worker(COUNTING.format(every=every, act=act), "counting.py", limits=limits) as worker:
        return [play(worker, "call") for _ in range(plays)]


@pytest.mark.parametrize("plays", [4, 11])
@pytest.mark.parametrize(
    ("act", "why"),
    [
        ("os._exit(0)", EXITS),
        ("ctypes.string_at(0)", "your code crashed: segmentation fault (SIGSEGV)"),
        ("os.kill(os.getpid(), 9)", "your code crashed: killed (SIGKILL); did it need too much memory?"),
    ],
)
def test_exit_at_every_fourth_call_has_no_answer_there(host: Host, act: str, why: str, plays: int) -> None:
    answers = counted(host, 4, act, plays)
    died = [number for number, answer in enumerate(answers, 1) if answer.error is not None]
    assert died == [4, 8][: plays // 4]
    assert {error_of(answers[number - 1]).message for number in died} == {why}
    assert [answer.deaths for answer in answers if answer.deaths] == [(why, why), (why,)][: plays // 4]


@only_on_linux
def test_memory_leak_fails_the_call_that_is_killed(host: Host) -> None:
    answers = counted(host, 1, "kept.append(bytearray(300 * 2**20))", 5)
    assert [answer.error is None for answer in answers] == [True, True, True, False, True]
    assert error_of(answers[3]).message == NO_MEMORY and answers[3].deaths == (NO_MEMORY, NO_MEMORY)


def test_kill_from_outside_is_forgiven_once(host: Host) -> None:
    with host.worker(
        "import os\ncalls = 0\ndef call():\n    global calls\n    calls += 1\n    return f'{calls} {os.getpid()}'", "f.py"
    ) as worker:
        answers, killed = [], []
        for number in range(6):
            answers.append(play(worker, "call"))
            if number in (1, 3):
                killed.append(answers[-1])
                os.kill(int(result(answers[-1]).split()[1]), signal.SIGKILL)
                time.sleep(0.1)
    counts = [answer.values["result"].split()[0] if answer.error is None else None for answer in answers]  # type: ignore[union-attr]
    assert counts == ["1", "2", "3", "4", None, "1"]  # the new process has repeated the plays of the killed one
    why = "your code crashed: killed (SIGKILL); did it need too much memory?"
    assert [answer.deaths for answer in answers] == [(), (), (why,), (), (why,), ()]


def test_output_of_a_replay_is_not_shown_twice(host: Host) -> None:
    source = "import os\ndef say(x):\n    print('said', x)\n    return os.getpid()"
    with host.worker(source, "say.py") as worker:
        first = play(worker, "say", 1)
        os.kill(result(first), signal.SIGKILL)
        time.sleep(0.1)
        assert [first.stdout, play(worker, "say", 2).stdout] == ["said 1\n", "said 2\n"]


@only_on_linux
def test_exit_by_a_timer_is_not_forgiven_twice(host: Host) -> None:
    timer = "    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))\n    signal.setitimer(signal.ITIMER_REAL, 0.1)\n"
    source = "import signal\n" + GOOD + timer + "def wait():\n    time.sleep(0.3)\n    return 1"
    with host.worker(source, "later.py") as worker:
        assert play(worker, "evil").error is None
        died = play(worker, "wait")
        assert error_of(died).message == EXITS and died.deaths == (EXITS, EXITS)
        assert result(play(worker, "wait")) == 1


def test_each_source_of_the_course_is_forgiven_once(host: Host) -> None:
    dies, fine = (COUNTING.format(every=2, act=act) for act in ("os._exit(0)", "None"))
    with host.worker("", "f.py") as worker:
        ended = [worker.answer(PlayQuestion(call("call"), 1000, source)) for source in (dies, dies, fine, dies, dies)]
    assert [answer.error is None for answer in ended] == [True, False, True, True, False]
    assert [len(answer.deaths) for answer in ended] == [0, 2, 0, 0, 2]


def test_death_during_load_counts_too(host: Host) -> None:
    with host.worker("import os\nos._exit(5)", "f.py") as worker:
        assert play(worker, "f").deaths == ("your code ended the process with exit code 5",) * 2
        assert play(worker, "f").deaths == ()


def test_submission_sees_five_files_and_bare_environment(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        "import os, sys\n"
        "def files():\n    return ' '.join(fd for fd in sorted(map(str, range(64))) if there(int(fd)))\n"
        "def there(fd):\n    try: os.fstat(fd)\n    except OSError: return False\n    return True\n"
        "def variables():\n    return ' '.join(sorted(os.environ))\n"
        "def folders():\n    return os.getcwd() + ' ' + str('' in sys.path)\n"
    )
    with host.worker(source, "curious.py") as worker:
        assert result(play(worker, "files")) == "0 1 2 3 4"
        assert "PYTHONPATH" not in result(play(worker, "variables")) and "USER" not in result(play(worker, "variables"))
        assert result(play(worker, "folders")) == "/ False"


def test_a_worker_holds_no_suite_and_no_oracle(host: Host) -> None:
    source = "import sys\ndef loaded():\n    return ' '.join(sorted(n for n in sys.modules if n.startswith(('normgrade', '_pytest'))))"
    with host.worker(source, "curious.py") as worker:
        loaded = result(play(worker, "loaded")).split()
    assert {name.removeprefix("normgrade").removeprefix(".") for name in loaded} == {
        "", "course", "course.ban", "course.tensor_library", "course.package", "language", "language.places",
        "language.text", "language.visible",
        "probes", "probes.layers", "probes.results", "probes.step_options", "worker", "worker.interrupts",
        *(f"worker.wire{name}" for name in ("", ".codec", ".framing", ".messages", ".observation", ".packing", ".requests")),
        *(f"worker.untrusted{name}" for name in (
            "", ".by_hand", ".exceptions", ".in_pytorch", ".on_record", ".play", ".rewriting", ".stopping", ".worker", ".zygote",
        )),
        *(f"worker.walls{name}" for name in ("", ".kernel", ".libraries", ".seccomp", ".selftest", ".view")),
    }  # fmt: skip


@only_on_linux
def test_a_plain_layer_imports_nothing_new(host: Host) -> None:
    source = (
        "import sys, torch\nfrom torch import nn\nbefore = set(sys.modules)\n"
        "class Layer(nn.Module):\n"
        "    def __init__(self, d):\n        super().__init__()\n        self.weight = nn.Parameter(torch.ones(d))\n"
        "        self.register_buffer('running_var', torch.ones(d))\n"
        "    def forward(self, x):\n        return torch.nn.functional.layer_norm(x, x.shape[-1:]) * self.weight\n"
        "def new():\n    return ' '.join(sorted(set(sys.modules) - before))"
    )
    x, w = Array(X, "float32"), Array(X[0], "float32")
    step = {"do": "train", "x": x, "upstream": x, "scattered": True}
    story = {
        "layer": "Layer",
        "args": [2],
        "kwargs": {},
        "state": {"weight": w, "running_var": w},
        "watch": ["weight", "running_var"],
        "steps": [step],
    }
    with host.worker(source, "layer.py") as worker:
        assert worker.play(Request("layer_story", story), 1000).error is None
        assert result(play(worker, "new")) == ""


def test_probes_of_the_exercise_are_played(host: Host) -> None:
    probes = "def both(impl, x):\n    return {'once': impl.f(x), 'twice': impl.f(impl.f(x))}"
    with host.worker("def f(x):\n    return x + 1", "f.py", probes) as worker:
        seen = worker.play(Request("both", {"x": Array(X, "float32")}), 1000).values
    assert (seen["twice"].values == X + 2).all()  # type: ignore[union-attr]


def test_broken_probes_are_an_error_of_the_course(host: Host) -> None:
    with (
        host.worker("", "f.py", "1 / 0") as worker,
        pytest.raises(CourseError, match=r'The probes.py of "f.py" cannot be loaded: ZeroDivisionError: division by zero\.'),
    ):
        play(worker, "f")


def test_questions_that_need_another_worker_cost_no_answer(host: Host) -> None:
    """To find the next questions, the reference may be played, which takes the only process."""

    source = "def twice(x):\n    return 2 * x"

    def announced() -> Iterator[PlayQuestion]:
        for number in range(4):
            if number == 2:
                with host.worker(source, "reference.py") as other:
                    assert result(play(other, "twice", 5)) == 10
            yield PlayQuestion(call("twice", number), 10_000)

    with host.worker(source, "f.py", limits=replace(LIMITS, answer_s=5.0)) as worker:
        worker.announce(announced())
        assert [result(play(worker, "twice", number)) for number in range(4)] == [0, 2, 4, 6]


def test_two_workers_may_take_turns(host: Host) -> None:
    with host.worker("def f():\n    return 1", "one.py") as one, host.worker("def f():\n    return 2", "two.py") as two:
        assert [result(play(worker, "f")) for worker in (one, two, one, two)] == [1, 2, 1, 2]


def test_the_process_is_reused_between_requests(host: Host) -> None:
    with host.worker("count = 0\ndef f():\n    global count\n    count += 1\n    return count", "f.py") as worker:
        assert [result(play(worker, "f")) for _ in range(3)] == [1, 2, 3]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Make Python raise at an interrupt, even if it was started in the background and ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_leaves_no_half_answer(host: Host) -> None:
    with host.worker(GOOD + "    time.sleep(4)\n    return 1", "slow.py") as worker:  # far longer than the interrupt takes
        assert_good(worker)
        threading.Timer(0.2, lambda: signal_main()).start()
        with pytest.raises(KeyboardInterrupt):
            play(worker, "evil")
        assert_good(worker)


def signal_main() -> None:
    import _thread

    _thread.interrupt_main()


@only_on_linux
def test_killing_the_zygote_fails_only_that_submission() -> None:
    with Host("process") as host, host.worker(GOOD + "    os.kill(os.getppid(), 9)\n    time.sleep(9)", "killer.py") as worker:
        assert error_of(play(worker, "evil")).cause is Cause.CRASHED
        used, started = worker.used_s, time.monotonic()
        assert_good(worker)
        assert worker.used_s - used > (time.monotonic() - started) / 2
        killed = error_of(play(worker, "evil"))
        assert killed == Error(Cause.CRASHED, "your code killed its own process and the parent process")
        assert error_of(play(worker, "good", Array(X, "float32"))) == killed
        with host.worker(GOOD + "    pass", "good.py") as other:
            assert_good(other)


class Dying:
    """A starter that hands out some channels without a worker at the other end, and then raises Lost."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def protection(self) -> Protection:
        return Protection("process", 0, (), {})

    def wait(self, timeout_s: float) -> None:
        if not self.lines:
            raise Lost

    @property
    def ready(self) -> bool:
        return True

    def start(self, budget: Budget) -> Channel:
        self.wait(0.0)
        self.lines.pop()
        ours, theirs = launch.pipes()
        for fd in theirs:
            os.close(fd)
        return Channel(ours, self.end)

    def end(self, grace_s: float) -> Ending:
        raise Lost

    def close(self) -> None:
        pass


class DyingHost(Host):
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        super().__init__("process")

    def new_starter(self) -> Starter:
        return Dying(self.lines)  # type: ignore[return-value]


@pytest.mark.parametrize("lines", [["one"], ["one", "two"], ["one"] * 9])
def test_zygotes_killed_by_a_submission_are_its_failure(lines: list[str]) -> None:
    with DyingHost(lines) as host, host.worker(GOOD + "    pass", "evil.py") as worker:
        error = error_of(play(worker, "evil"))
    assert error == Error(
        Cause.NOT_LOADED,
        "while the file was loaded, your code killed its own process and the parent process",
    )


def test_zygotes_dead_before_any_run_raise_grader_error() -> None:
    with DyingHost([]) as host, host.worker(GOOD + "    pass", "good.py") as worker, pytest.raises(GraderError) as raised:
        play(worker, "good")
    assert (
        str(raised.value)
        == "The process that runs submissions ended twice for no known reason. Memory may be low: free some, and try again."
    )


@pytest.mark.parametrize("starter", [Zygote, Spawner] if LINUX else [Spawner])
def test_failed_start_is_a_grader_error(starter: Callable[[str], Zygote | Spawner], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "BOOTSTRAP", "raise SystemExit('out of order')")
    waiting = starter("process")
    with pytest.raises(GraderError, match=r"did not start\. Check if `python -c 'import torch'` works\. Its output:\nout of order"):
        waiting.start(launch.DEFAULT_BUDGET)
    waiting.close()


def test_a_missing_torch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "BOOTSTRAP", "raise ModuleNotFoundError(\"No module named 'torch'\")")
    with (
        Host("process") as host,
        host.worker("", "f.py") as worker,
        pytest.raises(GraderError, match=r"PyTorch is not installed for .* -m pip install torch"),
    ):
        play(worker, "f")


def test_an_unknown_tier_is_named() -> None:
    with pytest.raises(UsageError, match=r'"moat" is not a valid sandbox\. Use one of: process'):
        Host("moat")


@only_on_linux
def test_closing_the_host_ends_everything() -> None:
    host = Host("process")
    worker = host.worker(GOOD + "    os.system('sleep 876543 &')", "left.py")
    play(worker, "evil")
    assert isinstance(host.starter, Zygote)
    assert running_with("876543") != []
    host.close()
    assert running_with("876543") == [] and host.starter.process.returncode == 0


def test_host_imports_nothing_slow() -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(launch.__file__).parents[2])}
    code = "import sys, normgrade.worker.trusted.host\nprint({'numpy', 'pytest', 'rich', 'torch'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True).stdout == "set()\n"
