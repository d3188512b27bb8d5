"""Texts that a learner or an unknown course may have shown: each steers a terminal, commands a CI system or breaks out of a format."""

from __future__ import annotations

import re
import unicodedata

COMMANDS = (
    "::error file=a.py,line=1::wrong",
    "::set-output name=passed::true",
    "::add-mask::passed",
    "::stop-commands::token",
    "::endgroup::",
    "::notice::a%0A::error::b",
    "::",
    ":::error::three",
    "  ::warning::behind blanks",
    "\t::debug::behind a tab",
    "\u00a0\u2003\u3000::error::behind wide blanks",
    "\u200b::error::behind nothing",
    "\ufeff::error::behind a mark of byte order",
    "\u2060\u00ad \u034f::error::behind more of nothing",
    ":\u200b:error::with nothing in between",
    "\U000e0001:\ufe0f:error:\u200d:behind a tag",
    "harmless\n::error::on the next line",
    "harmless\n\n  \n \t ::error::after empty lines",
    "harmless\r::error::after a return",
    "harmless\r\n::error::after both",
    "harmless\x0b::error::after a vertical tab",
    "harmless\x0c::error::after a form feed",
    "harmless\x1c::error::\x1d::error::\x1e::error::after separators",
    "harmless\x85::error::after NEL",
    "harmless\u2028::error::\u2029::error::after separators of Unicode",
    "\x1b[0m::error::after a colour",
    "\x1b[2K\r::error::after a line that is erased",
    ":\x1b[31m:error::around a colour",
    "\x00::error::after a null",
    "\x08\x08::error::after steps back",
    "\u202e::error::turned",
    "##[error]wrong",
    "in the middle ##[set-env name=PATH]x",
    "##[group]a\n##[endgroup]",
    "##vso[task.setvariable variable=passed]true",
    "##vso[task.complete result=Succeeded;]",
    "##teamcity[testFinished name='a']",
    "####[[error]]",
    "#####[error]",
    "##a##[error]",
    "#\u200b#[error]nothing in between",
    "##\ufeffvso\u200b[task.logissue]",
    "#\x1b[0m#[error]a colour in between",
    "#\x00#[error]",
    "\x1b[0Ksection_start:1:a[collapsed=true]\r\x1b[0Ktitle",
)
STEERING = (
    "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]0;title\x07\x1b]52;c;cGFzc2Vk\x07",
    "\x1bP1$r0m\x1b\\ \x90data\x9c",
    "\x9b2J\x9b31mred",
    "\x1b[2J\x1b[H\x1b[1A\x1bc",
    "\u202epassed\u202c \u2066x\u2069 \u200f",
    "\x07\x7f\x80\x9f",
)
MARKUP = (
    "[red]x[/red] [link=https://example.org]y[/link] [/] :smile:",
    "</script><script>alert(1)</script><!-- ]]> <![CDATA[ &lt; &#10;::error::",
    "\"' onload=alert(1) <img src=x> &amp; {{ 7 * 7 }} {% raw %}",
    "\ud800::error::\udfff\ufffe\uffff",
)
WRAPPED = (  # at every possible line break, the next line begins with a command
    " ".join(["::error::a"] * 60),
    "::" * 300,
    "x" * 37 + " ::error::a" * 30,
    "x" * 400 + "\n" + "##[error]" * 80,
    "归一化::error::" * 40,
)
HOSTILE_TEXTS = COMMANDS + STEERING + MARKUP + WRAPPED
TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def commands_in(text: str) -> list[str]:
    """Return the lines of a log that some CI system obeys, for all ways to split lines and to skip characters."""
    lines = [(line, seen(line)) for line in text.splitlines()]
    return [line for line, said in lines if said.strip().startswith("::") or re.search(r"##\w*\[", said)]


def seen(line: str) -> str:
    """Return a line without colours and without invisible characters."""
    return "".join(sign for sign in COLOUR.sub("", line) if not is_unseen(sign))


def is_unseen(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cf", "Cc") or 0xFE00 <= ord(sign) <= 0xFE0F or sign == "\u034f"


def steering_in(text: str) -> set[str]:
    """Return the characters of a text that steer a terminal: control characters except for newline, and marks of text direction."""
    return {sign for sign in text if sign != "\n" and (unicodedata.category(sign) in ("Cc", "Zl", "Zp") or sign in TURNING)}
