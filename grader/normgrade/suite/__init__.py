"""The words in which a hidden suite is written. They are imported when a suite first uses one, so that grading starts without NumPy."""

from importlib import import_module

MODULES = ("claims", "story", "situations", "vocabulary")  # each names its words in `__all__`

TYPE_CHECKING = False  # type checkers assume True; `typing` itself is slow to import
if TYPE_CHECKING:
    from normgrade.suite.claims import *  # noqa: F403
    from normgrade.suite.situations import *  # noqa: F403
    from normgrade.suite.story import *  # noqa: F403
    from normgrade.suite.vocabulary import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        modules = [import_module(f"{__name__}.{module}") for module in MODULES]
        if name == "__all__":
            return sorted(word for module in modules for word in module.__all__)
        for module in modules:
            if name in module.__all__:
                return getattr(module, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
