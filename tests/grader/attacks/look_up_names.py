# Asks for the address of a name that carries a message.
# class: network
# process: lost: network
import socket

try:
    for line in open("/etc/hosts"):
        print(line.strip())
except OSError as error:
    print(error)
if socket.getaddrinfo("127.0.0.1", @TCP@) and hasattr(socket, "AF_NETLINK"):
    try:
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.sendto(b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x06canary\x07invalid\0\0\x01\0\x01", ("127.0.0.1", @UDP@))
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
