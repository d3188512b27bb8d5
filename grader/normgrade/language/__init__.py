"""The language that normgrade speaks: English, as its sources do, or one that it has a catalogue for.

Messages are marked with `_` and `n_` where they are written, and are translated there and then. `speak` comes first.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from normgrade.language.visible import visible, visible_name

if TYPE_CHECKING:
    from gettext import NullTranslations

ENGLISH = "en"
LANGUAGES: Mapping[str, str] = MappingProxyType({ENGLISH: "English", "zh": "中文"})
VARIABLE = "NORMGRADE_LANG"
CATALOGUES = Path(__file__).with_name("locale")
LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first that is set decides
LONGEST_RETOLD = 400  # characters: what is made of our messages is shorter, and untrusted text could keep a pattern busy for long

speaking: list[tuple[str, NullTranslations | None]] = [(ENGLISH, None)]


def speak(language: str) -> None:
    """Say everything from now on in this language, one of LANGUAGES."""
    if language == ENGLISH:  # gettext is not even imported
        speaking[:] = [(ENGLISH, None)]
        return
    from gettext import translation

    speaking[:] = [(language, translation("normgrade", CATALOGUES, [language]))]


def spoken() -> str:
    return speaking[0][0]


def inherit() -> None:
    """Speak what the process speaks that has started this one."""
    speak(os.environ[VARIABLE])


def _(message: str, /, **values: Any) -> str:
    """The message in the language that is spoken, with `{names}` filled in where there are values."""
    catalogue = speaking[0][1]
    said = message if catalogue is None else catalogue.gettext(message)
    return said.format(**made_visible(values)) if values else said


def n_(one: str, many: str, n: int, /, **values: Any) -> str:
    """The message about one thing or about many; `{n}` is their number."""
    catalogue = speaking[0][1]
    said = (one if n == 1 else many) if catalogue is None else catalogue.ngettext(one, many, n)
    return said.format(n=n, **made_visible(values))


def made_visible(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as they may be shown: names of files and whatever else comes from outside."""
    return {
        name: visible(value) if isinstance(value, str) else visible_name(value) if isinstance(value, os.PathLike) else value
        for name, value in values.items()
    }


def N_(message: str) -> str:
    """The message itself, marked for translation where it is written before the language is known; `_` says it later."""
    return message


def retold(text: str, messages: Iterable[str]) -> str:
    """A text that is data, and so English, in the language that is spoken, where it is one of these messages with its values."""
    if speaking[0][1] is None or len(text) > LONGEST_RETOLD:
        return text
    found = ((message, pattern(message).fullmatch(text)) for message in messages)
    return next((_(message, **match.groupdict()) for message, match in found if match), text)


@cache
def pattern(message: str) -> re.Pattern[str]:
    """What finds the values in what was said with this message."""
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(message)))


def usual(environment: Mapping[str, str] = os.environ) -> str:
    """The language of the user's locale if it is one of ours, else English."""
    name = windows_locale() if sys.platform == "win32" else next(filter(None, map(environment.get, LOCALE)), "")
    language = name[:2].lower()
    return language if language in LANGUAGES else ENGLISH


def windows_locale() -> str:
    """The language of the desktop: there are no variables that tell."""
    import ctypes
    import locale

    return locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")  # type: ignore[attr-defined]
