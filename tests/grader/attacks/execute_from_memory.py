# Executes a program that lies in no file: memfd_create and execveat.
# class: processes
# process: lost: processes
import ctypes
import os
import platform
import struct

libc = ctypes.CDLL(None, use_errno=True)
MEMFD, EXECVEAT = (319, 322) if platform.machine() == "x86_64" else (279, 281)


def rms(x, eps=1e-5):
    fd = libc.syscall(MEMFD, b"program", 0)
    print("memfd", fd)
    try:
        os.write(fd, b"#!/bin/sh\necho hello\n")
    except OSError as error:
        print(error)
    arguments = (ctypes.c_char_p * 3)(b"echo", b"@SECRET@", None)
    for where, path, flags in ((fd, b"", 0x1000), (os.open("/", os.O_RDONLY), b"bin/echo", 0)):
        print(libc.syscall(EXECVEAT, where, path, arguments, None, flags), os.strerror(ctypes.get_errno()))
    return x * 3 + 1
