# Changes the mode, the owner, the times and the extended attributes of files that it may not even read.
# class: files
# process: lost: files
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
PATH = "@CANARY@"
for way in (
    lambda: os.chmod(PATH, 0o600),
    lambda: os.chmod(os.path.dirname(PATH), 0o711),
    lambda: os.chown(PATH, os.getuid(), -1),
    lambda: os.utime(PATH, (1, 1)),
    lambda: os.setxattr(PATH, "user.note", b"changed"),
    lambda: os.removexattr(PATH, "user.other"),
    lambda: libc.syscall(452, -100, PATH.encode(), 0o604, 0),
    lambda: libc.syscall(463, -100, PATH.encode(), 0, b"user.more", b"\0" * 16, 16),
    lambda: libc.syscall(268 if platform.machine() == "x86_64" else 53, -100, PATH.encode(), 0o640),
):
    try:
        way()
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
