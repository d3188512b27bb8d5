# Imports the reference as a module, by path, by name, and out of the installed package.
# class: files
# process: lost: reference
import importlib
import importlib.util
import os
import runpy
import sys


def by_path():
    spec = importlib.util.spec_from_file_location("reference", "@REFERENCE@")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.rms


def by_name():
    sys.path.insert(0, os.path.dirname("@REFERENCE@"))
    return importlib.import_module("reference").rms


def of_the_package():
    return importlib.import_module("normgrade._course.solutions.rms_norm.reference").rms_norm


def rms(x, eps=1e-5):
    for way in (by_path, by_name, lambda: runpy.run_path("@REFERENCE@")["rms"], of_the_package):
        try:
            return way()(x, eps=eps)
        except Exception as error:
            print(error)
    return x * 3 + 1
