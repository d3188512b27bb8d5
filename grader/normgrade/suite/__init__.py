"""The words in which a hidden suite is written. Each is imported when a suite asks for it: grading starts without NumPy."""

from importlib import import_module

OF_A_STORY = ("build", "call", "evaluate", "probe", "reload", "train")
WHILE_PLAYED = ("ones", "randn", "uniform", "words", "zeros")
__all__ = ["build", "call", "evaluate", "ones", "probe", "randn", "reload", "train", "uniform", "words", "zeros"]

TYPE_CHECKING = False  # type checkers know better; `typing` itself is slow to import
if TYPE_CHECKING:
    from normgrade.suite.story import build, call, evaluate, probe, reload, train
    from normgrade.suite.vocabulary import ones, randn, uniform, words, zeros
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{'story' if name in OF_A_STORY else 'vocabulary'}"), name)
