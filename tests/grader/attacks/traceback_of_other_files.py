# Raises from code that claims to stand in the suite, the reference and the canary, so that their lines are shown.
# class: files
# process: lost: files
import linecache

NAMES = ["@SUITE@", "@REFERENCE@", "@CANARY@", "rms.py", "@SELF@"]


def rms(x, eps=1e-5):
    NAMES.append(NAMES.pop(0))
    linecache.cache.clear()
    code = compile("\n" * 29 + "raise ValueError('look at line 30')", NAMES[-1], "exec")
    rms.__globals__["__file__"] = NAMES[-1]
    exec(code.replace(co_name=NAMES[-1], co_filename=NAMES[-1], co_firstlineno=1), rms.__globals__)
