"""The lab: a learner's layer at work in a small network, beside the reference and beside no norm at all.

An exercise that has a lab says in its `lab.py` which networks its layer stands in: LAB is a list of `language_model(stack)` and
`classifier(stack)`. `stack(impl, sublayers)` returns a module of these sublayers, built with the names of the exercise in `impl`.
"""

from importlib import import_module

OF = {
    "begin": "networks",
    "Bench": "bench",
    "classifier": "bench",
    "language_model": "bench",
    "CHANNELS": "networks",
    "WIDTH": "networks",
    "Residual": "networks",
}


def __getattr__(name: str) -> object:
    if name in OF:
        return getattr(import_module(f"{__name__}.{OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
