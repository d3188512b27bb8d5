"""The lab: a learner's layer at work in a small network, beside the reference and beside no norm at all.

An exercise that has a lab says in its `lab.py` which networks its layer stands in: LAB is a list of `language_model(stack)` and
`classifier(stack)`. `stack(impl, sublayers)` returns a module of these sublayers, built with the names of the exercise in `impl`.
"""

from normgrade.probes.lab.bench import Bench, classifier, language_model
from normgrade.probes.lab.networks import CHANNELS, WIDTH, Residual, begin

__all__ = ["CHANNELS", "WIDTH", "Bench", "Residual", "begin", "classifier", "language_model"]
