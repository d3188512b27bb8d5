# Listens on ports and names of its own, with and without bind.
# class: network
# process: lost: network
import socket


def bound():
    one = socket.socket()
    one.bind(("127.0.0.1", 0))
    one.listen()


def unbound():
    socket.socket().listen()


def datagrams():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(("127.0.0.1", 0))


def named():
    socket.socket(socket.AF_UNIX).bind("\0attack-@MARK@")


for way in (bound, unbound, datagrams, named):
    try:
        way()
        print("@SECRET@", way)
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
