"""DyT at work: before every sublayer of a small language model."""

from shared_lab import WIDTH, Residual, language_model

LAB = [language_model(lambda impl, sublayers: Residual(sublayers, lambda: impl.DyT(WIDTH)))]
