"""Probes: the ways in which the grader uses your code.

`layers.py` builds layers of PyTorch and calls them, `arrays.py` calls functions on NumPy arrays.

`from normgrade.probes import …` gives the names of `results.py` and `layers.py`. PyTorch is imported with the first name of `layers.py`.
"""

from importlib import import_module

RESULTS = ("BUILD", "Estimate", "Place", "Stopped", "gradient_of", "parts")
LAYERS = (
    "ALIASES", "SUMS", "StepOptions", "Witness", "build", "called", "fill", "find", "function_call", "go_back", "in_other_order",
    "layer_story", "learn", "like", "missing", "new_layer", "pickled", "reversed_order", "settings", "take_step",
)  # fmt: skip


def __getattr__(name: str) -> object:
    if name in RESULTS or name in LAYERS:
        return getattr(import_module(f"{__name__}.{'results' if name in RESULTS else 'layers'}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
