"""normgrade grades hand-written normalisation layers, and names the mistake."""

import sys

__version__ = "0.1.0"

if sys.flags.optimize:  # `python -O`, PYTHONOPTIMIZE
    from normgrade.course.package import PACKAGE
    from normgrade.course.unoptimised import Finder

    sys.meta_path.insert(0, Finder(PACKAGE))

TYPE_CHECKING = False  # true for type checkers; `typing` itself is slow to import
if TYPE_CHECKING:
    from normgrade.notebook.notebook import check as check
    from normgrade.notebook.notebook import load_ipython_extension as load_ipython_extension
else:

    def __getattr__(name: str) -> object:
        """Import the functions for notebooks when they are asked for."""
        if name not in ("check", "load_ipython_extension"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from normgrade.notebook import notebook  # nothing is loaded before it is asked for

        return getattr(notebook, name)
