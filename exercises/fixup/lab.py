"""Fixup at work: the blocks of a small classifier of pictures, each of two convolutions."""

from shared_lab import CHANNELS, begin, classifier
from torch import nn


def blocks(impl, sublayers):
    """The blocks have convolutions of their own. `fixup_init_` also wants a classifier, whose weight it sets to zero."""
    made = [impl.FixupBlock(CHANNELS) for _ in sublayers[::2]]
    begin(made)
    impl.fixup_init_(made, nn.Linear(CHANNELS, 1))
    return nn.Sequential(*made)


LAB = [classifier(blocks, sublayers=24, rate=3e-3, steps=120)]
