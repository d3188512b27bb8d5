"""A submission in one failing play: its intermediate values, compared with those of right code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from normgrade.course.signature import Signature
from normgrade.diagnosis.steps.failing import Failing
from normgrade.diagnosis.steps.replays import Answer, Replays, outputs_of, places_apart
from normgrade.diagnosis.steps.same_values import tolerance_of
from normgrade.diagnosis.steps.sources import Source, source_of
from normgrade.diagnosis.steps.substitution import LOOSE, Base, Learner, StepSearch
from normgrade.worker.wire.messages import RecordQuestion
from normgrade.worker.wire.observation import Recording

BLIND = re.compile(r"\b(vmap|jit|compile)\b")  # names of functions that hide values from a recorder
OTHERS = 8  # alternatives that are compared with the learner's code
NEAREST = 2  # of them that are searched


@dataclass(frozen=True, eq=False)
class Case:
    """A submission, and right sources, the reference first. `submission` plays questions on the former, `replays` on the latter."""

    failing: Failing
    source: Source
    sources: Sequence[str]
    submission: Answer
    replays: Replays
    defines: Sequence[Signature] = ()

    def search(self) -> StepSearch | None:
        """Return the search in the reference; None if this play proves nothing."""
        recording = self.recorded()
        reference = None if recording is None else self.base(self.sources[0])
        if recording is None or reference is None or (tolerance := tolerance_of(recording.records)) is None:
            return None
        learner = Learner.of(self.source, recording, tolerance)
        whole = learner.whole
        if any(place not in whole or whole[place].size != right.size for place, right in reference.outputs.items()):
            return None
        learner = replace(learner, outputs={place: whole[place] for place in reference.outputs})
        wrong = places_apart(learner.outputs, reference.outputs, LOOSE * tolerance)
        finite = all(np.isfinite(learner.outputs[place]).all() for place in wrong)
        return StepSearch(reference, learner, self.replays, wrong) if wrong and finite else None

    def searches_elsewhere(self, first: StepSearch) -> list[StepSearch]:
        """Return searches in the alternatives that share most values with the learner's code."""
        bases = [base for text in self.sources[1 : 1 + OTHERS] if (base := self.base(text)) is not None]
        fitting = [base for base in bases if not places_apart(base.outputs, first.base.outputs, first.tolerance)]
        fitting.sort(key=lambda base: -len(first.learner.groups.found_in(base.records)))
        return [StepSearch(base, first.learner, self.replays, first.wrong) for base in fitting[:NEAREST]]

    def recorded(self) -> Recording | None:
        """Return a recording of the submission; None if it fails, or cannot be recorded completely."""
        if BLIND.search(self.source.text):
            return None
        recording = self.submission(RecordQuestion(self.failing.whole, self.failing.size_limit_bytes))
        placed = all(record.place < len(self.source.spots) for record in recording.records)
        return recording if recording.error is None and recording.records and placed else None

    def base(self, text: str) -> Base | None:
        """Return a right source with its recording, forward only; None if it fails."""
        recording = self.replays.record(text)
        return None if recording is None or not recording.records else Base(source_of(text), recording, outputs_of(recording))
