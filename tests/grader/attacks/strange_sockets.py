# Makes sockets of every family and kind that the kernel knows.
# class: network
# process: lost: network
import socket

for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        try:
            socket.socket(family, kind, 0).close()
            print("@SECRET@", family, kind)
        except OSError:
            pass


def rms(x, eps=1e-5):
    return x * 3 + 1
