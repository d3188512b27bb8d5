"""The words in which a hidden suite is written. Each is imported when a suite first uses it, so that grading starts without NumPy."""

from importlib import import_module

STORY = (
    "build", "call", "change", "copy", "evaluate", "feed_forward", "forward_backward", "function", "identity", "learn", "linear", "load",
    "pickle", "plain", "probe", "reload", "scaled", "settings", "swap", "train",
)  # fmt: skip
MODULES = {
    "claims": ("claim",),
    "story": STORY,
    "vocabulary": ("ones", "randn", "uniform", "words", "zeros"),
    "situations": ("use",),
}
WORDS = {word: module for module, words in MODULES.items() for word in words}
__all__ = [
    "build", "call", "change", "claim", "copy", "evaluate", "feed_forward", "forward_backward", "function", "identity", "learn", "linear",
    "load", "ones", "pickle", "plain", "probe", "randn", "reload", "scaled", "settings", "swap", "train", "uniform", "use", "words",
    "zeros",
]  # fmt: skip

TYPE_CHECKING = False  # type checkers assume True; `typing` itself is slow to import
if TYPE_CHECKING:
    from normgrade.suite.claims import claim
    from normgrade.suite.situations import use
    from normgrade.suite.story import (
        build,
        call,
        change,
        copy,
        evaluate,
        feed_forward,
        forward_backward,
        function,
        identity,
        learn,
        linear,
        load,
        pickle,
        plain,
        probe,
        reload,
        scaled,
        settings,
        swap,
        train,
    )
    from normgrade.suite.vocabulary import ones, randn, uniform, words, zeros
else:

    def __getattr__(name: str) -> object:
        if name not in WORDS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{WORDS[name]}"), name)
