"""The words in which a hidden suite is written."""

from normgrade.suite.run import build, call, evaluate, ones, probe, randn, reload, train, uniform, words, zeros

__all__ = ["build", "call", "evaluate", "ones", "probe", "randn", "reload", "train", "uniform", "words", "zeros"]
