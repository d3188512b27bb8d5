"""ReZero at work: the stack of a small language model."""

from shared_lab import language_model

LAB = [language_model(lambda impl, sublayers: impl.ReZero(sublayers))]
