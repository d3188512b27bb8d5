"""DeepNorm at work: around every sublayer of a small language model."""

from shared_lab import WIDTH, language_model
from torch import nn


def deep(impl, sublayers):
    """The model is an encoder of as many layers as there are pairs of attention and feed-forward."""
    alpha, beta, *_decoder = impl.deepnorm_coefficients(encoder_layers=len(sublayers) // 2)
    for attention, feed_forward in zip(sublayers[::2], sublayers[1::2], strict=True):
        linear = attention.query, attention.key, attention.value, attention.out, feed_forward[0], feed_forward[2]
        impl.deepnorm_init_(*linear, beta)
    return nn.Sequential(*(impl.DeepNorm(WIDTH, alpha, each) for each in sublayers))


LAB = [language_model(deep)]
