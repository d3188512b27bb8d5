"""normgrade grades hand-written normalisation layers, and names the mistake."""

import sys

__version__ = "0.1.0"

if sys.flags.optimize:  # `python -O`, PYTHONOPTIMIZE
    from normgrade.course.package import PACKAGE
    from normgrade.course.unoptimised import Finder

    sys.meta_path.insert(0, Finder(PACKAGE))

TYPE_CHECKING = False  # true for type checkers; `typing` itself is slow to import
if TYPE_CHECKING:
    from normgrade.classes.executors import Answer as Answer
    from normgrade.classes.executors import grade_many as grade_many
    from normgrade.notebook.notebook import check as check
    from normgrade.notebook.notebook import load_ipython_extension as load_ipython_extension
else:

    def __getattr__(name: str) -> object:
        """Import the functions for notebooks and programs when they are asked for."""
        if name in ("check", "load_ipython_extension"):
            from normgrade.notebook import notebook as room  # nothing is loaded before it is asked for
        elif name in ("Answer", "grade_many"):
            from normgrade.classes import executors as room  # nothing is loaded before it is asked for
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(room, name)
