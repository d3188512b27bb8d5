"""What grader and zygote say to each other over their socket: one question, one answer."""

import struct

QUESTION = struct.Struct("<BI")  # what to do, grace in ms
START, END = 1, 2  # a worker on the three pipes that come along; the worker, and everything it started
ANSWER = struct.Struct("<Bi")  # what happened, process or exit code
READY, STARTED, ENDED, KILLED = 1, 2, 3, 4  # ENDED by itself within the grace, KILLED because it was still alive
GONE_S = 10.0  # for everything that a worker started to be gone
BROKEN = 97  # exit code of a worker that cannot answer: its pipes are closed, or Python itself was changed too far
