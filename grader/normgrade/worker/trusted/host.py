"""The trusted side. It plays requests on submissions in other processes, and turns every outcome into an observation."""

from __future__ import annotations

import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice

from normgrade.course.ban import Ban
from normgrade.course.exercise import Limits
from normgrade.course.tensor_library import Library
from normgrade.language import N_, _
from normgrade.language.errors import CourseError, GraderError, UsageError, did_you_mean
from normgrade.worker import interrupts
from normgrade.worker.trusted.channel import LAST_S, Channel, Closed, Ending, Forged, NoAnswer
from normgrade.worker.trusted.launch import START_S, Lost, Spawner, Starter, Zygote, budget_of
from normgrade.worker.walls import AUTO, TIERS, Protection, at_least
from normgrade.worker.walls.kernel import prctl
from normgrade.worker.wire.framing import BROKEN
from normgrade.worker.wire.messages import Load, PlayQuestion, Question, RecordQuestion
from normgrade.worker.wire.observation import LINE_LIMIT, NAME_LIMIT, Cause, Error, Observation, Playable, Recording

Attempt = Callable[[], Observation]
LIMITS = Limits()
AHEAD = 3  # questions that are sent before their turn
LONGEST_REASON = NAME_LIMIT + LINE_LIMIT  # characters why a statement of a notebook failed
LOSSES = 3  # how many zygotes may die with a submission's process
SIGNALS = {  # the usual ones; some systems lack some of them
    "SIGSEGV": N_("segmentation fault"), "SIGKILL": N_("killed"), "SIGABRT": N_("aborted"), "SIGBUS": N_("bus error"),
    "SIGFPE": N_("floating point exception"), "SIGILL": N_("illegal instruction"), "SIGTERM": N_("terminated"),
    "SIGXCPU": N_("cpu time limit exceeded"),
}  # fmt: skip
NAMED_SIGNALS = {int(each) for each in signal.Signals}
DEATHS = (Cause.EXITED, Cause.CRASHED, Cause.OUT_OF_MEMORY)  # of a process; the first may be the machine's fault, if memory is short


class Host(AbstractContextManager["Host"]):
    """A starter of workers with the strongest walls that this machine offers, up to `tier`. Submissions are `written_with` one library.

    The first process starts at once, so that it imports the library while the grader does other work. `required` is the weakest tier that
    is accepted. If `fork` is True, the default on Linux, workers are forks of one process; otherwise they are new processes.
    `before_worker` is called with the tier before each worker starts. Workers that enforce one of `bans` start sooner.
    """

    def __init__(
        self,
        tier: str = AUTO,
        required: str = "process",
        fork: bool | None = None,
        before_worker: Callable[[str], None] = lambda tier: None,
        bans: Iterable[Ban] = (),
        written_with: Library = Library.TORCH,
    ) -> None:
        for name in (tier, required):
            if name not in {*TIERS, AUTO}:
                meant, known = did_you_mean(name, TIERS), ", ".join(TIERS)
                raise UsageError(_('"{name}" is not a valid sandbox.{meant} Use one of: {known}.', name=name, meant=meant, known=known))
        self.tier = tier
        self.required = required
        self.before_worker = before_worker
        self.bans = tuple(dict.fromkeys(bans))
        self.written_with = written_with
        prctl("PR_SET_DUMPABLE", 0)  # no other process of this user may read the memory of this one
        self.fork = sys.platform == "linux" if fork is None else fork
        self.starter = self.new_starter()
        self.witnessed: Protection | None = None  # the walls of the newest process
        self.connected: Worker | None = None  # the worker that has a channel

    def new_starter(self) -> Starter:
        """Return a zygote, or a spawner if processes cannot be forked here."""
        return Zygote(self.tier, self.bans, self.written_with) if self.fork else Spawner(self.tier, self.written_with)

    def worker(
        self,
        submission: str,
        file_name: str,
        probes: str | None = None,
        limits: Limits = LIMITS,
        ban: Ban | None = None,
        shared_probes: str | None = None,
        crowding: float = 1.0,
        defines: tuple[str, ...] = (),
    ) -> Worker:
        """Return a worker for this source. Its process starts with the first request.

        `probes` is the source of the exercise's own probes, and `shared_probes` the source of the module that they import. On a crowded
        machine, answers may take as many times longer as `crowding` says. A source in cells is loaded if it `defines` these names.
        """
        shared = None if shared_probes is None else Load(shared_probes, "shared_probes.py", "shared_probes")
        own = None if probes is None else Load(probes, "probes.py", "probes")
        return Worker(self, Load(submission, file_name, "submission", defines), (shared, own), limits, ban, crowding)

    @property
    def protection(self) -> Protection:
        """The walls around the newest process. Waits for the first process if none has started yet."""
        return self.witnessed or self.starter.protection()

    @property
    def ready(self) -> bool:
        """True if a worker would start at once; until then there is time for other work."""
        return self.starter.ready

    @property
    def used_s(self) -> float:
        """The seconds of its time that the last submission has used."""
        return 0.0 if self.connected is None else self.connected.used_s

    def connect(self, worker: Worker, until: float | None) -> Channel:
        """Return a channel to a new process for this worker, and end that of any other.

        Raises Lost, after `until` if the process is slow to start.
        """
        if self.connected is not None and self.connected is not worker:
            self.connected.end_process()
        self.connected = worker
        try:
            return self.start(worker.limits, until)
        except Lost:
            self.restart()
        return self.start(worker.limits, until)

    def start(self, limits: Limits, until: float | None) -> Channel:
        """Return a channel to a new process. Raises GraderError if its walls would be weaker than required."""
        if until is not None:
            self.starter.wait(until - time.monotonic())
        self.witnessed = self.starter.protection()
        if self.witnessed.tier not in at_least(self.required):
            raise GraderError(too_weak(self.witnessed, self.required))
        self.before_worker(self.witnessed.tier)
        return self.starter.start(budget_of(limits))

    def restart(self) -> None:
        """End every process, and start again."""
        self.starter.close()
        self.starter = self.new_starter()

    def close(self) -> None:
        """End every process that was started here."""
        self.starter.close()

    def __exit__(self, *error: object) -> None:
        self.close()


class Worker(AbstractContextManager["Worker"]):
    """A player of requests on one submission. If a process died or hung, the next request starts a new one.

    One death is forgiven: a new process plays everything that the dead one had played, and then the request that it did not answer. If code
    ends its process at every n-th call, or leaks until it is killed, it does so again, and that is its answer.
    """

    def __init__(
        self, host: Host, submission: Load, probes: Sequence[Load | None], limits: Limits, ban: Ban | None, crowding: float = 1.0
    ) -> None:
        self.host = host
        self.submission = submission
        self.probes = probes
        self.limits = limits
        self.ban = ban
        self.crowding = crowding
        self.used_s = 0.0
        self.losses = 0
        self.ended = False  # True after it has cost a process: from then on starting another one counts as its time
        self.channel: Channel | None = None
        self.coming: Iterator[PlayQuestion] = iter(())  # the questions that will be asked, as far as they are not found yet
        self.next: deque[PlayQuestion] = deque()  # the first of them, which are found
        self.asked: deque[PlayQuestion] = deque()  # the questions that were asked ahead of their turn
        self.source: str | None = None  # of the questions, if they have one
        self.played: list[PlayQuestion] = []  # the questions about that source that this process was asked
        self.deaths: list[str] = []  # the reasons why processes died while that source was played
        self.failure: Observation | None = None  # the answer to every request, once the submission could not be loaded
        self.preface = Observation()  # the output of its loading, and the statements that failed

    def announce(self, questions: Iterable[PlayQuestion]) -> None:
        """Announce the next questions, in order. The worker answers some of them while the grader looks at earlier answers.

        Every announced question must then be asked. After the first question that costs a process, every question waits for its turn.
        """
        if self.asked:
            self.end_process()  # it works on questions that will not be asked
        self.announce_nothing()
        self.coming = iter(questions)

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        """Return the observation of the probe. An array of more than `size_limit_bytes` is described."""
        return self.answer(PlayQuestion(request, size_limit_bytes))

    def answer(self, question: PlayQuestion) -> Observation:
        """Return the observation of the probe, with the reasons why processes died on the way."""
        if question.source != self.source:
            self.source, self.played, self.deaths = question.source, [], []
        before = len(self.deaths)
        observation = self.forgiving(partial(self.try_to_answer, question), self.answer_anew)
        return replace(observation, deaths=died) if (died := tuple(self.deaths[before:])) else observation

    def record(self, question: RecordQuestion) -> Recording:
        """Play once on record, and return the recording. There is no second try."""
        if self.asked:
            self.end_process()  # it works on questions that will not be asked
        if self.channel is None and self.failure is None and self.left_s > 0:
            self.load()
        observation = self.failure or self.ask(question)
        return observation if isinstance(observation, Recording) else Recording(observation.values, observation.error)

    def forgiving(self, attempt: Attempt, again: Attempt) -> Observation:
        """Return the observation of an attempt. If its process is the first that dies, try it `again` and return that observation."""
        observation = attempt()
        if self.channel is not None or observation.error is None or observation.error.cause not in DEATHS:
            return observation
        self.deaths.append(observation.error.message)
        return self.forgiving(again, again) if len(self.deaths) == 1 else observation

    def answer_anew(self) -> Observation:
        """Ask a new process all questions that the dead one was asked, until one ends it, and return the last answer."""
        for question in tuple(self.played):
            observation = self.try_to_answer(question)
            if self.channel is None:
                break
        return observation

    def try_to_answer(self, question: PlayQuestion) -> Observation:
        """Load the submission if necessary, and ask once."""
        if self.asked and not self.asked[0].is_that(question):
            self.end_process()  # it works on questions that will not be asked
        self.look_ahead()
        if self.channel is None and self.failure is None and self.left_s > 0:
            self.load()
        if self.failure is not None:
            return self.failure
        observation = self.ask(question)
        self.played.append(question)
        preface, self.preface = self.preface, Observation()
        return replace(observation, stdout=preface.stdout + observation.stdout, left_out=preface.left_out)

    def look_ahead(self) -> None:
        """Find the next announced questions. If the reference is played to find them, this process ends, and nothing is announced."""
        coming = self.coming
        found = [*islice(coming, AHEAD + 1 - len(self.asked) - len(self.next))]
        if self.coming is coming:
            self.next += found

    @property
    def left_s(self) -> float:
        """The seconds that are left for all further answers."""
        return self.limits.total_s - self.used_s

    def load(self) -> None:
        """Start a process that loads the submission. A submission that cannot be loaded is not tried again."""
        loaded, self.played = self.forgiving(self.try_to_load, self.try_to_load), []
        self.preface = replace(loaded, values={}, left_out=left_out(loaded))
        if loaded.error is None:
            return
        self.end_process()
        message = loaded.error.message if loaded.error.types else _("while the file was loaded, {what}", what=loaded.error.message)
        self.failure = replace(self.preface, error=replace(loaded.error, cause=Cause.NOT_LOADED, message=message))

    def try_to_load(self) -> Observation:
        """Start a process, send it the course's own code and rules, then the submission."""
        started = time.monotonic()
        try:
            self.channel = self.host.connect(self, started + self.left_s if self.ended else None)
            for first in (*self.probes, self.ban):
                if first is not None:
                    self.send_first(self.channel, first)
        except (Lost, GraderError) as error:
            if not self.ended:
                raise without_cause() if isinstance(error, Lost) else error from None
            return Observation(error=self.zygote_lost())
        finally:
            self.used_s += time.monotonic() - started if self.ended else 0.0
        return self.ask(self.submission)

    def send_first(self, channel: Channel, message: Question) -> None:
        """Send the course's own code or rules, before any code of the submission runs. Raises CourseError if they are wrong."""
        try:
            error = channel.ask(message, START_S).error
            channel.printed()  # the output of probes belongs to no answer
        except Closed:  # the process died before it got the submission: the next question notices it
            return
        except (NoAnswer, Forged):
            error = Error(Cause.NOT_LOADED, _("it did not answer"))
        if error is not None:
            self.end_process()
            why, file = f"{error.types[0] if error.types else 'Error'}: {error.message}", self.submission.file_name
            if isinstance(message, Load):
                raise CourseError(_('The {probes} of "{file}" cannot be loaded: {why}.', probes=message.file_name, file=file, why=why))
            raise CourseError(_('The list of banned names for "{file}" cannot be loaded: {why}.', file=file, why=why))

    def ask(self, message: Question) -> Observation:
        """Return the answer to one question, or an observation that says why there is none."""
        if self.channel is None or self.left_s <= 0:
            return Observation(error=Error(Cause.TIMED_OUT, used_up(self.limits)))
        channel, started = self.channel, time.monotonic()
        try:
            interrupts.raise_again()
            self.send(channel, message)
            started = time.monotonic()
            answer = channel.receive(min(self.limits.answer_s, self.left_s) * self.crowding)
            answer = replace(answer, stdout=channel.printed())
            if answer.error is None or answer.error.cause is not Cause.OUT_OF_MEMORY:
                return answer
            self.ended = True
            self.end_process()  # the memory that it still holds would make the next request fail
            return replace(answer, error=replace(answer.error, message=out_of_memory(self.limits)))
        except (NoAnswer, Closed, Forged) as trouble:
            self.used_s += (time.monotonic() - started) / self.crowding
            started = time.monotonic()
            return Observation(error=self.explain(channel, trouble), stdout=channel.printed())
        except BaseException:  # Ctrl-C: the answer to this question must not be taken for the answer to the next one
            self.end_process()
            raise
        finally:
            self.used_s += (time.monotonic() - started) / self.crowding

    def send(self, channel: Channel, message: Question) -> None:
        """Send a question, unless it was sent ahead, and then some of the next ones."""
        if not isinstance(message, PlayQuestion):
            channel.send(message)
            return
        if self.asked:
            self.asked.popleft()
        else:
            if self.next:
                self.next.popleft()  # this question
            channel.send(message)
        while self.next and len(self.asked) < AHEAD:
            self.asked.append(self.next.popleft())
            channel.send(self.asked[-1])

    def explain(self, channel: Channel, trouble: NoAnswer | Closed | Forged) -> Error:
        """End the process, and say why it gave no answer."""
        self.channel, self.ended = None, True
        self.announce_nothing()
        running = channel.lines_running(LAST_S) if isinstance(trouble, NoAnswer) else ()
        try:
            ending = channel.end(LAST_S if isinstance(trouble, Closed) else 0.0)
        except Lost:
            return self.zygote_lost()
        if isinstance(trouble, Forged):
            return Error(Cause.FORGED, _("your code wrote to a pipe of the grader: {trouble}", trouble=trouble))
        if isinstance(trouble, NoAnswer):
            slow = _("no answer within {seconds:g} s: is there an endless loop?", seconds=self.limits.answer_s)
            return Error(Cause.TIMED_OUT, slow if self.left_s > 0 else used_up(self.limits), frames=running)
        return how_it_ended(ending)

    def zygote_lost(self) -> Error:
        """Start another zygote, because the last one died with the worker. After too many losses the submission gets no further chance."""
        self.host.restart()
        self.losses += 1
        error = Error(Cause.CRASHED, _("your code killed its own process and the parent process"))
        if self.losses >= LOSSES:
            self.failure = Observation(error=error)
        return error

    def announce_nothing(self) -> None:
        self.coming = iter(())
        self.next.clear()
        self.asked.clear()

    def end_process(self) -> None:
        """End the process. The next request starts a new one."""
        channel, self.channel = self.channel, None
        self.announce_nothing()
        if channel is not None:
            with suppress(Lost):  # the next question notices it
                channel.end()

    def __exit__(self, *error: object) -> None:
        self.end_process()


def left_out(loaded: Observation) -> dict[int, str]:
    """Return the reasons why statements of a notebook failed, by their lines, from the answer of a process that loaded it."""
    return {int(line): str(why)[:LONGEST_REASON] for line, why in loaded.values.items() if line.isdecimal() and len(line) < 9}


def too_weak(found: Protection, required: str) -> str:
    """Return the reasons why nothing is graded here, and a command that shows the missing parts."""
    reasons = _("; ").join(f"{tier}: {found.reasons[tier]}" for tier in at_least(required) if tier in found.reasons)
    return _(
        'Nothing was graded: the tier "{required}" is required, but this machine offers only "{offered}". {reasons}. '
        "Run `normgrade doctor` to see what is missing.",
        required=required,
        offered=found.tier,
        reasons=reasons,
    )


def without_cause() -> GraderError:
    """Return the error for a process that ended twice before any submission ran in it."""
    return GraderError(_("The process that runs submissions ended twice for no known reason. Memory may be low: free some, and try again."))


def out_of_memory(limits: Limits) -> str:
    """Return the message for a submission that needs too much memory."""
    return _("memory limit: your code may use {limit} MiB more than PyTorch itself needs, and no shared memory", limit=limits.memory_mib)


def used_up(limits: Limits) -> str:
    """Return the message for a submission that has no time left."""
    return _("the time for all checks ({seconds:g} s) is used up", seconds=limits.total_s)


def how_it_ended(ending: Ending) -> Error:
    """Return the error for a process that closed its pipe without an answer."""
    if not ending.alone or ending.code == BROKEN:
        why = _("your code closed the files through which answers are sent, or changed Python so that no answer could be sent")
        return Error(Cause.EXITED, why)
    if ending.code >= 0:
        return Error(Cause.EXITED, _("your code ended the process with exit code {code}", code=ending.code))
    if -ending.code not in NAMED_SIGNALS:  # real-time signals have numbers and no names
        return Error(Cause.CRASHED, _("your code crashed: signal {number}", number=-ending.code))
    name = signal.Signals(-ending.code).name
    what = _(SIGNALS[name]) if name in SIGNALS else (signal.strsignal(-ending.code) or _("a signal")).lower()
    if name == "SIGKILL":
        return Error(Cause.CRASHED, _("your code crashed: {what} ({name}); did it need too much memory?", what=what, name=name))
    return Error(Cause.CRASHED, _("your code crashed: {what} ({name})", what=what, name=name))
