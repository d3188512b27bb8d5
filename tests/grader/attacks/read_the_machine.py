# Reads what the kernel tells of others: who runs what, who is logged in, what is mounted.
# class: kernel
# process: lost: files
import os

for path in ("/proc/@VICTIM@/status", "/proc/@GRADER@/stat", "/proc/1/cmdline", "/etc/passwd", "/proc/net/tcp", "/proc/@VICTIM@/cmdline"):
    try:
        content = open(path, "rb").read(2000)
        print("@SECRET@", path, len(content))
    except OSError as error:
        print(error)
try:
    print("@SECRET@", len(os.listdir("/proc")), os.listdir("/home"))
except OSError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
