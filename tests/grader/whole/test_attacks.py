"""Tests of submissions that attack: in every tier each of them gains exactly what its first lines declare."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from thorough import THOROUGH

import normgrade
from normgrade.worker.walls import TIERS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes, signals and files as POSIX has them")
HARNESS = Path(__file__).parents[1] / "harness"
ATTACKS = Path(__file__).parents[1] / "fixtures" / "attacks"
TINY = Path(__file__).parents[1] / "fixtures" / "courses" / "tiny"
NAMES = sorted(path.stem for path in ATTACKS.glob("*.py"))
ALIKE = ("verdict", "wire", "output", "terminal", "rules", "source")  # classes of attacks on which walls have no influence
ALL_PLAYED = TIERS[-1], "nobody"  # the tier and the user that all attacks are played with, in every run of the tests
CLASSES = "verdict wire files network processes kernel memory time output terminal rules source".split()
FIELDS = "class|process|root|linux|linux as root|needs"
GAINING = ("lost", "as without walls")
GAINS = {"files", "network", "processes", "reference", "memory", "machine"}
NOBODY = 54321  # an ordinary user without other processes: root's submissions run as 65534
STAGE = "/mnt"  # any existing folder that holds none of our files
USERS = ("root", "nobody")
TIME_S = 480  # for all attacks on a busy machine; they usually take a minute
Results = Mapping[str, Any]
Play = Callable[[str, str], Results]


@dataclass(frozen=True)
class Header:
    """The declarations of an attack.

    In the tier `process` it is "held", or "lost" with its gains, or "not run" with the reason. "as without walls" means that its gains
    depend on the machine: they are those of the same code as a program of the same user, which the harness tries.
    """

    deed: str
    kind: str
    fields: Mapping[str, str]

    def declared(self, tier: str, user: str) -> tuple[str, frozenset[str]]:
        """Return the declaration for a tier and a user: "held", "lost", "as without walls" or "not run", and the gains."""
        if tier != "process":
            said = self.fields.get(f"{tier} as {user}", self.fields.get(tier, "held"))
        else:
            said = self.fields.get("root", self.fields["process"]) if user == "root" else self.fields["process"]
        word, _, gains = said.partition(": ")
        return word, frozenset(gains.split(", ")) if word in GAINING else frozenset()


@cache
def header(name: str) -> Header:
    deed, *rest = (ATTACKS / f"{name}.py").read_bytes().splitlines()[:7]
    found = [re.fullmatch(rf"# ({FIELDS}): (.+)", line.decode("utf-8", "replace")) for line in rest]
    fields = {each[1]: each[2] for each in found if each}
    return Header(deed.decode().removeprefix("# "), fields.get("class", ""), fields)


def played_behind(tier: str, user: str) -> list[str]:
    """Return the attacks that are played in this tier as this user: all of them, or one of each class. The thorough run plays all.

    All that root would play are played if nobody can become root.
    """
    if THOROUGH or (tier, user) == ALL_PLAYED or (tier == TIERS[0] and os.getuid() != 0):
        return NAMES
    return list({header(name).kind: name for name in NAMES if header(name).kind not in ALIKE}.values())


# Running them


@cache
def unusable(user: str) -> str:
    """Return the reason why nothing can be run as this user; empty if it can."""
    if os.getuid() != 0 or user == "root":
        return "only root can become root" if user == "root" and os.getuid() != 0 else ""
    needed = "import normgrade, sys, importlib.util\nfor path in (importlib.util.find_spec('torch').origin, *sys.argv[1:]): open(path)"
    command = [sys.executable, "-c", needed, str(HARNESS / "attack.py"), str(TINY / "course.toml")]
    try:
        done = subprocess.run([*become(user), *command], env=environment("/"), cwd="/", capture_output=True, text=True)
    except OSError as error:
        return f"nobody can be nobody here: {error}"
    return (
        "" if done.returncode == 0 else f"user {NOBODY} cannot use normgrade here: {(done.stderr.strip() or 'no reason').splitlines()[-1]}"
    )


@cache
def become(user: str) -> tuple[str, ...]:
    """Return the command that runs another command as this user.

    Files that the user needs may lie in folders that only root can enter. The command has its own mount namespace, in which other folders
    take their places: anybody can enter these, and they hold only the needed files.
    """
    if os.getuid() != 0 or user == "root":
        return ()
    needed = {
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(sys.executable).resolve().parent,
        Path(normgrade.__file__).parent,
        ATTACKS.parents[1],
    }
    closed = {path: above for path in needed if (above := next(filter(is_closed, reversed(path.parents)), None))}
    script = [f"mount -t tmpfs -o mode=755 none {STAGE}"]
    for number, path in enumerate(closed):
        script += [f"mkdir {STAGE}/{number}", f"mount --bind '{path}' {STAGE}/{number}"]
    script += [f"mount -t tmpfs -o mode=755 none '{folder}'" for folder in sorted(set(closed.values()))]
    for number, path in enumerate(closed):
        script += [f"mkdir -p '{path}'", f"mount --bind {STAGE}/{number} '{path}'"]
    script += [f"umount -R -l {STAGE}", f'exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups --inh-caps=-all "$@"']
    return ("unshare", "-m", "--propagation", "private", "sh", "-c", "umask 022; " + " && ".join(script), "sh")


def is_closed(folder: Path) -> bool:
    return not folder.stat().st_mode & stat.S_IXOTH


def environment(home: str) -> dict[str, str]:
    folder = Path(normgrade.__file__).parents[1]
    paths = {} if folder.name.endswith("-packages") else {"PYTHONPATH": str(folder)}
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {"HOME": home, "TMPDIR": home, "PYTHONDONTWRITEBYTECODE": "1", **paths, **kept}


def run(home: Path, tier: str, user: str, attacks: Path = ATTACKS, names: Sequence[str] = ()) -> Results:
    """Play the attacks of a folder in a tier, as a user, and return their gains; play only these names if any are given."""
    if os.getuid() == 0 and user != "root":
        os.chown(home, NOBODY, NOBODY)
    command = [sys.executable, str(HARNESS / "attack.py"), "--tier", tier, "--course", str(TINY), "--attacks", str(attacks)]
    try:
        done = subprocess.run(
            [*become(user), *command, "--results", str(home / "results.json"), *names],
            env=environment(str(home)), cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=TIME_S, start_new_session=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:  # kept as a result, so that not every test tries again
        return {"why": "", "broken": str(error)}
    if done.returncode != 0:
        return {"why": "", "broken": done.stdout[-2000:] + done.stderr[-4000:]}
    results: Results = json.loads((home / "results.json").read_text(encoding="utf-8"))
    return results


@pytest.fixture(scope="session")
def homes() -> Iterator[Callable[[], Path]]:
    """Yield a function that makes a folder with a short name, as sockets need it, for any user."""
    made: list[str] = []

    def make() -> Path:
        made.append(tempfile.mkdtemp(prefix="grading-"))
        return Path(made[-1])

    yield make
    for folder in made:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def played(homes: Callable[[], Path]) -> Play:
    """Return a function that plays all attacks in a tier as a user.

    Each tier is played once, as all users at the same time, since many attacks only wait.
    """

    def play(tier: str, user: str) -> Results:
        return {"why": why} if (why := unusable(user)) else run(homes(), tier, user, names=played_behind(tier, user))

    @cache
    def play_all(tier: str) -> Mapping[str, Results]:
        with ThreadPoolExecutor(len(USERS)) as players:
            return dict(zip(USERS, players.map(play, [tier] * len(USERS), USERS), strict=True))

    def play_or_skip(tier: str, user: str) -> Results:
        results = play_all(tier)[user]
        if results["why"]:
            pytest.skip(results["why"])
        assert "broken" not in results, results["broken"]
        return results

    return play_or_skip


as_each_user = pytest.mark.parametrize("user", USERS)
behind_each_tier = pytest.mark.parametrize("tier", TIERS)


@as_each_user
@behind_each_tier
def test_the_right_answer_passes(tier: str, user: str, played: Play) -> None:
    results = played(tier, user)
    assert results["right"] and results["tier"] == tier
    assert (results["user"] == 0) == (user == "root")
    assert results["undeserved"] == ["test_call"]  # this check asks only for a shape


@pytest.mark.parametrize(
    ("tier", "user", "name"), [(tier, user, name) for tier in TIERS for user in USERS for name in played_behind(tier, user)]
)
def test_attack_gains_exactly_its_declared_gains(tier: str, user: str, name: str, played: Play) -> None:
    found, (word, gains) = played(tier, user)["attacks"][name], header(name).declared(tier, user)
    if "skipped" in found:
        assert word == "not run" or "needs" in header(name).fields
        pytest.skip(found["skipped"])
    assert found["played"] or header(name).kind in ("rules", "source"), "nothing was run"
    assert found["outcome"] != "error", found["messages"]
    if word == "as without walls" and not found["without walls"]:
        gains = frozenset()
    assert [harm for harm in found["harmed"] if harm.startswith(("grading", "report"))] == []
    seen = witnessed(found)
    assert seen <= gains, found
    assert gains or not found["secret"], found
    assert gains <= seen or found["secret"], f"nothing is lost any more: {found}"


def witnessed(found: Results) -> set[str]:
    """Return the gains that the harness observed itself; secrets that an attack learned are not among them."""
    places = {"reference": ("passed",), "files": ("changed",), "network": ("reached",), "processes": ("left", "harmed")}
    return {gain for gain, kinds in places.items() if any(found[kind] for kind in kinds)}


@as_each_user
def test_without_landlock_namespaces_hold(user: str, homes: Callable[[], Path]) -> None:
    if why := unusable(user):
        pytest.skip(why)
    home = homes()
    if os.getuid() == 0 and user != "root":
        os.chown(home, NOBODY, NOBODY)
    command = [
        sys.executable,
        str(HARNESS / "deny.py"),
        "landlock_create_ruleset",
        "ENOSYS",
        "check",
        "--exercise",
        "rms",
    ]
    options = ["--course", str(TINY), "--require-isolation", "namespaces", "--format", "json"]
    graded = subprocess.run(
        [*become(user), *command, str(TINY / "solutions/rms/reference.py"), *options],
        env=environment(str(home)), cwd=home, capture_output=True, text=True, timeout=TIME_S,
    )  # fmt: skip
    if "no namespaces" in graded.stderr:
        pytest.skip(graded.stderr)
    assert graded.returncode == 0, graded.stderr
    [report] = json.loads(graded.stdout)["reports"]
    assert (report["outcome"], report["sandbox"]) == ("passed", "namespaces")


# The attacks themselves


@pytest.mark.parametrize("name", NAMES)
def test_attack_declares_its_deed_and_gains(name: str) -> None:
    lines = (ATTACKS / f"{name}.py").read_bytes().splitlines()
    assert re.fullmatch(rb"# [A-Z].+\.", lines[0]) and lines[1].startswith(b"# class: ") and lines[2].startswith(b"# process: ")
    about = header(name)
    assert about.kind in CLASSES
    assert about.fields.get("linux") in (None, "lost: existence", "lost: machine")  # the losses that these walls themselves declare
    assert about.fields.get("linux as root") in (None, "held")
    for user in ("root", "nobody"):
        word, gains = about.declared("process", user)
        assert word in (*GAINING, "held", "not run") and gains <= GAINS
        assert bool(gains) == (word in GAINING)


def test_there_are_attacks_of_every_class() -> None:
    said = re.search(r"holds (\d+) submissions that attack", (ATTACKS.parents[3] / "docs" / "walls.md").read_text(encoding="utf-8"))
    assert said is not None and int(said[1]) == len(NAMES)
    assert {header(name).kind for name in NAMES} == set(CLASSES)


# The harness itself

WRONG = "def rms(x, eps=1e-5):\n    return x * 3 + 1\n"
DEEDS = {
    "secret": "print(open('@CANARY@').read(60))\n" + WRONG,
    "changed": "import os\nos.utime('@CANARY@', (1, 1))\n" + WRONG,
    "reached": "import socket\nsocket.create_connection(('127.0.0.1', @TCP@))\n" + WRONG,
    "passed": "exec(open('@REFERENCE@').read())\ndef other():\n    pass\nrms = rms\n",
    "left": (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    os.execv('/bin/sleep', ['sleep', '@MARK@'])\n"
        f"time.sleep(0.05)\nos.kill(os.getppid(), 9)\n{WRONG}"
    ),
    "harmed": f"import os, signal\nos.kill(@VICTIM@, signal.SIGURG)\n{WRONG}",
}
SPOILS = f"import os\nos.truncate(os.path.dirname('@FOLDER@') + '/right/rms.py', 0)\n{WRONG}"
BARE = f"# process: as without walls: files\nprint(open('@CANARY@').read(60))\n{WRONG}"
SHUT = f"# process: as without walls: files\n{WRONG}"
SHOWN = ("secret", "changed", "reached", "passed", "left", "harmed")


@pytest.fixture(scope="session")
def deeds(homes: Callable[[], Path]) -> Results:
    """Return the harness's results for plain deeds, played as the user who runs the tests."""
    folder = homes()
    for name, source in {**DEEDS, "nothing": WRONG, "spoils": SPOILS}.items():
        (folder / f"{name}.py").write_text(f"# A plain deed.\n# class: files\n# process: held\n{source}", encoding="utf-8")
    for name, source in {"bare": BARE, "shut": SHUT}.items():
        (folder / f"{name}.py").write_text(f"# A plain deed.\n# class: files\n{source}", encoding="utf-8")
    results: Results = run(homes(), "process", "root" if os.getuid() == 0 else "nobody", folder)["attacks"]
    return results


@pytest.mark.parametrize("kind", SHOWN)
def test_a_plain_deed_is_seen(kind: str, deeds: Results) -> None:
    assert deeds[kind][kind]
    also = {"harmed"} if kind == "left" else set()  # the zygote ends, too
    assert {other for other in SHOWN if deeds[kind][other]} - also == {kind}


def test_harmless_code_shows_no_gains(deeds: Results) -> None:
    assert deeds["nothing"]["played"] == 5
    assert [kind for kind in SHOWN if deeds["nothing"][kind]] == []


def test_attack_that_spoils_the_grading_is_found(deeds: Results) -> None:
    """The right answer is graded once for several attacks. If it fails, each of them is played again on its own."""
    spoilt = "grading: the right answer does not pass any more"
    assert [name for name, found in deeds.items() if spoilt in found["harmed"]] == ["spoils"]


def test_gains_without_walls_are_tried_on_the_machine(deeds: Results) -> None:
    assert [deeds[name]["without walls"] for name in ("bare", "shut")] == [True, False]
    assert [deeds[name]["secret"] for name in ("bare", "shut")] == [True, False]


def test_the_longest_attacks_are_as_long_as_they_say(played: Play) -> None:
    attacks = played(*ALL_PLAYED)["attacks"]
    assert any("larger than 64 KiB" in message for message in attacks["too_long"]["messages"])
    assert attacks["many_lines"]["played"] > 0
