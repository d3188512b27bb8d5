# Connects to a TCP port of this machine, in every way: sockets, http, asyncio, ctypes.
# class: network
# process: lost: network
import asyncio
import socket
import urllib.request


def deed():
    for way in (
        lambda: socket.create_connection(("127.0.0.1", @TCP@), 0.1),
        lambda: socket.socket().connect_ex(("localhost", @TCP@)),
        lambda: asyncio.run(asyncio.open_connection("127.0.0.1", @TCP@)),
        lambda: urllib.request.urlopen("http://127.0.0.1:@TCP@/", timeout=0.05),
    ):
        try:
            way()
        except Exception as error:
            print(error)


try:
    deed()
except Exception as error:
    print(type(error).__name__, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
