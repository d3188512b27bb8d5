"""The cost of the walls: of a worker from its start to its end in each tier, of the self-test, and of a zygote until it is ready.

    python tests/benchmarks/walls.py [--rounds 40]

In every round each tier starts one worker, lets it load a small source and answer one request, and ends it, so that all tiers meet the same
noise. Promised, on a quiet machine: at most 1.5 ms more than the tier `process` per worker, and 15 ms for the self-test.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from normgrade.worker.trusted import launch
from normgrade.worker.trusted.host import Host
from normgrade.worker.untrusted import zygote
from normgrade.worker.walls import TIERS, walls_of
from normgrade.worker.walls.kernel import namespaces
from normgrade.worker.wire.observation import Array, Request

SOURCE = "def f(x):\n    return x * 2\n"
REQUEST = Request("function_call", {"function": "f", "args": [Array(np.ones((8, 8), np.float32), "float32")], "kwargs": {}})
MORE_MS, SELF_TEST_MS = 1.5, 15.0
TRIED = 9


def one_worker_ms(host: Host) -> float:
    started = time.perf_counter()
    with host.worker(SOURCE, "f.py") as worker:
        answer = worker.play(REQUEST, 10_000)
    assert answer.error is None, answer.error
    return 1000 * (time.perf_counter() - started)


def workers(rounds: int) -> bool:
    """Print a table of milliseconds per worker. Return True if the promise was kept."""
    with ExitStack() as stack:
        hosts = {tier: stack.enter_context(Host(tier)) for tier in TIERS}
        hosts = {tier: host for tier, host in hosts.items() if host.protection.tier == tier}
        for host in hosts.values():
            one_worker_ms(host)
        times = [{tier: one_worker_ms(host) for tier, host in hosts.items()} for _ in range(rounds)]
    print(f"{'a worker, from start to end':30}{'ms':>8}{'more than process':>20}{'promised':>10}")
    kept = True
    for tier in hosts:
        more = statistics.median(each[tier] - each["process"] for each in times)
        kept &= more <= MORE_MS
        verdict = "" if tier == "process" else f"{more:>20.2f}{MORE_MS:>10.1f}  {'held' if more <= MORE_MS else 'BROKEN'}"
        print(f"  {tier:28}{statistics.median(each[tier] for each in times):>8.2f}{verdict}")
    return kept


def self_tests() -> None:
    """Run self-tests in a process like a zygote. Print the milliseconds, trials and failed trials of each."""
    grader = namespaces()
    zygote.warm_up("torch")
    zygote.freeze()
    walls = walls_of("container")()
    walls.prepare()
    for _ in range(TRIED):
        started = time.perf_counter()
        tried, failed = zygote.self_test(walls, grader)
        print(1000 * (time.perf_counter() - started), tried, len(failed))
        time.sleep(0.05)
        zygote.reap_all()


def self_test() -> bool:
    """Print the milliseconds of the self-test. Return True if the promise was kept and no trial failed."""
    folders = [str(Path(launch.__file__).parents[2]), str(Path(__file__).parent)]
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {folders}; import walls; walls.self_tests()"]
    printed = subprocess.run(command, env=launch.environment(), capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split() for line in printed]
    ms = statistics.median(float(row[0]) for row in rows)
    print(
        f"{'self-test, ' + rows[0][1] + ' probes':30}{ms:>8.2f}{'':20}{SELF_TEST_MS:>10.1f}  {'held' if ms <= SELF_TEST_MS else 'BROKEN'}"
    )
    return ms <= SELF_TEST_MS and all(row[2] == "0" for row in rows)


def zygotes(rounds: int) -> None:
    """Print the seconds until a zygote is ready, in each tier."""
    times: dict[str, list[float]] = {tier: [] for tier in TIERS}
    for _ in range(rounds):
        for tier in TIERS:
            started = time.perf_counter()
            with Host(tier) as host:
                assert host.protection
                times[tier].append(time.perf_counter() - started)
    print("a zygote, until it is ready: " + ", ".join(f"{tier} {statistics.median(each):.3f} s" for tier, each in times.items()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    kept = [workers(rounds), self_test()]
    zygotes(max(rounds // 8, 3))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
