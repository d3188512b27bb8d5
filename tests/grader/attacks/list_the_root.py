# Lists the root folder, those that lead to the libraries, and the processes of its own view.
# class: files
# process: lost: files
import os
import sysconfig
import pathlib

library = pathlib.Path(sysconfig.get_path("stdlib"))
for folder in (*library.parents, "/", "/proc", "/proc/self", "/proc/self/fd", "/dev", "/etc", "/sys", "/usr"):
    try:
        print("@SECRET@", os.listdir(folder))
    except OSError as error:
        print(error)
for path in ("/proc/self/mountinfo", "/proc/self/maps", "/proc/self/environ", "/proc/1/environ", "/proc/thread-self/status"):
    try:
        print("@SECRET@", open(path).read(100))
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
