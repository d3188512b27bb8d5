# Has errors show the lines of other files: by syntax errors, tracebacks, warnings and loaders.
# class: files
# process: lost: files
import ctypes
import inspect
import linecache
import tokenize
import traceback
import warnings


def syntax():
    try:
        compile("\n(", "@CANARY@", "exec")
    except SyntaxError as error:
        print("".join(traceback.format_exception(error)))


def lines():
    print(linecache.getline("@SUITE@", len(linecache.getlines("@SUITE@"))))


def library():
    try:
        ctypes.CDLL("@CANARY@")
    except OSError as error:
        print(error)


def warned():
    print(warnings.formatwarning("look", UserWarning, "@CANARY@", 3))


def tokens():
    with tokenize.open("@CANARY@") as file:
        print(file.readline())


def source():
    def mine():
        pass

    mine.__code__ = mine.__code__.replace(co_filename="@CANARY@", co_firstlineno=1)
    print(inspect.getsource(mine)[:200], inspect.getsourcefile(mine))


for way in (syntax, lines, library, warned, tokens, source):
    try:
        way()
    except Exception as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
