"""The options of a step: how it calls a layer or a function, and how it goes back. Most steps need none of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class StepOptions:
    """The options of a step that calls a layer, `forward` in NumPy, or another function.

    Functions in NumPy have no mode, no parameters and no graph, so they ignore the options about these. For a flag, the text says what
    holds if it is true.

    The inputs, of which `x` is the first:

    - `more`: further inputs, which are treated as `x` is.
    - `names`: the names by which the inputs are given, in their order; without them, they are given by position.
    - `view`: "strided": each input is every other number of a larger one; "expanded": its first index is repeated without copies;
      "channels_last": dimension 1 is last in memory. For NumPy also "backwards", with negative strides, and "read-only".
    - `again`: the numbers of the inputs are written into those of the step before, if that was played `again`, too.
    - `leaf`: the inputs are leaves of the graph, and not the outputs of other operations.
    - `constant`: no input needs a gradient; `detach=2`: the second one needs none.

    The call:

    - `mode`: "attribute": the mode is set by `layer.training = …`; "twice": `train()` or `eval()` is called two times.
    - `gradients`: "no_grad" or "inference_mode", in which the layer is called.
    - `default`: PyTorch's name of the default dtype meanwhile.
    - `frozen`: no parameter needs a gradient; `freeze=2`: the second one needs none. If there are fewer, counting starts again.
    - `witness`: the precision in which the statistics are computed is observed.
    - `calls`: the number of calls before the first backward pass. Each is on larger inputs, every other one in reverse order. The backward
      passes run from the last call to the first, and gradients add up.
    - `between`: another input, on which one more call follows, with the numbers of the further inputs in reverse order.
    - `beside`: seven other layers are called on the same inputs after it.

    The backward pass:

    - `arriving`: the form of the gradient of the output: "one hot", "with zeros", "ones", "expanded", "strided", "huge" or "tiny". For
      NumPy also "backwards" and "read-only".
    - `steep`: that gradient is 8192 times as large.
    - `residual`: it goes back from the sum of `x` and the output.
    - `twice`: it goes back once more, from a gradient in reverse order, and gradients add up.
    - `keep`: gradients add up to those of the step before.
    - `graph`: gradients have gradients, as with `create_graph=True`.
    - `overwritten`: the output is changed in place afterwards, as by `ReLU(inplace=True)`, and it goes back once more.

    >>> StepOptions(steep=True, freeze=2).unusual
    {'freeze': 2, 'steep': True}
    """

    # In the order in which a request packs them
    view: str | None = None
    gradients: str | None = None
    frozen: bool = False
    freeze: int | None = None
    constant: bool = False
    detach: int | None = None
    witness: bool = False
    again: bool = False
    between: Any = None
    residual: bool = False
    twice: bool = False
    steep: bool = False
    more: Sequence[Any] = field(default_factory=list)
    names: Sequence[str] = field(default_factory=list)
    mode: str | None = None
    beside: bool = False
    arriving: str | None = None
    calls: int | None = None
    leaf: bool = False
    keep: bool = False
    graph: bool = False
    default: str | None = None
    overwritten: bool = False

    @property
    def unusual(self) -> dict[str, Any]:
        """The options that are not left as they are, by name."""
        return {name: value for name in NAMES if (value := getattr(self, name))}

    @property
    def packed(self) -> dict[str, Any]:
        """The unusual options as entries of a request. Digests of requests name files that ship, so this form must not change."""
        return {OF_ONE.get(name, name): str(value) if name in OF_ONE else value for name, value in self.unusual.items()}

    @classmethod
    def unpacked(cls, step: Mapping[str, Any]) -> StepOptions:
        """Return the options among the entries of a step, as `packed` gives them. Other entries are ignored.

        >>> StepOptions.unpacked({"do": "train", "frozen": "2"}) == StepOptions(freeze=2)
        True
        """
        given = {name: step[name] for name in NAMES if name in step}
        for name, packed in OF_ONE.items():
            if isinstance(given.get(packed), str):
                given[name] = int(given.pop(packed))
        return cls(**given)


NAMES = tuple(each.name for each in fields(StepOptions))
OF_ONE = {"freeze": "frozen", "detach": "constant"}  # the number of one tensor is packed as a text, in the place of the option for all
USUAL = StepOptions()
