# Changes what a file holds without writing: a limit on the size of files does not stop a page that is mapped.
# class: files
# process: lost: files

import mmap

try:
    with open("@CANARY@", "r+b") as file, mmap.mmap(file.fileno(), 0) as page:
        page[:6] = b"forged"
except OSError:
    pass


def rms(x, eps=1e-5):
    return x * 3 + 1
