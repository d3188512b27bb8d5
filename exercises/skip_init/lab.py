"""SkipInit at work: around every sublayer of a small language model."""

from torch import nn

from normgrade.probes.lab import language_model

LAB = [language_model(lambda impl, sublayers: nn.Sequential(*(impl.SkipInit(each) for each in sublayers)))]
