"""Grade every attack in one process, within the walls of one tier, and write the gains of each to a file.

python attack.py --tier process --course ../fixtures/courses/tiny --results gains.json [NAME…]
"""

import argparse
import io
import json
import os
import platform
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self
from unittest import mock
from xml.etree import ElementTree

from grading import Grading, open_grading, passed
from place import Place, digest
from processes import Family, descendants, everyone, is_alive, marked, named, reap, resident_bytes
from rich.console import Console
from watch import Watch

from normgrade.course.course import Course
from normgrade.course.exercise import Limits
from normgrade.language.errors import UsageError
from normgrade.oracle.cache import Cache
from normgrade.report.render import VERBOSE, render
from normgrade.report.render.terminal import show
from normgrade.report.report import Outcome, Report
from normgrade.worker.trusted.host import Worker
from normgrade.worker.trusted.launch import environment

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
ANSWER_S, TOTAL_S = 0.5, 1.0
RIGHT_S = 30.0  # for the right answer, since a zygote may have to start first
BARE_S = 30.0  # for an attack that runs without walls; each ends by itself
TIME_S = {"memory": 5.0, "time": 0.4, "output": 0.4}  # by class: these attacks use up all their time, or need time to fill memory
PATIENCE_S = 3.0  # for killed processes to end on a busy machine
BATCH = 8  # attacks after which the right answer is graded
GROWTH_BYTES = 512 * 1024**2  # of the grader, during one grading
PLAIN = b"def rms(x, eps=1e-5):\n    return x * 3 + 1\n"
SPOILT = "grading: the right answer does not pass any more"
STEERS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
MARKUP = "[bold red]"

Results = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", default="process")
    parser.add_argument("--course", type=Path, default=FIXTURES / "courses" / "tiny")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--attacks", type=Path, default=FIXTURES / "attacks")
    parser.add_argument("--secret")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.secret is None:  # start again, so that the secret is in the grader's command line and environment
        secret = f"canary-{secrets.token_hex(16)}"
        arguments = [sys.executable, str(Path(__file__).resolve()), *sys.argv[1:], "--secret", secret]
        os.execve(sys.executable, arguments, os.environ | {"GRADER_SECRET": secret})
    results = in_a_place(options)
    text = json.dumps(results, indent=1)
    if options.results:
        options.results.write_text(text, encoding="utf-8")
    else:
        print(text)


def in_a_place(options: argparse.Namespace) -> Results:
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


def play(options: argparse.Namespace, base: Path) -> Results:
    place = Place(base, options.course, options.secret)
    os.environ["NORMGRADE_CACHE"] = str(place.cache)
    exercise = replace(Course(place.course).exercise("rms"), limits=Limits(ANSWER_S, TOTAL_S))
    paths = sorted(options.attacks.glob("*.py"))
    wanted = [path for path in paths if not options.names or path.stem in [Path(name).stem for name in options.names]]

    with (
        open_grading(exercise, options.tier, TOTAL_S) as grading,
        Watch(place.right.parent) as watch,
        Harness(grading, place, watch) as harness,
    ):
        results: Results = {"tier": harness.tier(), "user": os.getuid(), "why": None}
        if results["tier"] != options.tier:
            return results | {"why": f"asked for {options.tier}, graded behind {results['tier']}", "attacks": {}}
        results |= {"right": harness.right(), "undeserved": harness.plain}
        return results | {"attacks": harness.all([Attack(path, options.tier) for path in wanted])}


class Attack:
    """One attack with the declarations of its first lines."""

    def __init__(self, path: Path, tier: str) -> None:
        self.name, self.content, self.tier = path.stem, path.read_bytes(), tier
        lines = b"\n".join(self.content.splitlines()[:8])
        found: list[tuple[bytes, bytes]] = re.findall(rb"^# ([a-z]+): (.*?)\r?$", lines, re.MULTILINE)
        self.header = {name.decode(): said.decode() for name, said in found}

    @property
    def declared(self) -> str:
        """The declared result in this tier; "" for stronger tiers than `process`, whose declarations only the tests need."""
        if self.tier != "process":
            return ""
        return self.header.get("root" if os.getuid() == 0 and "root" in self.header else "process", "")

    @property
    def time_s(self) -> float:
        return TIME_S.get(self.header.get("class", ""), TOTAL_S)

    @property
    def alone(self) -> bool:
        """True if the attack may end the zygote, and with it the traces of earlier attacks."""
        return "processes" in self.declared

    def skipped(self) -> str | None:
        """Return the reason why the attack is not played here; None if it is."""
        needed = self.header.get("needs", sys.platform)
        if self.declared.startswith("not run"):
            return self.declared
        return None if needed in (platform.machine(), sys.platform) else f"needs {needed}"


class Harness:
    """A grader of attacks that also grades the right answer between them."""

    def __init__(self, grading: Grading, place: Place, watch: Watch) -> None:
        self.grading, self.place, self.watch = grading, place, watch
        self.plays, self.patches = 0, ExitStack()

    def __enter__(self) -> Self:
        put, original = Cache.put, Worker.play

        def noted_put(cache: Cache, key: str, content: bytes) -> None:
            put(cache, key, content)
            path = cache.folder / cache.shelf / key[:2] / key
            self.place.cached[path] = digest(path)

        def counted_play(worker: Worker, *arguments: Any) -> object:
            self.plays += 1
            return original(worker, *arguments)

        self.patches.enter_context(mock.patch.object(Cache, "put", noted_put))
        self.patches.enter_context(mock.patch.object(Worker, "play", counted_play))
        return self

    def __exit__(self, *_: object) -> None:
        self.patches.close()

    @cached_property
    def plain(self) -> list[str]:
        """The checks that pass with wrong numbers."""
        self.place.fresh(PLAIN)
        return passed(self.grade(self.place.submission, TOTAL_S))

    def tier(self) -> str:
        """Return the tier of the walls; this first grading also computes the oracle's expectations."""
        self.place.fresh(PLAIN)
        return self.grade(self.place.right, RIGHT_S).sandbox

    def grade(self, path: Path, time_s: float) -> Report:
        return self.grading.report(path, ANSWER_S if time_s == TOTAL_S else time_s, time_s)

    def right(self) -> bool:
        """Return True if the right answer passes, graded with enough time to start a zygote."""
        return self.grade(self.place.right, RIGHT_S).outcome is Outcome.PASSED

    def all(self, attacks: Sequence[Attack]) -> Results:
        """Return the gains of each attack. After every batch the right answer is graded with the zygote that played the batch."""
        return {name: gains for batch in batches(attacks) for name, gains in self.together(batch).items()}

    def together(self, batch: Sequence[Attack]) -> Results:
        """Return the gains of each attack of a batch. If the right answer fails afterwards, play each attack again on its own."""
        gains = {attack.name: self.attack(attack) for attack in batch}
        spoilt = self.spoilt()
        if spoilt and len(batch) > 1:
            gains = {}
            for attack in batch:
                self.grading.start_anew()
                self.place.put_right()
                gains |= self.together([attack])
            spoilt = [] if any(SPOILT in one.get("harmed", ()) for one in gains.values()) else [f"{why}, after others" for why in spoilt]
        for one in gains.values():
            one.get("harmed", []).extend(spoilt)
        return gains

    def spoilt(self) -> list[str]:
        """Return the reasons why the right answer no longer passes; empty if it passes."""
        try:
            return [] if self.right() else [SPOILT]
        except Exception as error:
            return [f"grading: at the right answer {type(error).__name__}: {error}"[:500]]

    def attack(self, attack: Attack) -> Results:
        """Return the gains of an attack, or the reason why it was not played."""
        if why := attack.skipped():
            return {"skipped": why}
        bare = attack.declared.startswith("as without walls") and self.wins_without_walls(attack)
        if not is_alive(self.grading.zygote()):  # the previous attack ended it
            self.grading.start_anew()
        self.place.fresh(self.filled_in(attack))
        self.plays, started = 0, time.monotonic()
        zygote, before, size = self.grading.zygote(), everyone(), resident_bytes()
        harmed: list[str] = []
        gains: Results = {"passed": [], "secret": False, "outcome": "error", "messages": []}
        try:
            report = self.grade(self.place.submission, attack.time_s)
            gains = seen(report, self.plain, (self.place.secret, self.place.won))
            harmed += unreadable(report)
        except Exception as error:  # no submission may make the grader raise
            harmed.append(f"grading: {type(error).__name__}: {error}"[:500])
        gains |= {"played": self.plays, "seconds": round(time.monotonic() - started, 2), "without walls": bare}
        gains["left"] = self.left(zygote, before)
        gains["changed"], gains["reached"] = self.place.changed()[:20], self.watch.reached()
        if resident_bytes() > size + GROWTH_BYTES:
            harmed.append(f"grading: {(resident_bytes() - size) // 2**20} MiB more")
        if self.has_ended(zygote):
            harmed.append("zygote: ended")
        gains["harmed"] = harmed + self.watch.harmed()
        self.place.repair()
        return gains

    def has_ended(self, zygote: int) -> bool:
        """Return True if the zygote was replaced or has ended."""
        return self.grading.zygote() != zygote or not is_alive(zygote)

    def filled_in(self, attack: Attack) -> bytes:
        return self.place.fill_in(attack.content, self.watch.addresses())

    def wins_without_walls(self, attack: Attack) -> bool:
        """Return True if the same code gains anything as this user's program without a sandbox, which depends only on the machine."""
        source = self.filled_in(attack)
        self.place.fresh(source)
        done = subprocess.run(
            [sys.executable, "-c", source], stdin=subprocess.DEVNULL, capture_output=True,
            env=environment(), cwd="/", start_new_session=True, timeout=BARE_S,
        )  # fmt: skip
        self.watch.reached(), self.watch.harmed()  # forget what it did: the graded attack is not to blame
        return any(secret.encode() in done.stdout + done.stderr for secret in (self.place.secret, self.place.won))

    def left(self, zygote: int, before: Family) -> list[str]:
        """Kill the processes that the attack left running, and return their command lines."""
        deadline = time.monotonic() + PATIENCE_S
        while (found := self.leftovers(zygote, before)) and time.monotonic() < deadline:
            time.sleep(0.01)
        names = [named(pid) for pid in sorted(found)]
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        reap({self.grading.zygote(), self.watch.victim.pid})
        return names

    def leftovers(self, zygote: int, before: Family) -> set[int]:
        now, newest = everyone(), self.grading.zygote()
        workers, then = descendants(newest, now), descendants(zygote, before)
        others = descendants(os.getpid(), before) - then - {zygote}
        unknown = descendants(os.getpid(), now) - workers - others - {newest} | marked(self.place.mark, now.keys() - before.keys())
        extra = workers - then if newest == zygote else workers if len(workers) > len(then) else set()
        return (unknown | extra) - {self.watch.victim.pid, os.getpid()}


def batches(attacks: Iterable[Attack]) -> list[list[Attack]]:
    """Split attacks into batches. An attack that may end the zygote has its own batch: a new zygote has no traces of earlier attacks."""
    found: list[list[Attack]] = [[]]
    for attack in attacks:
        if attack.alone:
            found += [[attack], []]
        else:
            found[-1].append(attack)
            found += [[]] if len(found[-1]) == BATCH else []
    return [batch for batch in found if batch]


def seen(report: Report, plain: Sequence[str], secrets: Iterable[str]) -> Results:
    """Return the gains that the report shows."""
    everything = repr(replace(report, source=""))  # the attack knew its own text before
    return {
        "passed": [name for name in passed(report) if name not in plain],
        "secret": any(secret in everything for secret in secrets),
        "outcome": str(report.outcome.value),
        "messages": [check.message[:300] for check in report.checks][:3] + [finding.text[:300] for finding in report.findings][:2],
    }


def unreadable(report: Report) -> list[str]:
    """Return the defects of the rendered report: text that steers a terminal or is taken for markup, or a format that cannot be read."""
    screen = io.StringIO()
    console = Console(file=screen, width=500, force_terminal=False, color_system=None, highlight=False, markup=False, emoji=False)
    show([report], console)
    show([report], console, VERBOSE)
    text, found = screen.getvalue(), []
    if steering := STEERS.search(text):
        found.append(f"report: {steering.group()!r} reaches the terminal")
    if any(MARKUP in check.message + check.stdout for check in report.checks) and MARKUP not in text:
        found.append("report: text of the submission is taken for markup")
    found += problem(lambda: json.loads(render([report], "json")))
    return found + problem(lambda: ElementTree.fromstring(render([report], "junit")))


def problem(reading: Callable[[], object]) -> list[str]:
    """Return the exception that reading a report raises; empty if there is none."""
    try:
        reading()
    except Exception as error:
        return [f"report: {type(error).__name__}: {error}"]
    return []


if __name__ == "__main__":
    main()
