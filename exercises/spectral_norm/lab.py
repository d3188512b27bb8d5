"""Spectral norm at work: on the weight of every convolution of a small classifier of pictures."""

from shared_lab import Residual, classifier
from torch.nn.utils.parametrize import register_parametrization


def parametrised(impl, sublayers):
    for _relu, convolution in sublayers:
        register_parametrization(convolution, "weight", impl.SpectralNorm(convolution.weight))
    return Residual(sublayers)


LAB = [classifier(parametrised, free_in_training=True)]  # an iteration may begin with u or with v
