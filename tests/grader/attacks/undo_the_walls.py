# Tries to take the walls down from inside: other filters, other rules, no_new_privs, strict mode, speculation, dumps.
# class: kernel
# process: held
import ctypes
import os
import platform
import struct

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
allow = ctypes.create_string_buffer(struct.pack("<HBBI", 6, 0, 0, 0x7FFF0000))
program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", 1, ctypes.addressof(allow)))
everything = ctypes.create_string_buffer(struct.pack("<QQQ", 0xFFFF, 0, 0))
for name, number, *arguments in (
    ("no_new_privs", 157 if X86 else 167, 38, 0, 0, 0, 0),
    ("filter", 317 if X86 else 277, 1, 0, program),
    ("filter by prctl", 157 if X86 else 167, 22, 2, program, 0, 0),
    ("landlock", 444, everything, ctypes.c_long(8), 0),
    ("landlock restrict", 446, 3, 0),
    ("dumpable", 157 if X86 else 167, 4, 1, 0, 0, 0),
    ("ambient", 157 if X86 else 167, 47, 2, 7, 0, 0),
):
    print(name, libc.syscall(number, *(ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)), os.strerror(ctypes.get_errno()))
try:
    print(open("@CANARY@.not").read())
except OSError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
