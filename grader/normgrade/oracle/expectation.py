"""The expectation of a request: an implementation played in float64, and the movement of each number in float32 arithmetic."""

from __future__ import annotations

import gc
import hashlib
import linecache
import sys
import traceback
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache, partial
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text, read_where_there
from normgrade.course.library import Library
from normgrade.course.package import digest_of_sources
from normgrade.language import N_, _
from normgrade.language.errors import CourseError
from normgrade.language.places import Place
from normgrade.oracle import rounded_array
from normgrade.oracle.cache import Cache
from normgrade.oracle.deferred import Deferred
from normgrade.oracle.draws import complete, completed, generator, layout
from normgrade.oracle.exact_plays import ExactPlays
from normgrade.oracle.expected import Expectation, Expected
from normgrade.oracle.kept import Damaged, decode, encode, request_key
from normgrade.oracle.shipped import Entry, Shipped
from normgrade.worker.wire.observation import HALF, Array, Observation, Playable, Request, Value
from normgrade.worker.wire.requests import FORWARD_BACKWARD, FunctionCall, LayerStory, TypedRequest, typed

PLAYS = 16  # P: plays in Monte Carlo arithmetic; with 8, a spread is now and then too small by chance
UNIT_ROUNDOFF = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
PROBES, SHARED = "probes", "shared_probes"
SHIPPED, EXACT = "shipped", "exactly"  # the kinds of content that a digest can name
NOT_EXECUTED = {
    "implementation": N_("The course's own implementation cannot be executed: {error}."),
    PROBES: N_("The course's own probes cannot be executed: {error}."),
    SHARED: N_("What the probes of the course share cannot be executed: {error}."),
}


class NotExecuted(CourseError):
    """An error for a source of the course that raises.

    `what` is a key of NOT_EXECUTED, `line` is the line that raises, or 0, and `why` is the error in words.
    """

    def __init__(self, what: str, line: int, why: str) -> None:
        super().__init__(_(NOT_EXECUTED[what], error=why))
        self.what, self.line, self.why = what, line, why

    def __reduce__(self) -> tuple[type[NotExecuted], tuple[str, int, str]]:
        """Return the class and its arguments, from which another process makes the error anew."""
        return NotExecuted, (self.what, self.line, self.why)


@dataclass(frozen=True)
class Oracle:
    """An oracle that answers requests for trusted implementations: references, alternatives, mistakes.

    `probes` is the source of the exercise's own probes. The spread of each number of the `reference` is the largest of the reference's own
    spread and those of the alternatives in `spread`. So the way in which the reference happens to be written does not decide.
    """

    cache: Cache
    probes: str | None = None
    reference: str | None = None
    spread: tuple[str, ...] = ()
    shared_probes: str | None = None
    written_with: Library = Library.TORCH
    ships: Path | None = None  # the file of expectations that ships with the exercise
    exact_plays: ExactPlays | None = field(default=None, repr=False)  # of the reference; if None, each is played when it is requested
    held: dict[str, Expectation] = field(default_factory=dict, repr=False)  # from the shipped file
    recorded: dict[str, tuple[TypedRequest, Expectation]] | None = field(default=None, repr=False)  # by name, as they were asked
    remembered: dict[tuple[str, int], tuple[Playable, Observation]] | None = None  # by the source, and the identity of the request

    @classmethod
    def of(cls, exercise: Exercise, cache: Cache) -> Oracle:
        """Return the oracle of an exercise. Raise CourseError if `spread` names an alternative that does not exist."""
        alternatives = {path.stem: path for path in exercise.alternatives}
        if unknown := next((name for name in exercise.spread if name not in alternatives), None):
            slug, known = exercise.slug, ", ".join(alternatives)
            raise CourseError(
                _('{slug}: `spread` names "{name}", which is no alternative; there is {known}.', slug=slug, name=unknown, known=known)
            )
        probes, shared = map(read_where_there, (exercise.probes, exercise.shared_probes))
        spread = tuple(read_text(alternatives[name]) for name in exercise.spread)
        return cls(cache, probes, read_text(exercise.reference), spread, shared, exercise.written_with, exercise.spreads)

    @cached_property
    def shipped(self) -> Shipped:
        """The shipped file, read when it is first needed."""
        return Shipped() if self.ships is None else Shipped.of(self.ships)

    def afresh(self) -> Oracle:
        """Return a copy of this oracle that computes the content of the shipped file, and does not use it."""
        return replace(self, ships=None, exact_plays=None, held={})

    def elsewhere(self) -> Oracle:
        """Return a copy of this oracle for another process, with nothing in memory."""
        return replace(self, cache=Cache(self.cache.folder, self.cache.key), exact_plays=None, held={}, remembered=None)

    def expectation(self, source: str, request: TypedRequest, keep: bool = True, anew: bool = False) -> Expectation:
        """Return the expectation of a request: completed, played and, if `keep`, cached.

        Exceptions in the implementation's own code are part of the expectation. With `anew`, it is computed even if it is kept: the kept
        one may come from a machine that was at fault.
        """
        others = self.spread if source == self.reference else ()
        parts: tuple[str | bytes, ...] = (source, self.all_probes, request_key(request), *others)
        if not anew and source == self.reference and (found := self.of_shipped(parts, request)) is not None:
            return found
        key = fingerprint(*parts)
        if not anew and (known := self.cache.get(key)) is not None:
            with suppress(Damaged):  # a damaged entry counts as missing
                return self.record(parts, request, decode(known))
        expectation = self.compute(source, request, others)
        if keep:
            self.cache.put(key, encode(expectation))
        return self.record(parts, request, expectation)

    def forget(self) -> None:
        """Free everything that is held in memory."""
        self.cache.held.clear()
        self.held.clear()
        if self.exact_plays is not None:
            self.exact_plays.seen.clear()

    def record(self, parts: Sequence[str | bytes], request: TypedRequest, expectation: Expectation) -> Expectation:
        """Return the expectation. If this oracle records, add it to `recorded` under the name with which it ships."""
        if self.recorded is not None:
            self.recorded[digest_of(SHIPPED, *parts)] = request, expectation
        return expectation

    def of_shipped(self, parts: Sequence[str | bytes], request: TypedRequest) -> Expectation | None:
        """Return the expectation from the shipped file, or None if it is not there. Its numbers are played when they are needed."""
        name = digest_of(SHIPPED, *parts)
        if name not in self.held and (entry := self.shipped.get(name)) is not None:
            asked = completed(request, entry.forms)
            wide, own_name = widened(asked), fingerprint(EXACT, *parts, repr(entry.forms))
            if self.exact_plays is not None:
                self.exact_plays.owe(own_name, wide)
            places = Deferred(partial(self.shipped_places, entry, own_name, asked, wide))
            self.held[name] = Expectation(asked, places, entry.error, entry.sound, entry.largest_bytes)
        return self.held.get(name)

    def shipped_places(self, entry: Entry, name: str, asked: TypedRequest, wide: Request) -> Mapping[Place, Expected]:
        """Return the expected places, from a play in float64. If the play does not fit the shipped entry, compute everything here."""
        assert self.reference is not None
        seen = self.exactly(self.reference, wide) if self.exact_plays is None else self.exact_plays.of(name, wide)
        places = None if seen is None else self.shipped.places(entry, seen)
        return self.compute(self.reference, asked, self.spread).places if places is None else in_arithmetic_of(asked, places)

    def compute(self, source: str, request: TypedRequest, others: tuple[str, ...] = ()) -> Expectation:
        implementation, probes = self.modules(source)
        asked = complete(implementation, request, probes, self.written_with)
        expectation = expect(implementation, asked, probes, written_with=self.written_with)
        for other in others:
            theirs = expect(self.modules(other)[0], expectation.request, probes, written_with=self.written_with)
            expectation = with_spread_of(expectation, theirs)
        return expectation

    def exactly(self, source: str, wide: Request) -> Observation:
        """Play a request once in float64, without any spread. It has to be complete and `widened`."""
        implementation, probes = self.modules(source)
        return play_exactly(implementation, wide, probes, written_with=self.written_with)

    def played_here(self, requests: Iterable[Request]) -> Iterator[Observation]:
        """Yield the reference's plays in float64, played in this process."""
        assert self.reference is not None
        return map(partial(self.exactly, self.reference), requests)

    def natively(self, source: str, request: Playable, size_limit_bytes: int | None = None) -> Observation:
        """Play a request natively once, as a worker does. If the play is remembered, return it and forget it."""
        _request, remembered = (self.remembered or {}).pop((source, id(request)), (request, None))
        if remembered is not None:
            return remembered
        implementation, probes = self.modules(source)
        return play_natively(implementation, request, probes, size_limit_bytes, written_with=self.written_with)

    def remembering(self) -> Oracle:
        """Return a copy of this oracle whose `remember` stores native plays, which `natively` then returns at once."""
        return replace(self, remembered={})

    def remember(self, source: str, request: Playable, native: Observation) -> None:
        """Remember a native play if this oracle remembers plays."""
        if self.remembered is not None:
            self.remembered[source, id(request)] = request, native  # the request is kept, too, so that its id is not reused

    def lines_of_probes(self, source: str, request: TypedRequest) -> tuple[int, ...]:
        """Return the lines of the exercise's own probes through which an exception comes when they are played on this source."""
        implementation, probes = self.modules(source)
        if probes is None:
            return ()
        native = play_natively(implementation, request, probes, traced=probes, written_with=self.written_with)
        wide = widened(request)
        error = native.error or play_exactly(implementation, wide, probes, traced=probes, written_with=self.written_with).error
        return () if error is None else tuple(frame.line for frame in error.frames)

    def modules(self, source: str) -> tuple[ModuleType, ModuleType | None]:
        """Return the source, and the exercise's own probes if it has any, as modules."""
        imported(self.written_with)
        shared = None if self.shared_probes is None else executed(self.shared_probes, SHARED)
        return executed(source, "implementation"), None if self.probes is None else executed(self.probes, PROBES, shared)

    @property
    def all_probes(self) -> str:
        """The sources of all probes that the exercise has of its own, or shares."""
        return "\0".join(filter(None, (self.probes, self.shared_probes)))


def executed(source: str, what: str, shared: ModuleType | None = None) -> ModuleType:
    """Return a source of the course as a module. Raise NotExecuted, which is a CourseError, if the source raises."""
    try:
        return module(source, what, shared)
    except MemoryError:
        raise
    except Exception as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise NotExecuted(what, line_in(f"<{unique_name(source, what)}>", error), f"{type(error).__name__}: {said}") from error


def line_in(file_name: str, error: Exception) -> int:
    """Return the line at which a source cannot be executed, or 0."""
    if isinstance(error, SyntaxError) and error.filename == file_name:
        return error.lineno or 0
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file_name]
    return lines[-1] if lines else 0


def expect(
    implementation: ModuleType,
    request: TypedRequest,
    probes: ModuleType | None = None,
    plays: int = PLAYS,
    written_with: Library = Library.TORCH,
) -> Expectation:
    """Play the request natively, in float64, and `plays` times in Monte Carlo arithmetic. Return the expectation."""
    unit = UNIT_ROUNDOFF["float32"]
    native = play_natively(implementation, request, probes, written_with=written_with)
    wide, exactly = widened(request), partial(play_exactly, implementation, probes=probes, written_with=written_with)
    true = exactly(wide)
    seeds = range(plays if true.values else 0)  # a play that raises at once has no numbers
    moved = [exactly(perturbed(wide, unit, seed), arithmetic=random_rounding(written_with, unit, seed)) for seed in seeds]
    places = {Place.of(place): expected(value, native.values.get(place), place, moved) for place, value in true.values.items()}
    if holds_non_finite(request.inputs):
        places = {name: with_open_zeros(place) for name, place in places.items()}
    if isinstance(request, LayerStory) and request.layer != FORWARD_BACKWARD:  # a backward pass by hand is all computed in float32
        places = with_half_precision(places, request, implementation, probes, plays)
    return Expectation(request, in_arithmetic_of(request, places), native.error or true.error)


def in_arithmetic_of(request: TypedRequest, places: Mapping[Place, Expected]) -> Mapping[Place, Expected]:
    """Return the places with unit float64 if all numbers of a story or of a call are float64, otherwise unchanged."""
    if not isinstance(request, LayerStory | FunctionCall) or {*dtypes_in(request.inputs)} != {"float64"}:
        return places
    return {name: replace(place, unit="float64") for name, place in places.items()}


def dtypes_in(inputs: Any) -> Iterator[str]:
    """Yield the dtypes of the floating-point arrays among the inputs of a request, and those that it names."""
    match inputs:
        case Array(values, dtype) if values.dtype.kind == "f":
            yield dtype
        case str() if inputs in UNIT_ROUNDOFF:
            yield inputs
        case Mapping():
            for name, value in inputs.items():
                if name != "upstream":  # its numbers are float32's for every dtype of the output
                    yield from dtypes_in(value)
        case list() | tuple():
            for value in inputs:
                yield from dtypes_in(value)


def with_half_precision(
    places: dict[Place, Expected], story: LayerStory, implementation: ModuleType, probes: ModuleType | None, plays: int
) -> dict[Place, Expected]:
    """Return the places with slack for the roundings to half precision that a layer may make: in its state and its backward pass."""
    for dtype in HALF:
        if not any(place.dtype == dtype for place in places.values()):
            continue
        wide, names = typed(widened(story)), rounded_in(dtype, implementation, story, probes)
        assert isinstance(wide, LayerStory)
        written = any(each.dtype == dtype for each in story.state.values())
        stories = (with_rounded_state(wide, names, UNIT_ROUNDOFF[dtype], seed, written) for seed in range(plays))
        shaken = [play_exactly(implementation, each, probes) for each in stories]
        rounded = {name for name, place in places.items() if place.dtype == dtype or goes_back_in(dtype, story, name)}
        places = places | {name: with_slack(places[name], dtype, name, shaken) for name in rounded}
    return places


def with_spread_of(expectation: Expectation, other: Expectation) -> Expectation:
    """Return the expectation with the larger spread and the larger slack of the two at every number."""

    def widened(place: Expected, theirs: Expected | None) -> Expected:
        if theirs is None:
            return place
        return replace(place, spread=larger(place.spread, theirs.spread), slack=larger(place.slack, theirs.slack))

    return replace(expectation, places={name: widened(place, other.places.get(name)) for name, place in expectation.places.items()})


def larger(own: np.ndarray | None, theirs: np.ndarray | None) -> np.ndarray | None:
    """Return the larger movement of the two at every number, or `own` if `theirs` is missing or has another shape."""
    if own is None or theirs is None or theirs.shape != own.shape:
        return own
    widened: np.ndarray = np.fmax(own, theirs)
    return widened


def expected(true: Value, native: Value | None, place: str, moved: list[Observation]) -> Expected:
    dtype = native.dtype if isinstance(native, Array) else None
    if not (isinstance(true, Array) and true.values.dtype.kind == "f"):
        return Expected(true, dtype)
    return Expected(true, dtype, movement(true, place, moved), error=true.error)


def with_open_zeros(place: Expected) -> Expected:
    """Give every 0 an infinite spread: in another order of operations, a number divided by infinity is not 0 but NaN."""
    if place.spread is None or not isinstance(place.value, Array):
        return place
    return replace(place, spread=np.where(place.value.values == 0, np.inf, place.spread))


def goes_back_in(dtype: str, story: LayerStory, place: str) -> bool:
    """Return True for a gradient that comes from an output of that dtype, which rounds it for every dtype of the parameter."""
    if not isinstance(place, Place) or place.learnt is None or place.step is None:
        return False
    x = story.steps[place.step - 1].x
    return x is not None and x.dtype == dtype


def with_slack(place: Expected, dtype: str, name: str, shaken: list[Observation]) -> Expected:
    if not isinstance(place.value, Array):
        return place
    slack = movement(place.value, name, shaken)
    if is_gradient(name) and place.spread is not None:  # its backward pass may round every number, in any order
        slack = slack + place.spread * UNIT_ROUNDOFF[dtype] / UNIT_ROUNDOFF["float32"]
    return replace(place, slack=slack)


def is_gradient(place: str) -> bool:
    return isinstance(place, Place) and place.learnt is not None


def movement(true: Array, place: str, moved: list[Observation]) -> np.ndarray:
    """Return the root mean square of the movement, number by number. It is infinite if a play did not reach this place."""
    squares = np.zeros(true.values.shape)
    with np.errstate(all="ignore"):
        for play in moved:
            value = play.values.get(place)
            same_shape = isinstance(value, Array) and value.values.shape == true.values.shape
            squares += (value.values - true.values) ** 2 if same_shape else np.inf  # type: ignore[union-attr]
        return np.sqrt(squares / len(moved))


def holds_non_finite(inputs: Any) -> bool:
    """Return True if an array among the inputs has a few numbers that are not finite. With many, the suite has made a mistake."""
    match inputs:
        case Array(values, _):
            return values.dtype.kind == "f" and 0 < (~np.isfinite(values)).sum() < values.size / 2
        case Mapping():
            return any(map(holds_non_finite, inputs.values()))
        case list() | tuple():
            return any(map(holds_non_finite, inputs))
        case _:
            return False


def floats(thing: Any, change: Callable[[np.ndarray], np.ndarray]) -> Any:
    """Return the inputs of a request with `change(values)` for every array of floating-point numbers, in their order."""
    match thing:
        case Array(values, _):
            return Array(change(values), "float64") if values.dtype.kind == "f" else thing
        case Mapping():
            return {key: floats(value, change) for key, value in thing.items()}
        case list() | tuple():
            return type(thing)(floats(value, change) for value in thing)
        case _:
            return thing


def changed(request: Playable, change: Callable[[np.ndarray], np.ndarray]) -> Request:
    """Return the request with `change(values)` for every array of floating-point numbers."""
    return Request(request.probe, floats(request.inputs, change))


def shaking(unit: float, seed: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that multiplies numbers by 1 + ξ·u, with another ξ for each."""
    random = generator("perturbed", seed)
    return lambda values: values * (1 + unit * random.standard_normal(values.shape))


def perturbed(request: Playable, unit: float, seed: int) -> Request:
    """Return the request with every number of its inputs multiplied by 1 + ξ·u."""
    return changed(request, shaking(unit, seed))


def with_rounded_state(story: LayerStory, names: Collection[str], unit: float, seed: int, written: bool = False) -> LayerStory:
    """Return the story with every number of these parameters and buffers multiplied by 1 + ξ·u.

    If `written`, the numbers that its steps write are multiplied, too.
    """
    shaken = floats({name: value for name, value in story.state.items() if name in names}, shaking(unit, seed))
    return replace(story, state={**story.state, **shaken}, rounding=(unit, seed) if written else ())


def rounded_in(dtype: str, implementation: ModuleType, story: LayerStory, probes: ModuleType | None) -> Collection[str]:
    """Return the names of a layer's state that may be rounded to that dtype: tensors of that dtype, and all parameters.

    A float32 buffer is a statistic, and is left out.
    """
    import torch  # loads PyTorch

    tensors = layout(implementation, story, probes)
    return {name for name, value in story.state.items() if value.dtype == dtype or isinstance(tensors.get(name), torch.nn.Parameter)}


def widened(request: Playable) -> Request:
    """Return the request with every floating-point number in float64, exactly."""
    return changed(request, lambda values: values.astype(np.float64))


def play_exactly(
    implementation: ModuleType,
    request: Playable,
    probes: ModuleType | None,
    arithmetic: AbstractContextManager[object] | None = None,
    traced: ModuleType | None = None,
    written_with: Library = Library.TORCH,
) -> Observation:
    """Play in float64, or in another arithmetic on float64 numbers."""
    from normgrade.worker.untrusted.play import NATIVE, play  # only to play

    with quiet():
        return play(
            implementation, request, probes, None, "float64", arithmetic or NATIVE, trusted=True, traced=traced, written_with=written_with
        )


def play_natively(
    implementation: ModuleType,
    request: Playable,
    probes: ModuleType | None,
    size_limit_bytes: int | None = None,
    traced: ModuleType | None = None,
    written_with: Library = Library.TORCH,
) -> Observation:
    from normgrade.worker.untrusted.play import play  # only to play

    with quiet():
        return play(implementation, request, probes, size_limit_bytes, trusted=True, traced=traced, written_with=written_with)


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress output and warnings: those of a mistake are not the learner's doing."""
    with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        warnings.simplefilter("ignore")
        yield


@lru_cache(maxsize=512)
def module(source: str, name: str, shared: ModuleType | None = None) -> ModuleType:
    """Execute the source once and return it as a module, which is not kept in `sys.modules`. Meanwhile, shared probes are there."""
    from normgrade.worker.untrusted.play import load  # only to play

    if shared is not None:
        sys.modules[SHARED] = shared
    unique = unique_name(source, name)
    try:
        loaded = load(source, f"<{unique}>", unique)
    finally:
        sys.modules.pop(SHARED, None)
    del sys.modules[unique], linecache.cache[f"<{unique}>"]
    return loaded


def unique_name(source: str, name: str) -> str:
    """Return the name of the module that a source becomes."""
    return f"{name}_{hashlib.sha256(source.encode()).hexdigest()[:16]}"


def random_rounding(written_with: Library, unit: float, seed: int) -> AbstractContextManager[object]:
    """Return the Monte Carlo arithmetic of a library."""
    if written_with is Library.NUMPY:
        return rounded_array.RandomRounding(unit, seed)
    from normgrade.oracle import rounding  # loads PyTorch

    return rounding.RandomRounding(unit, seed)


@cache
def imported(written_with: Library) -> None:
    """Import a library, and keep it out of garbage collection, which would look through it again and again and find nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        from normgrade.worker.untrusted.written_with import backend  # only to play

        backend(written_with)
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def fingerprint(*parts: str | bytes) -> str:
    """Return the name under which something is kept on this machine: its parts decide it, our own sources, and the libraries' versions."""
    return digest_of(digest_of_sources(), version("numpy"), version("torch"), *parts)


def digest_of(*parts: str | bytes) -> str:
    """Return a name that other parts do not have."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()
