"""The language that normgrade speaks: English, like its sources, or a language with a catalogue.

Messages are marked with `_` and `n_`, and translated when they are made. So `speak` is called first.
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
    """Set the language of all messages of this process, in all its threads. It is one of LANGUAGES."""
    global current
    if language == ENGLISH:  # gettext is not even imported
        current = Spoken(ENGLISH, None)
        return
    from gettext import translation  # English needs no catalogue

    current = Spoken(language, translation("normgrade", CATALOGUES, [language]))


def spoken() -> str:
    """Return the current language: a key of LANGUAGES."""
    return current.language


def inherit() -> None:
    """Speak the language of the process that started this one."""
    speak(os.environ[VARIABLE])


def _(message: str, /, **values: Any) -> str:
    """Return the message in the current language, with `{names}` filled in if there are values."""
    catalogue = current.catalogue
    said = message if catalogue is None else catalogue.gettext(message)
    return said.format(**made_visible(values)) if values else said


def n_(one: str, many: str, n: int, /, **values: Any) -> str:
    """Return the message about one thing or about many, in the current language; `{n}` is their number."""
    catalogue = current.catalogue
    said = (one if n == 1 else many) if catalogue is None else catalogue.ngettext(one, many, n)
    return said.format(n=n, **made_visible(values))


def made_visible(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with a dot for every control character of a terminal: names of files, and other text from outside."""
    return {
        name: visible(value) if isinstance(value, str) else visible_name(value) if isinstance(value, os.PathLike) else value
        for name, value in values.items()
    }


def N_(message: str) -> str:
    """Return the message as it is. This marks it for the catalogue when the language is not known yet; `_` translates it later."""
    return message


def usual(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the user's locale if it is one of LANGUAGES, else English."""
    name = windows_locale() if sys.platform == "win32" else next(filter(None, map(environment.get, LOCALE)), "")
    language = name[:2].lower()
    return language if language in LANGUAGES else ENGLISH


def windows_locale() -> str:
    """Return the language of the desktop; Windows has no variables for it."""
    import ctypes  # only on Windows
    import locale  # only on Windows

    return locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")  # type: ignore[attr-defined]
