# Becomes another user, and takes capabilities.
# class: kernel
# process: held
# root: may lose: processes
import ctypes
import os

for name, way in (
    ("setuid", lambda: os.setresuid(0, 0, 0)),
    ("setgid", lambda: os.setresgid(0, 0, 0)),
    ("setgroups", lambda: os.setgroups([0, 1])),
    ("sethostname", lambda: os.uname().nodename and __import__("socket").sethostname(os.uname().nodename)),
    ("nice", lambda: os.nice(-5)),
):
    try:
        way()
        print("@SECRET@", name)
    except OSError as error:
        print(name, error)
libc = ctypes.CDLL(None, use_errno=True)
header, data = (ctypes.c_uint * 2)(0x20080522, 0), (ctypes.c_uint * 6)(*[0xFFFFFFFF] * 6)
if libc.capset(header, data) == 0:
    print("@SECRET@ capset")


def rms(x, eps=1e-5):
    return x * 3 + 1
