"""The trusted side: has submissions played in processes of their own, and makes an observation of whatever they do."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from normgrade.course.course import Limits
from normgrade.language import N_, _, retold
from normgrade.language.errors import CourseError, GraderError, UsageError, did_you_mean
from normgrade.worker import wire
from normgrade.worker.channel import Ending, Forged, HungUp, Line, Silence
from normgrade.worker.launch import Fresh, Lost, Starter, Zygote, budget_of
from normgrade.worker.observation import Cause, Error, Observation, Playable
from normgrade.worker.walls import AUTO, TIERS, Standing, at_least
from normgrade.worker.walls.kernel import prctl
from normgrade.worker.zygote_protocol import BROKEN

LIMITS = Limits()
GRACE_S = 0.5  # between a closed line and the end of its process, so that its exit code can be seen
PROBES_S = 30.0  # to load the exercise's own probes
LOSSES = 3  # how often a submission may take the zygote with it
SIGNALS = (  # the usual ones, as the system calls them
    N_("segmentation fault"), N_("killed"), N_("aborted"), N_("bus error"), N_("floating point exception"), N_("illegal instruction"),
    N_("terminated"), N_("cpu time limit exceeded"),
)  # fmt: skip
NAMED_SIGNALS = {int(each) for each in signal.Signals}
PERHAPS_FROM_OUTSIDE = (Cause.CRASHED,)  # a process may be killed where memory is short
PERHAPS_EARLIER = (Cause.EXITED, Cause.CRASHED, Cause.OUT_OF_MEMORY)  # a thread, say, that an earlier request left behind


class Host:
    """Workers behind the strongest walls that this machine offers, up to a tier. The first process starts at once, while the grader does
    something else.

    `required` is the tier below which nothing is played. `fork` says whether workers are forks of one process or fresh ones; by default
    they are forks on Linux. `stand` is told the tier before a worker starts.
    """

    def __init__(
        self, tier: str = AUTO, required: str = "process", fork: bool | None = None, stand: Callable[[str], None] = lambda tier: None
    ) -> None:
        for name in (tier, required):
            if name not in {*TIERS, AUTO}:
                meant, known = did_you_mean(name, TIERS), ", ".join(TIERS)
                raise UsageError(_('No sandbox named "{name}".{meant} There is {known}.', name=name, meant=meant, known=known))
        self.tier = tier
        self.required = required
        self.stand = stand
        prctl("PR_SET_DUMPABLE", 0)  # no other process of this user may read the memory of this one
        self.fork = sys.platform == "linux" if fork is None else fork
        self.starter = self.new_starter()
        self.stood: Standing | None = None  # the walls of the newest process
        self.on_line: Worker | None = None

    def new_starter(self) -> Starter:
        return Zygote(self.tier) if self.fork else Fresh(self.tier)

    def worker(
        self, submission: str, file_name: str, probes: str | None = None, limits: Limits = LIMITS, ban: wire.Ban | None = None
    ) -> Worker:
        """A worker for this source; `probes` is the source of the exercise's own probes. It starts when it is first asked."""
        return Worker(self, wire.Load(submission, file_name, "submission"), probes, limits, ban)

    @property
    def standing(self) -> Standing:
        """What walls there are, or were around the last submission; waits for the first process alone."""
        return self.stood or self.starter.standing()

    @property
    def used_s(self) -> float:
        """How much of its time the last submission has used."""
        return 0.0 if self.on_line is None else self.on_line.used_s

    def line(self, worker: Worker, until: float | None) -> Line:
        """A line to a new process, which is waited for until then if need be; Lost if there is none. One worker has a line at a time."""
        if self.on_line is not None and self.on_line is not worker:
            self.on_line.hang_up()
        self.on_line = worker
        try:
            return self.start(worker.limits, until)
        except Lost:
            self.restart()
        return self.start(worker.limits, until)

    def start(self, limits: Limits, until: float | None) -> Line:
        """A line to a new process; a GraderError where its walls would be weaker than required."""
        if until is not None:
            self.starter.wait(until - time.monotonic())
        self.stood = self.starter.standing()
        if self.stood.tier not in at_least(self.required):
            raise GraderError(too_weak(self.stood, self.required))
        self.stand(self.stood.tier)
        return self.starter.start(budget_of(limits))

    def restart(self) -> None:
        self.starter.close()
        self.starter = self.new_starter()

    def close(self) -> None:
        """End every process that was started here."""
        self.starter.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Worker:
    """Plays requests on one submission. A process that died or hung is replaced for the next request."""

    def __init__(self, host: Host, submission: wire.Load, probes: str | None, limits: Limits, ban: wire.Ban | None) -> None:
        self.host = host
        self.submission = submission
        self.probes = None if probes is None else wire.Load(probes, "probes.py", "probes")
        self.limits = limits
        self.ban = ban
        self.used_s = 0.0
        self.losses = 0
        self.ended = False  # a process was ended because of it: what it takes to start another one is its own time
        self.line: Line | None = None
        self.failure: Observation | None = None  # what every request gets, once the submission could not be loaded
        self.preface = ""  # what it printed while it was loaded

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        """What the probe saw; arrays of more than `size_limit_bytes` are described."""
        played_before = self.line is not None
        observation = self.play_once(request, size_limit_bytes)
        perhaps_no_fault = PERHAPS_EARLIER if played_before else PERHAPS_FROM_OUTSIDE
        if self.line is None and observation.error is not None and observation.error.cause in perhaps_no_fault:
            return self.play_once(request, size_limit_bytes)
        return observation

    def play_once(self, request: Playable, size_limit_bytes: int) -> Observation:
        if self.line is None and self.failure is None and self.left_s > 0:
            self.load()
        if self.failure is not None:
            return self.failure
        observation = self.ask(wire.Play(request, size_limit_bytes))
        preface, self.preface = self.preface, ""
        return replace(observation, stdout=preface + observation.stdout)

    @property
    def left_s(self) -> float:
        return self.limits.total_s - self.used_s

    def load(self) -> None:
        """Start a process and have it load the submission. If that fails, it is not tried again."""
        loaded = self.load_once()
        if loaded.error is not None and loaded.error.cause is Cause.CRASHED:  # a process may be killed for what is none of its business
            loaded = self.load_once()
        if loaded.error is None:
            self.preface = loaded.stdout
            return
        self.hang_up()
        message = loaded.error.message if loaded.error.types else _("while the file was loaded, {what}", what=loaded.error.message)
        self.failure = replace(loaded, error=replace(loaded.error, cause=Cause.NOT_LOADED, message=message))

    def load_once(self) -> Observation:
        started = time.monotonic()
        try:
            self.line = self.host.line(self, started + self.left_s if self.ended else None)
            for first in (self.probes, self.ban):
                if first is not None:
                    self.make_ready(self.line, first)
        except (Lost, GraderError) as error:
            if not self.ended:
                raise without_cause() if isinstance(error, Lost) else error from None
            return Observation(error=self.lose())
        finally:
            self.used_s += time.monotonic() - started if self.ended else 0.0
        return self.ask(self.submission)

    def make_ready(self, line: Line, message: wire.Question) -> None:
        """The course's own code and rules come first, before any of the submission's."""
        try:
            error = line.ask(message, PROBES_S).error
            line.printed()  # what probes print is nobody's business, nor the submission's
        except HungUp:  # it died before it saw anything of the submission: the next question tells
            return
        except (Silence, Forged):
            error = Error(Cause.NOT_LOADED, _("it gave no answer"))
        if error is not None:
            self.hang_up()
            why, file = f"{error.types[0] if error.types else 'Error'}: {error.message}", self.submission.file_name
            if message is self.probes:
                raise CourseError(_('The probes.py that belongs to "{file}" cannot be loaded: {why}.', file=file, why=why))
            raise CourseError(_('The list of what is banned that belongs to "{file}" cannot be loaded: {why}.', file=file, why=why))

    def ask(self, message: wire.Question) -> Observation:
        """The answer to one question, or an observation of why there is none."""
        if self.line is None or self.left_s <= 0:
            return Observation(error=Error(Cause.TIMED_OUT, used_up(self.limits)))
        line, started = self.line, time.monotonic()
        try:
            answer = line.ask(message, min(self.limits.answer_s, self.left_s))
            answer = replace(answer, stdout=line.printed())
            if answer.error is None or answer.error.cause is not Cause.OUT_OF_MEMORY:
                return answer
            self.ended = True
            self.hang_up()  # what is still held would fail the next request
            return replace(answer, error=replace(answer.error, message=out_of_memory(self.limits)))
        except (Silence, HungUp, Forged) as trouble:
            self.used_s += time.monotonic() - started
            started = time.monotonic()
            return Observation(error=self.explain(line, trouble), stdout=line.printed())
        except BaseException:  # Ctrl-C: the answer that is on its way would be taken for the next one
            self.hang_up()
            raise
        finally:
            self.used_s += time.monotonic() - started

    def explain(self, line: Line, trouble: Silence | HungUp | Forged) -> Error:
        """End the process, and say what became of it."""
        self.line, self.ended = None, True
        try:
            ending = line.end(GRACE_S if isinstance(trouble, HungUp) else 0.0)
        except Lost:
            return self.lose()
        if isinstance(trouble, Forged):
            return Error(Cause.FORGED, _("your code wrote to the pipe that belongs to the grader: {trouble}", trouble=trouble))
        if isinstance(trouble, Silence):
            slow = _("no answer within {seconds:g} s: is there an endless loop?", seconds=self.limits.answer_s)
            return Error(Cause.TIMED_OUT, slow if self.left_s > 0 else used_up(self.limits))
        return how_it_ended(ending)

    def lose(self) -> Error:
        """The zygote went with the worker: start another one, but not for ever."""
        self.host.restart()
        self.losses += 1
        error = Error(Cause.CRASHED, _("the process that your code ran in was killed from inside, together with its parent"))
        if self.losses >= LOSSES:
            self.failure = Observation(error=error)
        return error

    def hang_up(self) -> None:
        """End the process; the next request will start another one."""
        line, self.line = self.line, None
        if line is not None:
            with suppress(Lost):  # whoever asks next will notice
                line.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.hang_up()


def too_weak(standing: Standing, required: str) -> str:
    """Why nothing is graded here, and what would help."""
    reasons = _("; ").join(f"{tier}: {standing.reasons[tier]}" for tier in at_least(required) if tier in standing.reasons)
    return _(
        'Nothing was graded: the tier "{required}" is required, and this machine offers "{offered}". {reasons}. '
        "`normgrade doctor` shows what is missing.",
        required=required,
        offered=standing.tier,
        reasons=reasons,
    )


def without_cause() -> GraderError:
    return GraderError(_("The process that runs submissions ended twice without cause. Is memory short? Free some, and try again."))


def out_of_memory(limits: Limits) -> str:
    return _(
        "memory limit: your code may use {limit} MiB beyond what PyTorch itself needs, and none that is shared", limit=limits.memory_mib
    )


def used_up(limits: Limits) -> str:
    return _("the time for all checks ({seconds:g} s) is used up", seconds=limits.total_s)


def how_it_ended(ending: Ending) -> Error:
    """What to say of a process that hung up without an answer."""
    if not ending.alone or ending.code == BROKEN:
        why = _("your code closed the files that answers go through, or changed Python so that no answer could be sent")
        return Error(Cause.EXITED, why)
    if ending.code >= 0:
        return Error(Cause.EXITED, _("your code ended the process with exit code {code}", code=ending.code))
    if -ending.code not in NAMED_SIGNALS:  # the real-time ones have numbers alone
        return Error(Cause.CRASHED, _("your code crashed: signal {number}", number=-ending.code))
    name = signal.Signals(-ending.code).name
    called = signal.strsignal(-ending.code)
    what = retold(called.lower(), SIGNALS) if called else _("a signal")
    if name == "SIGKILL":
        return Error(Cause.CRASHED, _("your code crashed: {what} ({name}); did it need too much memory?", what=what, name=name))
    return Error(Cause.CRASHED, _("your code crashed: {what} ({name})", what=what, name=name))
