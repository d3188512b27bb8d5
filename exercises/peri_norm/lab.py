"""Peri-LN and an output norm at work: the stacks of two small language models."""

from shared_lab import WIDTH, language_model
from torch import nn


def placed(placement):
    return lambda impl, sublayers: nn.Sequential(*(impl.NormBlock(WIDTH, each, placement) for each in sublayers))


LAB = [language_model(placed("peri"), "Peri-LN"), language_model(placed("output"), "output norm")]
