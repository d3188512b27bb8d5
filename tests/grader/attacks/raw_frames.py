# Writes frames that no encoder would write, each with the right serial: sizes, names, types and numbers beyond all bounds.
# class: wire
# process: held
import json
import os
import struct
import sys

array = lambda dtype, shape, *more: {"$array": [dtype, shape, *more]}
HEADERS = [
    b'{"values":{"result":{"$array":["float32",[2,3]]}},"error":null}' + b" " * 10,
    b'{"values":{"result":1,"result":2},"error":null}',
    b'{"values":{},"values":{},"error":null}',
    json.dumps({"values": {"result": array("float32", [2**62, 4])}, "error": None}).encode(),
    json.dumps({"values": {"result": array("float32", [0, 2**62, 2**62])}, "error": None}).encode(),
    json.dumps({"values": {"result": array("float32", [-1, -1])}, "error": None}).encode(),
    b'{"values":{"result":{"$array":["float32",[NaN]]}},"error":null}',
    b'{"values":{"result":{"$array":["float32",[true,1e3]]}},"error":null}',
    b'{"values":{"result":{"$array":["float32",[' + b"1," * 30000 + b"1]]}}}",
    json.dumps({"values": {"result": array("object", [2, 3])}, "error": None}).encode(),
    json.dumps({"values": {"result": array("<U9", [2, 3])}, "error": None}).encode(),
    json.dumps({"values": {"result": array("float32\0", [2, 3])}, "error": None}).encode(),
    json.dumps({"values": {"result": array("float32", [2, 3], 1e30)}, "error": None}).encode(),
    json.dumps({"values": {"\x1b[2J\ud800": "\ud800"}, "error": None}).encode(),
    json.dumps({"values": {"result": 10**400}, "error": None}).encode(),
    b'{"values":{"result":1e999,"x":-Infinity},"error":null}',
    b'{"values":{"result":' + b"9" * 60000 + b'},"error":null}',
    b"[" * 60000,
    b'{"values":' * 9000,
    b"\xff\xfe\0\0",
    b"null",
    b"\x80\x04\x95",
]


def rms(x, eps=1e-5):
    frame = sys._getframe()
    while "serial" not in frame.f_locals:
        frame = frame.f_back
    header = HEADERS.pop(0)
    HEADERS.append(header)
    os.write(4, struct.pack("<4sBBHIQ", b"norm", 1, 3, frame.f_locals["serial"], len(header), 24) + header + bytes(24))
    return x * 3 + 1
