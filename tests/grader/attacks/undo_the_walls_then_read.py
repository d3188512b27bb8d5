# Tries to take the walls down from inside, and then reads a file and connects to a socket.
# class: kernel
# process: lost: files, network
import ctypes
import os
import platform
import socket
import struct

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
allow = ctypes.create_string_buffer(struct.pack("<HBBI", 6, 0, 0, 0x7FFF0000))
program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", 1, ctypes.addressof(allow)))
for flags in (0, 4):
    libc.syscall(317 if X86 else 277, 1, flags, program)
libc.prctl(22, ctypes.c_ulong(2), program, 0, 0)
libc.prctl(38, ctypes.c_ulong(0), 0, 0, 0)
libc.prctl(4, ctypes.c_ulong(1), 0, 0, 0)
for way in (lambda: print(open("@CANARY@").read(100)), lambda: socket.create_connection(("127.0.0.1", @TCP@))):
    try:
        way()
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
