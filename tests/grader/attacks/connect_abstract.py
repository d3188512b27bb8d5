# Connects to a unix socket that has a name but no file.
# class: network
# process: lost: network
import socket

try:
    with socket.socket(socket.AF_UNIX) as one:
        one.connect("\0@ABSTRACT@")
        one.send(b"hello")
except OSError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
