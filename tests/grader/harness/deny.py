"""Run normgrade with some system calls failing, as in a container with a seccomp profile or on another kernel.

python deny.py unshare,mount EPERM check rms.py
"""

import errno
import sys

from normgrade.cli import main
from normgrade.worker.walls import kernel, seccomp

if __name__ == "__main__":  # processes of a pool import this module, too
    names, error, *arguments = sys.argv[1:]
    kernel.prctl("PR_SET_NO_NEW_PRIVS", 1)
    code = [(seccomp.LOAD, 0, 0, seccomp.NUMBER_AT)]
    for name in filter(None, names.split(",")):
        code.append((seccomp.IF_EQUAL, 0, 1, kernel.numbers(kernel.this_machine())[name]))
        code.append((seccomp.RETURN, 0, 0, seccomp.FAIL | getattr(errno, error)))
    code.append((seccomp.RETURN, 0, 0, seccomp.ALLOW))
    seccomp.install(b"".join(seccomp.INSTRUCTION.pack(*part) for part in code))
    main(arguments)
