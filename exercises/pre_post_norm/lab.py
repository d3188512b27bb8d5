"""Pre-LN and Post-LN at work: the stacks of two small language models."""

from shared_lab import WIDTH, language_model
from torch import nn


def post(impl, sublayers):
    return nn.Sequential(*(impl.PostNorm(WIDTH, each) for each in sublayers))


LAB = [
    language_model(lambda impl, sublayers: impl.PreNormStack(WIDTH, sublayers), "Pre-LN"),
    language_model(post, "Post-LN"),
    language_model(post, "Post-LN + warm-up", warm_up=40),
]
