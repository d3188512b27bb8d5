# Reaches the user's files through the root, the working folder and the open files of other processes.
# class: files
# process: lost: files
import os

PATH = "@CANARY@"
for way in (f"/proc/@VICTIM@/root{PATH}", f"/proc/self/root{PATH}", f"/proc/thread-self/root{PATH}", f"/proc/@VICTIM@/cwd{PATH}", f"/proc/self/cwd/..{PATH}", f"/dev/fd/../root{PATH}"):
    try:
        print(open(way).read(100))
    except OSError as error:
        print(error)
for pid in ("@GRADER@", "@VICTIM@", os.getppid()):
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            print(pid, fd, os.readlink(f"/proc/{pid}/fd/{fd}"), "@SECRET@")
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
