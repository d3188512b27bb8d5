# Mounts: a file system of its own, an open tree, another root.
# class: kernel
# process: held
# root: may lose: files
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
for name, number, *arguments in (
    ("fsopen", 430, b"tmpfs", 0),
    ("open_tree", 428, -100, b"/", 1),
    ("chroot", 161 if X86 else 51, b"/"),
    ("mount", 165 if X86 else 40, b"none", b"@FOLDER@/inner", b"nonesuch", ctypes.c_long(0), None),
):
    result = libc.syscall(number, *arguments)
    print(name, result, os.strerror(ctypes.get_errno()))
    if result >= 0:
        print("@SECRET@")


def rms(x, eps=1e-5):
    return x * 3 + 1
