"""The messages between grader and zygote over their socket: one question, one answer."""

import struct

QUESTION = struct.Struct("<BIII")  # action; grace in ms; for a new worker its memory in MiB and its CPU time in s
# START a worker on the three pipes that come with the message; END it with everything that it started;
# WHERE asks it for the running lines, and gets no answer itself
START, END, WHERE = 1, 2, 3
ANSWER = struct.Struct("<Bi")  # result; then a process id, an exit code, or the number of bytes of JSON that follow
# READY: the walls follow as JSON; ENDED by itself within the grace; KILLED after it
READY, STARTED, ENDED, KILLED = 1, 2, 3, 4
GONE_S = 10.0  # for everything that a worker started to end, when it is killed
BROKEN = 97  # exit code of a worker that cannot answer: its pipes are closed, or the submission has damaged Python itself
