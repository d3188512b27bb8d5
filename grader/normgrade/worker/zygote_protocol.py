"""What grader and zygote say to each other over their socket: one question, one answer."""

import struct

QUESTION = struct.Struct("<BIII")  # what to do; grace in ms; memory in MiB and seconds of computing, of a new worker
START, END = 1, 2  # a worker on the three pipes that come along; the worker, and everything it started
ANSWER = struct.Struct("<Bi")  # what happened; process, exit code, or how many bytes of JSON follow, which say what stands
READY, STARTED, ENDED, KILLED = 1, 2, 3, 4  # ENDED by itself within the grace, KILLED because it was still alive
GONE_S = 10.0  # for everything that a worker started to be gone
BROKEN = 97  # exit code of a worker that cannot answer: its pipes are closed, or Python itself was changed too far
