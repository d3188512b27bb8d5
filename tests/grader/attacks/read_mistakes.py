# Reads the known mistakes beside the reference with importlib.resources, pkgutil, zipimport and tomllib.
# class: files
# process: lost: files
import importlib.machinery
import importlib.resources.abc
import importlib.util
import os
import pathlib
import pkgutil
import sys
import tokenize
import types

FOLDER = os.path.dirname("@REFERENCE@")
package = types.ModuleType("stolen")
package.__path__ = [FOLDER]
package.__file__ = FOLDER + "/__init__.py"
package.__spec__ = importlib.machinery.ModuleSpec("stolen", importlib.machinery.SourceFileLoader("stolen", package.__file__), is_package=True)
sys.modules["stolen"] = package

for way in (
    lambda: pkgutil.get_data("stolen", "mistakes.toml"),
    lambda: importlib.resources.files("stolen").joinpath("mistakes.toml").read_text(),
    lambda: tokenize.open(FOLDER + "/mistakes.toml").read(),
    lambda: pathlib.Path(FOLDER, "mistakes.toml").read_bytes(),
    lambda: importlib.machinery.SourceFileLoader("x", FOLDER + "/mistakes.toml").get_data(FOLDER + "/mistakes.toml"),
):
    try:
        print(str(way())[-200:])
    except Exception as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
