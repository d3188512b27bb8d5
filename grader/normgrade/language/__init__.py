"""The language that normgrade speaks: English, as its sources do, or one that it has a catalogue for.

Messages are marked with `_` and `n_`, and translated at the moment when they are made. So `speak` is called first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from normgrade.language.visible import visible, visible_name

if TYPE_CHECKING:
    from gettext import NullTranslations

ENGLISH = "en"
LANGUAGES: Mapping[str, str] = MappingProxyType({ENGLISH: "English", "zh": "中文"})
VARIABLE = "NORMGRADE_LANG"
CATALOGUES = Path(__file__).with_name("locale")
LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first that is set decides


class Spoken(NamedTuple):
    """A language, and its catalogue; English needs none."""

    language: str
    catalogue: NullTranslations | None


# One for the whole process, as `gettext.textdomain` is: its threads make messages too, and a ContextVar would be English there.
current = Spoken(ENGLISH, None)


def speak(language: str) -> None:
    """Say everything in this process, in all its threads, from now on in this language, one of LANGUAGES."""
    global current
    if language == ENGLISH:  # gettext is not even imported
        current = Spoken(ENGLISH, None)
        return
    from gettext import translation

    current = Spoken(language, translation("normgrade", CATALOGUES, [language]))


def spoken() -> str:
    """The language that is spoken: a key of LANGUAGES."""
    return current.language


def inherit() -> None:
    """Speak the language of the process that started this one."""
    speak(os.environ[VARIABLE])


def _(message: str, /, **values: Any) -> str:
    """The message in the language that is spoken, with `{names}` filled in where there are values."""
    catalogue = current.catalogue
    said = message if catalogue is None else catalogue.gettext(message)
    return said.format(**made_visible(values)) if values else said


def n_(one: str, many: str, n: int, /, **values: Any) -> str:
    """The message about one thing or about many; `{n}` is their number."""
    catalogue = current.catalogue
    said = (one if n == 1 else many) if catalogue is None else catalogue.ngettext(one, many, n)
    return said.format(n=n, **made_visible(values))


def made_visible(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with a dot for every character that steers a terminal: names of files, and other text from outside."""
    return {
        name: visible(value) if isinstance(value, str) else visible_name(value) if isinstance(value, os.PathLike) else value
        for name, value in values.items()
    }


def N_(message: str) -> str:
    """The message as it is, marked for the catalogue. It stands where the language is not known yet; `_` translates it later."""
    return message


def usual(environment: Mapping[str, str] = os.environ) -> str:
    """The language of the user's locale if it is one of ours, else English."""
    name = windows_locale() if sys.platform == "win32" else next(filter(None, map(environment.get, LOCALE)), "")
    language = name[:2].lower()
    return language if language in LANGUAGES else ENGLISH


def windows_locale() -> str:
    """The language of the desktop; Windows has no variables for it."""
    import ctypes
    import locale

    return locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")  # type: ignore[attr-defined]
