"""normgrade grades hand-written normalisation layers, and names the mistake."""

__version__ = "0.1.0"
