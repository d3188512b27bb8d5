# Reads a file of the user in every way that Python has.
# class: files
# process: lost: files
import codecs
import ctypes
import io
import mmap
import os
import pathlib

import numpy as np

PATH = "@CANARY@"


def by_ctypes():
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    buffer = ctypes.create_string_buffer(200)
    libc.fread(buffer, 1, 199, ctypes.c_void_p(libc.fopen(PATH.encode(), b"r")))
    return buffer.value


def by_mmap():
    fd = os.open(PATH, os.O_RDONLY)
    return mmap.mmap(fd, 0, prot=mmap.PROT_READ)[:200]


WAYS = [
    lambda: open(PATH).read(200),
    lambda: os.read(os.open(PATH, os.O_RDONLY), 200),
    lambda: io.FileIO(PATH).read(200),
    lambda: pathlib.Path(PATH).read_text()[:200],
    lambda: codecs.open(PATH).read(200),
    lambda: np.fromfile(PATH, "S100", 2),
    by_mmap,
    lambda: os.open(os.path.basename(PATH), os.O_RDONLY, dir_fd=os.open(os.path.dirname(PATH), os.O_PATH)),
]
for way in WAYS:
    try:
        print(way())
    except Exception as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
