"""Studies in words: what stands beside the curves, in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from normgrade.language import _, n_
from normgrade.learner.lab.study import FEW, MANY, Company, Study, Trained
from normgrade.worker.wire.observation import Error

KINDS = {"language model": lambda: _("small language model"), "classifier": lambda: _("small classifier of pictures")}
TINY = 1e-5  # differences below it come from rounding


@dataclass(frozen=True, slots=True)
class Named:
    """One side of a study: its name, the character and the colour of its curve, and its run."""

    name: str
    mark: str
    colour: str
    trained: Trained


def sides(study: Study) -> list[Named]:
    """Return the sides in the order in which they are told. The learner's is missing if it raised an exception."""
    yours = [Named(_("yours"), "●", "green", study.yours)] if study.yours is not None else []
    return [*yours, Named(_("reference"), "○", "blue", study.reference), Named(_("no norm"), "·", "red", study.bare)]


def headline(study: Study) -> str:
    """Return the name of the network, how large it is, and how it learns."""
    kind = KINDS[study.kind]() + (f" ({study.name})" if study.name else "")
    layers = n_("{n} sublayer", "{n} sublayers", len(study.reference.activations["first"]))
    said = {"kind": kind, "layers": layers, "numbers": f"{study.reference.learnt:,.0f}", "steps": len(study.reference.losses)}
    return _("{kind}: {layers}, {numbers} numbers that are learnt, {steps} steps of Adam", **said)


def rows(study: Study) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the rows of the table: a name, then the first loss, the last ones, the loss on other examples, and the share that is right."""
    for named in sides(study):
        yield named.name, row(named.trained)
    if study.few is not None:
        yield _("{side}, batches of {n}", side=_("yours"), n=FEW), row(study.few)


def row(trained: Trained) -> tuple[str, ...]:
    last = float(np.mean(trained.losses[-5:]))
    return f"{trained.losses[0]:.2f}", number(last), number(trained.other_loss), f"{trained.right:.0%}"


def number(loss: float) -> str:
    """Return a loss with two decimals, or NaN."""
    return "NaN" if np.isnan(loss) else f"{loss:.2f}" if loss < 1000 else f"{loss:.1e}"


def sizes(study: Study, what: str, when: str) -> Mapping[str, tuple[str, ...]]:
    """Return the size of each sublayer's output, or of its gradient, by side."""
    return {named.name: tuple(f"{size:.1e}" for size in getattr(named.trained, what)[when]) for named in sides(study)}


def stopped(error: Error) -> str:
    """Return the words before an error of the learner's code."""
    return _("✗ Your code raises an exception:") if error.types else _("✗ Your code returns no result:")


def judged(study: Study) -> str:
    """Return a sentence about the outputs of the learner's network and of the reference's, with the same weights."""
    said = {"off": f"{study.off:.0e}", "largest": f"{study.largest:.2g}"}
    if study.agrees:
        return _("✓ With the same weights, the outputs are those of the reference: the largest difference is {off}.", **said)
    messages = {
        "evaluation": _("✗ With the same weights, outputs of up to {largest} differ from the reference's by up to {off}.", **said),
        "training": _(
            "✗ With the same weights, outputs of up to {largest} in training differ from the reference's by up to {off}.", **said
        ),
        "learning": _(
            "✗ After a few steps from the same weights, outputs of up to {largest} differ from the reference's by up to {off}.", **said
        ),
    }
    return messages[study.at]


def company_in_words(company: Company) -> Iterator[str]:
    """Yield sentences about the examples beside an example, and how much they matter to it."""
    said = {"few": FEW, "many": MANY, "training": f"{company.training:.2g}", "evaluation": f"{company.evaluation:.2g}"}
    if max(company.training, company.evaluation) <= TINY:
        yield _("An example gives the same output in a batch of {few} and of {many}.", **said)
    else:
        yield _(
            "An example in a batch of {few} and of {many}: its outputs differ by {training} in training, by {evaluation} otherwise.", **said
        )
    if company.letters is None:
        return
    if company.letters <= TINY:
        yield _("A letter gives the same output in a sequence of 1 and of many.")
    else:
        yield _("A letter in a sequence of 1 and of many: outputs differ by {off}.", off=f"{company.letters:.2g}")
