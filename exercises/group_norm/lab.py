"""Group norm at work: before every convolution of a small classifier of pictures."""

from shared_lab import CHANNELS, Residual, classifier

LAB = [classifier(lambda impl, sublayers: Residual(sublayers, lambda: impl.GroupNorm(4, CHANNELS)))]
