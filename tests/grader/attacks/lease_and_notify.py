# Takes leases on files, and asks to be told when somebody opens them.
# class: files
# process: lost: files
import ctypes
import fcntl
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
inotify = libc.syscall(294 if platform.machine() == "x86_64" else 26, 0)
if inotify >= 0 and libc.inotify_add_watch(inotify, b"@FOLDER@", 0xFFF) >= 0:
    print("@SECRET@ inotify")
if libc.syscall(300 if platform.machine() == "x86_64" else 262, 0x200, 0) >= 0:
    print("@SECRET@ fanotify")
for path in ("@CANARY@", "@SELF@"):
    for command, value in ((1024, fcntl.F_RDLCK), (1026, 0x8000003F)):
        try:
            fcntl.fcntl(os.open(path, os.O_RDONLY), command, value)
            print("@SECRET@", path, command)
        except OSError as error:
            print(path, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
