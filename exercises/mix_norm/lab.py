"""Mix-LN at work: the stack of a small language model."""

from shared_lab import WIDTH, language_model

LAB = [language_model(lambda impl, sublayers: impl.MixNormStack(WIDTH, sublayers))]
