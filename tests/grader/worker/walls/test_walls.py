"""Tests of the walls, tier by tier: right code passes, forbidden acts fail, and a tier is reported only if its self-test holds."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from thorough import all_or

from normgrade.course.exercise import Limits
from normgrade.course.package import PACKAGE
from normgrade.course.tensor_library import Library
from normgrade.language.errors import GraderError
from normgrade.worker.trusted import launch
from normgrade.worker.trusted.host import Host, Worker
from normgrade.worker.walls import FILE_MAPPINGS_BYTES, TIERS, Protection, at_least, at_most, held_bytes, libraries, walls_of
from normgrade.worker.wire.observation import Cause, Observation, Request

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")

if sys.platform == "linux":
    from normgrade.worker.walls import selftest
    from normgrade.worker.walls.shut import KEPT, is_public

SOURCE = str(Path(launch.__file__).parents[2])


def only(tier: str, host: Host) -> Host:
    """Return the host if this machine offers the tier. Otherwise skip with the reason."""
    if host.protection.tier != tier:
        pytest.skip(f"no tier {tier} here: {host.protection.reasons.get(tier)}")
    return host


@pytest.fixture(scope="module", params=TIERS)
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    with Host(request.param) as host:
        yield only(request.param, host)


@pytest.fixture(scope="module", params=TIERS[1:])
def shut(request: pytest.FixtureRequest) -> Iterator[Host]:
    """Yield a host with walls of the kernel."""
    with Host(request.param) as host:
        yield only(request.param, host)


def play(worker: Worker, function: str) -> Observation:
    return worker.play(Request("function_call", {"function": function, "args": [], "kwargs": {}}), 10_000)


def calling(host: Host, body: str, limits: Limits = Limits(20.0, 20.0)) -> Observation:  # noqa: B008
    source = "import os, sys, torch\nfrom torch import nn\ndef f():\n" + "".join(f"    {line}\n" for line in body.splitlines())
    with host.worker(source, "f.py", limits=limits) as worker:
        return play(worker, "f")


# Readable files


def shared_libraries() -> list[Path]:
    """Return a few libraries in the system's folders that Python maps."""
    mapped = {Path(line.split(maxsplit=5)[5]) for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    return [
        path
        for path in mapped
        if libraries.of_the_system(path.parent) and path.name.startswith(("libz.", "libffi.", "liblzma.", "libbz2."))
    ]


def test_only_libraries_are_read_beside_a_users_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in shared_libraries() or pytest.skip("none of the libraries of the system's that Python usually maps"):
        shutil.copy(library, tmp_path / re.sub(r"(\.so\.\d+).*", r"\1", library.name))
    (tmp_path / "later.so.1").symlink_to(next(tmp_path.iterdir()).name)
    for name in ("a secret.txt", "secret.so", "secret.so.txt", "secret.sold", "inner/secret.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("secret")
    (tmp_path / "link.so").symlink_to("a secret.txt")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    body = (
        f"import ctypes\nctypes.CDLL('later.so.1')\nfound = []\nfor name in {sorted(os.listdir(tmp_path))!r} + ['inner/secret.txt']:\n"
        f"    try: found += [name] if b'secret' in open('{tmp_path}/' + name, 'rb').read() else []\n"
        "    except OSError: pass\n"
        "return ' '.join(found) + '.'"
    )
    with Host("linux") as host:
        observation = calling(only("linux", host), body)
        with_neighbour = host.protection.trials
    assert observation.values.get("result") == ".", observation
    monkeypatch.delenv("LD_LIBRARY_PATH")
    with Host("linux") as host:
        assert with_neighbour == host.protection.trials + 1


def test_numpy_submissions_cannot_read_pytorch() -> None:
    found = importlib.util.find_spec("torch")
    assert found is not None
    source = f"import numpy.linalg\ndef f():\n    return len(open({found.origin!r}).read(1))\n"
    for written_with, read in ((Library.NUMPY, False), (Library.TORCH, True)):
        with Host("linux", written_with=written_with) as host, only("linux", host).worker(source, "f.py") as worker:
            seen = worker.play(Request("function_call", {"function": "f", "args": [], "kwargs": {}}), 1000)
        assert (seen.error is None) == read, seen.error
        if seen.error is not None:
            assert seen.error.types[0] in ("PermissionError", "FileNotFoundError")  # the latter if the view hides it


# Right code


FINE = {
    "autograd": "x = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nreturn float(x.grad.sum())",
    "functional gradient": "return float(torch.func.grad(lambda x: (x * x).sum())(torch.ones(3)).sum())",
    "gradcheck": "return torch.autograd.gradcheck(lambda x: x * x, torch.ones(3, dtype=torch.double, requires_grad=True))",
    "vmap": "return float(torch.vmap(lambda x: x.sum())(torch.ones(2, 3)).sum())",
    "jit": "return float(torch.jit.trace(lambda x: x * 2, torch.ones(3))(torch.ones(3)).sum())",
    "convolution": "c = nn.Conv2d(3, 8, 3)\nc(torch.ones(2, 3, 9, 9)).sum().backward()\nreturn True",
    "linear algebra": "return float(torch.linalg.svd(torch.eye(20))[1].sum() + torch.linalg.eigh(torch.eye(20))[0].sum())",
    "fourier": "return float(torch.fft.rfft(torch.ones(8)).abs().sum())",
    "bfloat16": "x = torch.ones(64, 64, dtype=torch.bfloat16)\nreturn float((x @ x).float().sum())",
    "optimiser": "p = nn.Parameter(torch.ones(3))\no = torch.optim.Adam([p])\np.sum().backward()\no.step()\nreturn True",
    "checkpoint": (
        "from torch.utils.checkpoint import checkpoint\nx = torch.ones(3, requires_grad=True)\n"
        "checkpoint(lambda x: x * 2, x, use_reentrant=False).sum().backward()\nreturn float(x.grad.sum())"
    ),
    "threads asked for": "torch.set_num_threads(4)\nx = torch.ones(900, 900)\nreturn float((x @ x).sum())",
    "deterministic": "torch.use_deterministic_algorithms(True)\nreturn True",
    "random numbers": "import numpy as np\ntorch.seed()\nreturn float(np.random.default_rng().normal() + torch.randn(1))",
    "late imports": "import sqlite3, decimal, statistics, fractions, zoneinfo, asyncio, uuid, secrets, lzma, curses\nreturn True",
    "sources": "import inspect, statistics\nreturn bool(inspect.getsource(statistics.mean) and inspect.getsource(nn.Module.zero_grad))",
    "time": "import time, datetime\nreturn bool(time.strftime('%H') and datetime.datetime.now())",
    "clocks and processors": (
        "import time\ntime.sleep(0.001)\n"
        "return bool(time.process_time() + time.thread_time() + os.cpu_count() + len(os.sched_getaffinity(0)) + os.getpgid(0))"
    ),
    "warnings": "import warnings\nwarnings.warn('careful')\nreturn True",
    "half a gigabyte": "return len(bytearray(500 * 2**20)) + torch.ones(2**26).numel() > 0",
    "saving": "import io\nb = io.BytesIO()\ntorch.save(torch.ones(3), b)\nreturn torch.load(io.BytesIO(b.getvalue())).numel()",
}


@pytest.mark.parametrize("what", all_or(8, FINE))
def test_right_code_passes(what: str, host: Host) -> None:
    observation = calling(host, FINE[what])
    assert observation.error is None and observation.values["result"] is not None, observation.error


def test_a_worker_holds_five_files(host: Host) -> None:
    body = "def there(fd):\n    try: os.fstat(fd)\n    except OSError: return False\n    return True\n"
    observation = calling(host, body + "return ' '.join(str(fd) for fd in range(1024) if there(fd))")
    assert observation.values["result"] == "0 1 2 3 4"


def test_file_flags_do_not_pass_between_workers(host: Host) -> None:
    body = (
        "import fcntl\nflags = {fd: fcntl.fcntl(fd, fcntl.F_GETFL) for fd in range(5)}\n"
        "for fd in (0, 1, 2): fcntl.fcntl(fd, fcntl.F_SETFL, flags[fd] | os.O_NONBLOCK | os.O_APPEND)\n"
        "return str([fd for fd, flag in flags.items() if flag & (os.O_NONBLOCK | os.O_APPEND)])"
    )
    assert [calling(host, body).values["result"] for _ in range(2)] == ["[]", "[]"]


@pytest.fixture(scope="module", params=[tier for tier in TIERS if "all processes end with the first one" in walls_of(tier).promises])
def viewed(request: pytest.FixtureRequest) -> Iterator[Host]:
    """Yield a host whose workers have their own view of the machine."""
    with Host(request.param) as host:
        yield only(request.param, host)


def test_own_view_has_only_libraries(viewed: Host) -> None:
    body = (
        "found = []\nfor path in '/proc/self /proc/1 /proc/sys /etc/passwd /etc/hostname /bin /sbin /home /sys/class /dev/tty'.split():\n"
        "    found += [path] if os.path.lexists(path) else []\n"
        "for path in ('/', '/usr', '/proc', '/dev', '/etc', *(os.path.dirname(p) for p in sys.path if p.endswith('-packages'))):\n"
        "    try: found.append(f'{path}: {os.listdir(path)}')\n"
        "    except OSError: pass\n"
        "return str(found)"
    )
    assert calling(viewed, body).values["result"] == "[]"


def test_own_view_is_mounted_read_only(viewed: Host) -> None:
    assert isinstance(viewed.starter, launch.Zygote)
    first = [pid for pid in descendants(viewed.starter.process.pid) if Path(f"/proc/{pid}/root").exists()][-1:]
    lines = (
        Path(f"/proc/{first[0]}/mountinfo").read_text().splitlines() if first and os.access(f"/proc/{first[0]}/mountinfo", os.R_OK) else []
    )
    if not lines:
        pytest.skip("only root may see how another's namespace is mounted")
    assert [line for line in lines if "ro" not in line.split()[5].split(",")] == [] and len(lines) > 10


def test_own_view_has_another_host_name(viewed: Host) -> None:
    observation = calling(viewed, "import platform, socket\nreturn ' '.join({os.uname().nodename, platform.node(), socket.gethostname()})")
    assert observation.values["result"] == "normgrade"


def test_worker_started_by_root_is_nobody(shut: Host) -> None:
    observation = calling(shut, "return ' '.join(map(str, {*os.getresuid(), *os.getresgid()}))")
    mine = {*os.getresuid(), *os.getresgid()}
    assert observation.values["result"] == ("65534" if 0 in mine else " ".join(map(str, mine)))


# Memory


MEMORY = {
    "bytearray": "x = bytearray(2 * 2**30)",
    "tensor": "x = torch.ones(2**29)",
    "many tensors": "x = [torch.ones(2**20) for _ in range(1000)]",
    "array": "import numpy as np\nx = np.ones(2**28)",
    "objects": "x = []\nwhile True: x.append('x' * 100_000 + str(len(x)))",
    "private map": "import mmap\nx = [mmap.mmap(-1, 2**28, flags=mmap.MAP_PRIVATE) for _ in range(20)]",
    "shared map": "import mmap\nx = [mmap.mmap(-1, 2**28) for _ in range(20)]",
    "memory file": "fd = os.memfd_create('x')\nfor _ in range(40): os.write(fd, bytes(2**26))",
}


@pytest.mark.parametrize("how", MEMORY)
def test_memory_has_a_limit(how: str, host: Host) -> None:
    error = calling(host, MEMORY[how] + "\nreturn True").error
    if how == "memory file" and host.protection.tier == "process":  # it has no filter, but no file may grow either
        assert error is not None and error.message == "[Errno 27] File too large"
        return
    assert error is not None and error.cause is Cause.OUT_OF_MEMORY, error
    assert error.message == "memory limit: your code may use 1024 MiB more than PyTorch itself needs, and no shared memory"


def test_an_exercise_may_grant_less_memory(host: Host) -> None:
    limits = Limits(20.0, 20.0, memory_mib=64)
    assert calling(host, "return len(bytearray(40 * 2**20))", limits).error is None
    error = calling(host, "return len(bytearray(200 * 2**20))", limits).error
    assert error is not None and error.message.startswith("memory limit: your code may use 64 MiB")


def test_memory_still_held_does_not_fail_next_request(host: Host) -> None:
    source = "kept = []\ndef f():\n    while True: kept.append(bytearray(2**26))\ndef g():\n    return len(bytearray(2**28))"
    with host.worker(source, "hoards.py", limits=Limits(20.0, 40.0)) as worker:
        hoarding = play(worker, "f").error
        assert hoarding is not None and hoarding.cause is Cause.OUT_OF_MEMORY
        assert play(worker, "g").error is None


# The self-test


def test_the_self_test_is_thorough(shut: Host) -> None:
    assert shut.protection.trials >= 36


def test_stronger_tiers_have_the_trials_of_weaker_ones() -> None:
    promised = {tier: {*walls_of(tier).promises} for tier in TIERS}
    for one, other in permutations(TIERS, 2):
        if promised[one] <= promised[other]:
            assert {*selftest.TRIALS[one]} <= {*selftest.TRIALS[other]}


USERS_TOO = () if os.name == "posix" and os.geteuid() == 0 else ("--map-current-user",)
UNPRIVILEGED_MAY_NOT_EITHER = {"call userfaultfd", "call bpf", "call perf_event_open", "call chroot", "call setns"}
WITHOUT_WALLS = """
import json, os, sys
from normgrade.worker.walls import selftest
from normgrade.worker.walls.kernel import namespaces
child = os.fork()
if child == 0:
    facts = selftest.Facts(os.getppid(), namespaces(), namespaces(), 0, [os.path.dirname(os.__file__) + "/os.py"], lambda: True)
    trials = selftest.trials("container", facts)
    print(json.dumps(selftest.failures(trials)))
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
"""


def test_probes_fail_without_walls() -> None:
    """Check that the probes fail without walls, since otherwise they would prove nothing."""
    environment = os.environ | {"PYTHONPATH": SOURCE}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WITHOUT_WALLS], env=environment, capture_output=True, text=True, timeout=60
    )
    failed = set(json.loads(done.stdout))
    facts = selftest.Facts(1, {}, {}, 0, [Path("beside.txt")], lambda: True)
    wanted = {trial.what for group in (selftest.shut_in, selftest.out_of_sight) for trial in group(facts)}
    allowed_anyway = {"have a privilege of root", "allocate more memory than allowed", "write a file", *UNPRIVILEGED_MAY_NOT_EITHER}
    assert wanted - failed <= allowed_anyway, wanted - failed


def outcome(condition: bool, errors: tuple[int, ...] = ()) -> bool:
    def attempt() -> None:
        if not condition:
            raise OSError(errno.EACCES, "no")

    return selftest.holds(selftest.Trial("x", attempt, errors))


def test_probe_holds_only_with_the_expected_outcome() -> None:
    assert outcome(True) and outcome(False, (errno.EACCES,))
    assert not outcome(False) and not outcome(True, (errno.EACCES,)) and not outcome(False, (errno.EPERM,))


# The tier that is reported


def test_tiers_are_ordered() -> None:
    assert at_most("auto") == ["container", "linux", "namespaces", "process"]
    assert at_most("namespaces") == ["namespaces", "process"]
    assert at_least("linux") == ["linux", "container"]
    assert [walls_of(tier).name for tier in TIERS] == list(TIERS)


def test_losses_shrink_with_each_tier() -> None:
    assert [len(walls_of(tier).loses) for tier in TIERS] == [3, 2, 2, 1]


@cache
def offered(tier: str) -> Protection:
    """Return the protection that a request for this tier gives."""
    with Host(tier) as host:
        return host.protection


def only_where(tier: str) -> None:
    if offered(tier).tier != tier:
        pytest.skip(f"no tier {tier} here: {offered(tier).reasons.get(tier)}")


def check_denied(
    folder: Path, names: list[str], error: int, *arguments: str, wrap: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run `normgrade check` while the system denies some calls."""
    course = Path(__file__).parents[2] / "fixtures" / "courses" / "tiny"
    environment = os.environ | {"PYTHONPATH": SOURCE, "NORMGRADE_COURSE": str(course), "PATH": "/nowhere"}
    deny = [sys.executable, str(Path(__file__).parents[2] / "harness" / "deny.py"), ",".join(names), errno.errorcode[error]]
    command = [*wrap, *deny, "check", "--exercise", "rms", str(course / "solutions/rms/reference.py"), *arguments]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120)


CREATE = ["landlock_create_ruleset"]
DENIALS = [
    (
        ["unshare"],
        errno.EPERM,
        "linux",
        "container: namespaces cannot be used ([Errno 1] unshare: Operation not permitted); enable user namespaces",
    ),
    (["pivot_root"], errno.EINVAL, "linux", "container: namespaces cannot be used ([Errno 22] pivot_root: Invalid argument); enable user"),
    (CREATE, errno.ENOSYS, "namespaces", "linux: this kernel does not support Landlock; use Linux 5.13 or later"),
    ([*CREATE, "unshare"], errno.ENOSYS, "process", "linux: this kernel does not support Landlock; use Linux 5.13 or later"),
    (["seccomp"], errno.ENOSYS, "process", "seccomp"),
    (["capset"], errno.EPERM, "process", "capset"),
]


@pytest.mark.parametrize(("names", "error", "tier", "reason"), all_or(3, DENIALS), ids=lambda value: str(value)[:40])
def test_denied_calls_are_reported_and_required_tier_holds(
    names: list[str], error: int, tier: str, reason: str, tmp_path: Path, expectations: Path
) -> None:
    only_where("linux")
    graded = check_denied(tmp_path, names, error, "--format", "json")
    [report] = json.loads(graded.stdout)["reports"]
    assert (graded.returncode, report["outcome"], report["sandbox"]) == (0, "passed", tier)
    assert {*walls_of(tier).loses} <= {*report["lost"]} <= {*walls_of(tier).loses, KEPT}
    required = "container" if tier == "linux" else "linux"
    refused = check_denied(tmp_path, names, error, "--require-isolation", required)
    assert (refused.returncode, refused.stdout) == (3, "")
    assert f'Error: Nothing was graded: the tier "{required}" is required, but this machine offers only "{tier}".' in refused.stderr
    assert reason in refused.stderr and "Run `normgrade doctor` to see what is missing." in refused.stderr


def test_a_grader_with_a_low_number_offers_a_container(tmp_path: Path, expectations: Path) -> None:
    """Give the grader a low process number, which inside the container belongs to another process."""
    only_where("container")
    wrap = (shutil.which("unshare") or pytest.skip("there is no unshare"), *USERS_TOO, "--fork", "--pid", "--mount-proc")
    graded = check_denied(tmp_path, [], errno.EPERM, "--format", "json", "--require-isolation", "container", wrap=wrap)
    assert graded.returncode == 0, graded.stderr
    assert json.loads(graded.stdout)["reports"][0]["sandbox"] == "container"


# Calls of the walls that the default profile of Docker and Podman denies, and the rights that it leaves to root.
PROFILE = "unshare mount umount2 pivot_root setns keyctl bpf perf_event_open userfaultfd io_uring_setup process_vm_readv".split()
RIGHTS = "chown dac_override fowner fsetid kill setgid setuid setpcap net_bind_service net_raw sys_chroot mknod audit_write setfcap".split()


def test_a_container_with_the_usual_profile_offers_linux(tmp_path: Path, expectations: Path) -> None:
    only_where("linux")
    wrap: tuple[str, ...] = ()
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv") or pytest.skip("there is no setpriv to take rights from root")
        wrap = (setpriv, f"--bounding-set=-all,+{',+'.join(RIGHTS)}")
    graded = check_denied(tmp_path, PROFILE, errno.EPERM, "--format", "json", "--require-isolation", "linux", wrap=wrap)
    assert graded.returncode == 0, graded.stderr
    [report] = json.loads(graded.stdout)["reports"]
    assert (report["outcome"], report["sandbox"]) == ("passed", "linux")
    assert (KEPT in report["lost"]) == bool(wrap and not is_public(libraries.readable()))


def test_with_namespaces_no_root_right_is_kept() -> None:
    with Host("linux") as host:
        assert only("linux", host).protection.loses == walls_of("linux").loses
        observation = calling(host, "from normgrade.worker.walls.kernel import capabilities\nimport xml.dom.minidom\nreturn capabilities()")
    assert observation.values["result"] == 0


def test_failed_self_test_is_reported_with_its_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    holes = "from normgrade.worker.walls import seccomp; seccomp.FREE += ', socket, flock'; program.main"
    monkeypatch.setattr(launch, "BOOTSTRAP", launch.BOOTSTRAP.replace("program.main", holes))
    with Host("linux") as host:
        protection = host.protection
    if "Landlock" in protection.reasons.get("linux", ""):
        pytest.skip(protection.reasons["linux"])
    assert protection.tier == "process"
    assert protection.reasons["linux"].startswith("the self-test failed: open a TCP socket, open a UDP socket, open a Unix socket")


def test_self_test_that_fails_itself_counts_no_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = "from normgrade.worker.walls import selftest; all_of = selftest.trials; "
    broken += "selftest.trials = lambda tier, facts: all_of(tier, facts) if tier == 'process' else 1 / 0; program.main"
    monkeypatch.setattr(launch, "BOOTSTRAP", launch.BOOTSTRAP.replace("program.main", broken))
    with Host("linux") as host:
        reason = host.protection.reasons.get("linux", "Landlock")
    assert "Landlock" in reason or reason == "the self-test could not be made: ZeroDivisionError: division by zero"


def test_missing_required_tier_is_refused_before_any_play(monkeypatch: pytest.MonkeyPatch) -> None:
    with Host("process", required="linux") as host, host.worker("def f(): return 1", "f.py") as worker:
        with pytest.raises(GraderError, match=r'Nothing was graded: the tier "linux" is required, but this machine offers only "process"'):
            play(worker, "f")
        assert worker.used_s == 0.0


def test_without_fork_there_is_one_tier() -> None:
    with Host(fork=False) as host:
        assert host.protection.tier == "process" and set(host.protection.reasons) == {*TIERS[1:]}


def test_all_processes_end_with_the_first() -> None:
    with Host("container") as host:
        only("container", host)
        assert isinstance(host.starter, launch.Zygote)
        first = host.starter.process
        before = [first.pid, *descendants(first.pid)]
        assert len(before) >= 3
        with host.worker("import time\ndef f(): time.sleep(60)", "sleeps.py", limits=Limits(0.3, 1.0)) as worker:
            play(worker, "f")
        first.kill()
        first.wait()
        deadline = time.monotonic() + 10
        while any(map(alive, before)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert [pid for pid in before if alive(pid)] == []


def descendants(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [each for child in map(int, children) for each in (child, *descendants(child))]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# The tier `process`: limits that a worker sets itself


MIB = 1024**2
ENCLOSED = """
import json, resource
from normgrade.worker.walls import Budget, Walls
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
walls = Walls()
walls.prepare()
walls.enclose(Budget(64, 7))
names = ("CORE", "FSIZE", "NOFILE", "CPU", "DATA", "AS", "STACK")
limits = {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names}
try:
    bytearray(200 * 2**20)
    limits["memory"] = "had"
except MemoryError:
    limits["memory"] = "refused"
print(json.dumps(limits | {"held": walls.held}))
"""

ENVIRONMENT = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}


@pytest.fixture(scope="module")
def enclosed() -> dict[str, Any]:
    """Return the limits of a process that enclosed itself."""
    done = subprocess.run([sys.executable, "-c", ENCLOSED], env=ENVIRONMENT, capture_output=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_limits_are_permanent(enclosed: dict[str, Any]) -> None:
    assert [enclosed[name] for name in ("CORE", "FSIZE", "CPU")] == [[0, 0], [0, 0], [7, 7]]
    assert enclosed["STACK"][0] == enclosed["STACK"][1] > 0


def test_a_stricter_limit_stays(enclosed: dict[str, Any]) -> None:
    assert enclosed["NOFILE"] == [32, 32]


def test_memory_limit_is_on_top_of_the_libraries(enclosed: dict[str, Any]) -> None:
    held = enclosed["held"]
    assert enclosed["DATA"] == [held["VmData"] + 64 * MIB] * 2
    assert enclosed["AS"] == [held["VmSize"] + 64 * MIB + FILE_MAPPINGS_BYTES] * 2
    assert enclosed["memory"] == "refused"


def test_a_process_holds_more_address_space_than_memory() -> None:
    held = held_bytes()
    assert 0 < held["VmData"] < held["VmSize"]
