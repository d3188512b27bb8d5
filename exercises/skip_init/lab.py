"""SkipInit at work: around every sublayer of a small language model."""

from shared_lab import language_model
from torch import nn

LAB = [language_model(lambda impl, sublayers: nn.Sequential(*(impl.SkipInit(each) for each in sublayers)))]
