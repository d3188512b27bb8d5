# Prints what is no text: broken UTF-8, lone surrogates, zero bytes, half of a mark.
# class: output
# process: held
import os
import sys


def rms(x, eps=1e-5):
    os.write(1, bytes(range(256)) + b"\xed\xa0\x80\xf8\x88\x80\x80\x80\0normgrade 1")
    sys.stdout.write("\ud800\udfff\U0010ffff\ufffe")
    raise ValueError("\ud800" + "".join(map(chr, range(300))))
