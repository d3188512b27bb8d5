"""Grades every attack in one process, behind the walls of one tier, and writes down what each of them gained.

python run.py --tier process --course ../courses/tiny --results gains.json [NAME…]
"""

import argparse
import hashlib
import io
import json
import os
import platform
import random
import re
import resource
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
ANSWER_S, TOTAL_S = 0.5, 1.0
TIME_S = {"memory": 5.0, "time": 0.4, "output": 0.4}  # by class, where all the time is taken, or must be there for memory to be filled
PATIENCE_S = 3.0  # for killed processes to be gone, on a machine that is busy
FENCE = 64  # the last signal: whatever else came, the victim notes it before
GROWTH_BYTES = 512 * 1024**2  # of the grader, during one grading
PLAIN = "def rms(x, eps=1e-5):\n    return x * 3 + 1\n"
VICTIM = """
import os, signal, time
for number in range(1, 65):
    try:
        signal.signal(number, lambda number, frame: os.write(1, b"%d\\n" % number))
    except (OSError, ValueError):
        pass
os.write(1, b"ready\\n")
while True:
    time.sleep(0.02)  # not `pause`, which would sleep over a signal that came just before
"""
STEERS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
MARKUP = "[bold red]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", default="process")
    parser.add_argument("--course", type=Path, default=FIXTURES / "courses" / "tiny")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--attacks", type=Path, default=FIXTURES / "attacks")
    parser.add_argument("--secret")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.secret is None:  # anew, so that it stands in the command line and in the environment of the grader
        secret = f"canary-{secrets.token_hex(16)}"
        arguments = [sys.executable, str(Path(__file__).resolve()), *sys.argv[1:], "--secret", secret]
        os.execve(sys.executable, arguments, os.environ | {"GRADER_SECRET": secret})
    results = in_a_place(options)
    text = json.dumps(results, indent=1)
    if options.results:
        options.results.write_text(text, encoding="utf-8")
    else:
        print(text)


def in_a_place(options: argparse.Namespace) -> dict:
    from normgrade.language.errors import UsageError

    sys.dont_write_bytecode = True
    with suppress(PermissionError):
        os.setsid()
    base = Path(tempfile.mkdtemp(prefix="attacks-"))
    try:
        return play(options, base)
    except UsageError as error:
        return {"tier": None, "user": os.getuid(), "why": str(error), "attacks": {}}
    finally:
        shutil.rmtree(base, ignore_errors=True)


def play(options: argparse.Namespace, base: Path) -> dict:
    from normgrade.course.course import Course, Limits
    from normgrade.grade import Options, at_desk

    place = Place(base, options.course, options.secret)
    os.environ["NORMGRADE_CACHE"] = str(place.cache)
    exercise = replace(Course(place.course).exercise("rms"), limits=Limits(ANSWER_S, TOTAL_S))
    paths = sorted(options.attacks.glob("*.py"))
    wanted = [path for path in paths if not options.names or path.stem in [Path(name).stem for name in options.names]]

    def work(desk) -> dict:
        with Watch(place) as watch:
            harness = Harness(desk, exercise, place, watch)
            results = {"tier": harness.tier(), "user": os.getuid(), "why": None}
            if results["tier"] != options.tier:
                return results | {"why": f"asked for {options.tier}, graded behind {results['tier']}", "attacks": {}}
            results |= {"right": harness.right(), "undeserved": harness.plain}
            return results | {"attacks": {path.stem: attack(path, options.tier, harness) for path in wanted}}

    return at_desk([exercise], Options(tier=options.tier, timeout_s=TOTAL_S), work)


def attack(path: Path, tier: str, harness: "Harness") -> dict:
    header = dict(re.findall(rb"^# ([a-z]+): (.*?)\r?$", b"\n".join(path.read_bytes().splitlines()[:8]), re.MULTILINE))
    declared = header.get(b"root" if os.getuid() == 0 and b"root" in header else b"process", b"").decode()
    if tier == "process" and declared.startswith("not run"):
        return {"skipped": declared}
    if b"needs" in header and header[b"needs"].decode() not in (platform.machine(), sys.platform):
        return {"skipped": f"needs {header[b'needs'].decode()}"}
    return harness.attack(path, header.get(b"class", b"").decode())


# What an attack may try to reach


class Place:
    """Folders with secrets in them, all the user's own; put back before every attack."""

    def __init__(self, base: Path, course: Path, secret: str) -> None:
        self.secret, self.won, self.mark = secret, f"gained-{secrets.token_hex(16)}", str(random.randrange(10**6, 10**7))
        self.course, self.folder, self.workspace, self.cache = (base / name for name in ("course", "folder", "workspace", "cache"))
        self.right = base / "right" / "rms.py"
        self.submission = self.workspace / "rms.py"
        self.link = base / "link"
        shutil.copytree(course, self.course, ignore=shutil.ignore_patterns("__pycache__"))
        suite = self.course / "tests/hidden/test_rms.py"
        suite.write_text(
            suite.read_text(encoding="utf-8").replace('kind("interface")', 'kind("edge")'), encoding="utf-8"
        )  # nothing is skipped
        for name in ("tests/hidden/test_rms.py", "solutions/rms/reference.py", "solutions/rms/mistakes.toml"):
            with (self.course / name).open("a", encoding="utf-8") as file:
                file.write(f"\n# {secret}\n")
        self.right.parent.mkdir()
        self.link.symlink_to(f"/nowhere/{secret}")
        shutil.copy(self.course / "solutions/rms/reference.py", self.right)
        kept = self.cache / "ab" / ("ab" + "0" * 62)
        kept.parent.mkdir(parents=True)
        kept.write_bytes(hashlib.sha256(secret.encode()).digest() + secret.encode())
        self.cached: dict[Path, str] = {}  # what the grader itself wrote there
        self.kept: dict[Path, dict] = {}

    def fresh(self, submission: bytes) -> None:
        """Folder and workspace as they were, with this submission; what the course and the cache hold is remembered."""
        for folder in (self.folder, self.workspace):
            remove(folder)
            (folder / "inner").mkdir(parents=True)
            for name in ("canary.txt", "notes.txt", "inner/notes.txt"):
                (folder / name).write_text(f"{name}: {self.secret}\n" * 200, encoding="utf-8")
        self.submission.write_bytes(submission)
        self.kept = {folder: state(folder) for folder in self.folders}
        self.copies = {folder: contents(folder) for folder in (self.course, self.cache)}
        self.cached.clear()

    @property
    def folders(self) -> tuple[Path, ...]:
        return self.folder, self.workspace, self.cache, self.course

    def changed(self) -> list[str]:
        return [f"{folder.name}: {name}" for folder in self.folders for name in self.differences(folder)]

    def differences(self, folder: Path) -> list[str]:
        before, after = self.kept[folder], state(folder)
        names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        return [name for name in names if folder != self.cache or not self.own(name, before, after)]

    def own(self, name: str, before: dict, after: dict) -> bool:
        """Whether a change in the cache is the grader's doing: an expectation it kept, or a folder that it went into."""
        now, path = after.get(name), self.cache / name
        if now is not None and now["kind"] == "folder":
            within = any(path in (written, *written.parents) for written in self.cached)
            return within and (name not in before or before[name] | {"mtime": 0, "links": 0} == now | {"mtime": 0, "links": 0})
        return now is not None and self.cached.get(path) == now["content"]

    def repair(self) -> None:
        for folder, copy in self.copies.items():
            if self.differences(folder):
                remove(folder)
                for path, (mode, mtime_ns, content) in copy.items():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
                    path.chmod(mode)
                    os.utime(path, ns=(mtime_ns, mtime_ns))

    def fill_in(self, source: bytes, watch: "Watch") -> bytes:
        values = {
            "SECRET": self.won, "CANARY": self.folder / "canary.txt", "SUITE": self.course / "tests/hidden/test_rms.py",
            "REFERENCE": self.course / "solutions/rms/reference.py", "CACHE": self.cache, "FOLDER": self.folder,
            "WORKSPACE": self.workspace, "SELF": self.submission, "MARK": self.mark, "GRADER": os.getpid(), "HOST": platform.node(), "LINK": self.link,
            **watch.addresses(),
        }  # fmt: skip
        for name, value in values.items():
            source = source.replace(f"@{name}@".encode(), str(value).encode())
        return source


def remove(folder: Path) -> None:
    def again(function, path, _) -> None:
        with suppress(OSError):
            os.chmod(os.path.dirname(path), 0o700)
            os.chmod(path, 0o700)
            function(path)

    shutil.rmtree(folder, onerror=again)


def state(folder: Path) -> dict[str, dict]:
    """Everything below a folder that a change would show in, but the times of access."""
    return {str(path.relative_to(folder)): status(path) for path in (folder, *sorted(folder.rglob("*")))}


def status(path: Path) -> dict:
    found = path.lstat()
    kind = "link" if path.is_symlink() else "folder" if path.is_dir() else "file" if path.is_file() else "special"
    content = os.readlink(path) if kind == "link" else digest(path) if kind == "file" else ""
    xattrs = {name: os.getxattr(path, name, follow_symlinks=False).hex() for name in os.listxattr(path, follow_symlinks=False)}
    return {
        "kind": kind, "mode": found.st_mode, "owner": [found.st_uid, found.st_gid], "links": found.st_nlink,
        "mtime": found.st_mtime_ns, "content": content, "xattrs": xattrs,
    }  # fmt: skip


def digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return f"{type(error).__name__}"


def contents(folder: Path) -> dict[Path, tuple[int, int, bytes]]:
    return {
        path: (path.stat().st_mode & 0o7777, path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()
    }


# Who would notice


class Watch:
    """Sockets that listen, a victim that notes every signal, and the grader's own notes."""

    def __enter__(self) -> "Watch":
        return self

    def __init__(self, place: Place) -> None:
        self.signals: list[int] = []
        self.unix, self.abstract = str(place.right.parent / "socket"), f"attacks-{secrets.token_hex(8)}"
        self.sockets = {
            "tcp": listening(socket.AF_INET, ("127.0.0.1", 0)),
            "udp": listening(socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM),
            "unix": listening(socket.AF_UNIX, self.unix),
            "unix datagram": listening(socket.AF_UNIX, self.unix + "-datagram", socket.SOCK_DGRAM),
        }
        if sys.platform == "linux":
            self.sockets["abstract"] = listening(socket.AF_UNIX, "\0" + self.abstract)
            become_subreaper()
        for number in {*range(1, 64)} - {signal.SIGCHLD, signal.SIGPIPE, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}:
            with suppress(OSError, ValueError):
                signal.signal(number, lambda number, frame: self.signals.append(number))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self.start_victim()

    def start_victim(self) -> None:
        self.victim = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", VICTIM],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
        assert self.victim.stdout.readline() == b"ready\n"
        self.victim_settings = settings(self.victim.pid)
        self.own_settings = settings(os.getpid())

    def addresses(self) -> dict[str, object]:
        return {
            "TCP": self.sockets["tcp"].getsockname()[1], "UDP": self.sockets["udp"].getsockname()[1], "UNIX": self.unix,
            "ABSTRACT": self.abstract, "VICTIM": self.victim.pid,
        }  # fmt: skip

    def reached(self) -> list[str]:
        """The sockets that heard something since this was last asked."""
        return [name for name, listener in self.sockets.items() if heard(listener)]

    def harmed(self) -> list[str]:
        """What became of the victim and of the grader since this was last asked."""
        found = [f"grader: signal {number}" for number in self.signals]
        self.signals.clear()
        if settings(os.getpid()) != self.own_settings:
            found.append(f"grader: {settings(os.getpid())} instead of {self.own_settings}")
        return found + self.harmed_victim()

    def harmed_victim(self) -> list[str]:
        if self.victim.poll() is not None:
            found = [f"victim: ended with {self.victim.returncode}"]
            self.start_victim()
            return found
        now = settings(self.victim.pid)
        found = [] if now == self.victim_settings else [f"victim: {now} instead of {self.victim_settings}"]
        self.victim.send_signal(signal.SIGCONT)
        noted = [*self.noted(), *self.noted()]  # twice: what comes while it looks at its signals is noted the next time
        found += [f"victim: signal {number}" for number in noted if number != signal.SIGCONT]
        if now != self.victim_settings:
            self.victim.kill()
            self.victim.wait()
            self.start_victim()
        return found

    def noted(self) -> list[int]:
        """The signals that the victim noted up to now."""
        self.victim.send_signal(FENCE)
        noted: list[int] = []
        while (line := self.victim.stdout.readline()) and int(line) != FENCE:
            noted.append(int(line))
        return noted

    def __exit__(self, *_: object) -> None:
        self.victim.kill()
        self.victim.wait()
        self.victim.stdout.close()
        for each in self.sockets.values():
            each.close()


def listening(family: int, address: object, kind: int = socket.SOCK_STREAM) -> socket.socket:
    listener = socket.socket(family, kind)
    listener.bind(address)
    if kind == socket.SOCK_STREAM:
        listener.listen(64)
    listener.setblocking(False)
    return listener


def heard(listener: socket.socket) -> bool:
    found = False
    while select.select([listener], [], [], 0)[0]:
        found = True
        if listener.type == socket.SOCK_STREAM:
            with suppress(OSError):
                listener.accept()[0].close()
        else:
            with suppress(OSError):
                listener.recv(2**16)
    return found


def become_subreaper() -> None:
    """Orphans of a zygote become children of this process, where they can be seen."""
    import ctypes

    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def settings(pid: int) -> dict[str, object]:
    """What another process of this user may change of a process."""
    if sys.platform != "linux":
        return {"priority": os.getpriority(os.PRIO_PROCESS, pid)}
    stat = Path(f"/proc/{pid}/stat").read_text()
    return {
        "priority": os.getpriority(os.PRIO_PROCESS, pid),
        "files": resource.prlimit(pid, resource.RLIMIT_NOFILE),
        "core": resource.prlimit(pid, resource.RLIMIT_CORE),
        "cores": sorted(os.sched_getaffinity(pid)),
        "policy": os.sched_getscheduler(pid),
        "oom": Path(f"/proc/{pid}/oom_score_adj").read_text().strip(),
        "stopped": stat.rpartition(")")[2].split()[0] in "Tt",
    }


# Processes


def parents() -> dict[int, tuple[int, bool]]:
    """Every process: its parent, and whether it is more than a zombie."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
            found[int(path.parent.name)] = (int(fields[1]), fields[0] not in "ZX")
    return found


def descendants(of: int) -> set[int]:
    """All processes below this one, but zombies."""
    known, found, before = parents(), {of}, 0
    while len(found) > before:
        before = len(found)
        found |= {pid for pid, (parent, _) in known.items() if parent in found}
    return {pid for pid in found - {of} if known[pid][1]}


def marked(mark: str) -> set[int]:
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if mark.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                found.add(int(path.parent.name))
    return found


def named(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")[-200:]
    except OSError:
        return str(pid)


def reap(known: set[int]) -> None:
    """The orphans that ended, so that their numbers are free."""
    for pid, (parent, alive) in parents().items():
        if parent == os.getpid() and not alive and pid not in known:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


# Grading


@dataclass
class Harness:
    """Grades one attack after the other at one desk, with the right answer in between."""

    desk: object
    exercise: object
    place: Place
    watch: Watch
    plain: list[str] = field(default_factory=list)
    plays: int = 0

    def __post_init__(self) -> None:
        from normgrade.oracle.cache import Cache
        from normgrade.worker import host

        put, original = Cache.put, host.Worker.play

        def noted_put(cache, key, content) -> None:
            put(cache, key, content)
            self.place.cached[cache.path(key)] = digest(cache.path(key))

        def counted_play(worker, *arguments):
            self.plays += 1
            return original(worker, *arguments)

        Cache.put, host.Worker.play = noted_put, counted_play
        self.place.fresh(PLAIN.encode())
        self.plain = passed(self.grade(self.place.submission, TOTAL_S))  # what needs no right numbers

    def tier(self) -> str:
        return self.grade(self.place.right, TOTAL_S).sandbox

    def grade(self, path: Path, time_s: float):
        from normgrade.course.course import Limits
        from normgrade.grade import Submission
        from normgrade.inspection.inspection import inspect_file

        exercise = replace(self.exercise, limits=Limits(ANSWER_S if time_s == TOTAL_S else time_s, time_s))
        desk = replace(self.desk, options=replace(self.desk.options, timeout_s=time_s))
        submission, inspection = Submission(exercise, path, "rms.py"), inspect_file(path, exercise)
        return desk.report(submission, inspection)

    def right(self) -> bool:
        """Whether the right answer passes; graded with time enough for a zygote to start."""
        from normgrade.report.report import Outcome

        return self.grade(self.place.right, 30.0).outcome is Outcome.PASSED

    def attack(self, path: Path, kind: str) -> dict:
        self.place.fresh(self.place.fill_in(path.read_bytes(), self.watch))
        self.plays, started = 0, time.monotonic()
        zygote, before, size = self.zygote(), descendants(self.zygote()), resident_bytes()
        others = descendants(os.getpid()) - before - {zygote}
        gains = {"passed": [], "secret": False, "outcome": "error", "messages": [], "changed": [], "reached": [], "left": [], "harmed": []}
        try:
            report = self.grade(self.place.submission, TIME_S.get(kind, TOTAL_S))
            gains |= seen(report, self.plain, (self.place.secret, self.place.won))
        except Exception as error:  # no submission may make the grader raise
            gains["harmed"] = [f"grading: {type(error).__name__}: {error}"[:500]]
        gains["played"], gains["seconds"] = self.plays, round(time.monotonic() - started, 2)
        gains["left"] = self.left(zygote, before, others)
        gains["changed"], gains["reached"] = self.place.changed()[:20], self.watch.reached()
        if resident_bytes() > size + GROWTH_BYTES:
            gains["harmed"].append(f"grading: {(resident_bytes() - size) // 2**20} MiB more")
        if self.zygote() != zygote:
            gains["harmed"].append("zygote: ended")
        gains["harmed"] += self.watch.harmed()
        self.place.repair()
        try:
            gains["harmed"] += [] if self.right() else ["grading: the right answer does not pass any more"]
        except Exception as error:
            gains["harmed"].append(f"grading: at the right answer {type(error).__name__}: {error}"[:500])
        return gains

    def zygote(self) -> int:
        return self.desk.host.starter.process.pid

    def left(self, zygote: int, before: set[int], others: set[int]) -> list[str]:
        """What runs that did not run before; it is ended here."""
        deadline = time.monotonic() + PATIENCE_S
        while (found := self.leftovers(zygote, before, others)) and time.monotonic() < deadline:
            time.sleep(0.01)
        names = [named(pid) for pid in sorted(found)]
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        reap({self.zygote(), self.watch.victim.pid})
        return names

    def leftovers(self, zygote: int, before: set[int], others: set[int]) -> set[int]:
        now = descendants(self.zygote())
        unknown = descendants(os.getpid()) - now - others - {self.zygote()} | marked(self.place.mark)
        extra = now - before if self.zygote() == zygote else now if len(now) > len(before) else set()
        return (unknown | extra) - {self.watch.victim.pid}


def passed(report) -> list[str]:
    from normgrade.report.report import Outcome

    return [check.name for check in report.checks if check.outcome is Outcome.PASSED]


def seen(report, plain: list[str], secrets: tuple[str, str]) -> dict:
    """What the report shows of a gain."""
    everything = repr(replace(report, source=""))  # its own text was known to it before
    return {
        "passed": [name for name in passed(report) if name not in plain],
        "secret": any(secret in everything for secret in secrets),
        "outcome": str(report.outcome.value),
        "messages": [check.message[:300] for check in report.checks][:3] + [finding.text[:300] for finding in report.findings][:2],
        "harmed": unreadable(report, everything),
    }


def unreadable(report, everything: str) -> list[str]:
    """What is wrong with the report in its formats: something steers a terminal or is taken for markup, or it is not well-formed."""
    from rich.console import Console

    from normgrade.report.render import render
    from normgrade.report.render.terminal import show

    screen = Console(file=io.StringIO(), width=500, force_terminal=False, color_system=None, highlight=False, markup=False, emoji=False)
    show([report], screen)
    text, found = screen.file.getvalue(), []
    if steering := STEERS.search(text):
        found.append(f"report: {steering.group()!r} reaches the terminal")
    if any(MARKUP in check.message + check.stdout for check in report.checks) and MARKUP not in text:
        found.append("report: text of the submission is taken for markup")
    for error in (
        problem(lambda: json.loads(render([report], "json"))),
        problem(lambda: ElementTree.fromstring(render([report], "junit"))),
    ):
        found += error
    return found


def problem(reading) -> list[str]:
    try:
        reading()
    except Exception as error:
        return [f"report: {type(error).__name__}: {error}"]
    return []


def resident_bytes() -> int:
    if sys.platform != "linux":
        return 0
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
