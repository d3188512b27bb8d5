"""Text from outside is shown, and a terminal never obeys it. Every output takes every text, in any encoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from normgrade.course.course import Course
from normgrade.language.visible import STEERS, blank, disarmed, printable, visible, visible_name, width

HOSTILE = "a\x1b[31m\x1b]0;t\x07\x9b2J\u202e\n\x7fz.py"  # colour, title, clear, right to left, another line
UNDECODABLE = os.fsdecode(b"\xff\xfe.py")
BROKEN = "def rms(x, eps):\n"  # it is never run
PLAY = """
import sys
from normgrade.cli import run, streams
streams.never_raise()  # as `main` does
for words in eval(sys.argv.pop()):
    sys.stdout.flush(); sys.stderr.flush()
    code = run(words)
    sys.stdout.flush(); sys.stderr.flush()
    print(end=f"\\0{code}\\0", flush=True)
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names of files as POSIX has them")
Run = tuple[int, bytes]


@pytest.mark.parametrize("text", ["", "x = (", "y = 平均(", "e\u0301 = ", "（全角，", "😀 = "])
def test_blanks_are_as_wide_as_the_text(text: str) -> None:
    assert not blank(text).strip() and width(blank(text)) == width(text)
    assert [width(sign) for sign in blank(text)] == [width(sign) for sign in text if width(sign)]


def play(commands: list[list[str]], cwd: Path, course: Course, environment: Mapping[str, str] = {}, lang: str = "en") -> list[Run]:
    """Run commands one after the other in a new process, and return the exit code and the output of each."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHONIO", "PYTHONUTF8", "LC_", "LANG"))}
    kept |= {"NORMGRADE_COURSE": str(course.root), "NORMGRADE_LANG": lang, "PYTHONIOENCODING": "utf-8", **environment}
    arguments = [sys.executable, "-c", PLAY, ascii(commands)]
    done = subprocess.run(arguments, cwd=cwd, env=kept, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    parts = done.stdout.split(b"\0")
    assert done.returncode == 0 and len(parts) == 2 * len(commands) + 1, done.stdout
    return [(int(code), said) for said, code in zip(parts[::2], parts[1::2], strict=False)]


# Names


def test_terminal_controls_become_dots() -> None:
    assert visible("a\x1b[1mb\r\u2066\udc80\tc\nd") == "a·[1mb···\tc\nd"
    assert visible_name(Path("a\tb\nc\x07")) == "a·b·c·"


def test_terminal_controls_are_left_out_of_other_text() -> None:
    assert printable("a\x1b[1;31mb\x1b[0m\tc\r\nd\x00\x07\x9f") == "ab\tc\nd"
    assert printable("".join(map(chr, range(0x202A, 0x202F))) + "\u061c\u200e\u2066\u2069\ud800\ufffe") == ""


def test_the_first_character_of_a_command_becomes_a_dot() -> None:
    assert disarmed("::error::x\n \t\u00a0\ufeff::a\r:\u200b:b") == "·:error::x\n \t\u00a0\ufeff·:a\r·\u200b:b"
    assert disarmed("a ##[error] ##vso[x] ####[[ #\u200b#teamcity[") == "a ·#[error] ·#vso[x] ##·#[[ ·\u200b#teamcity["
    assert disarmed("\x1b[1m\x1b[31m::error::\x1b[0m") == "\x1b[1m\x1b[31m·:error::\x1b[0m"
    assert visible("\x1b::error::\n\t::x") == "·::error::\n\t·:x"


@pytest.mark.parametrize(
    "text", ["a::b", "x[::2]", ":", ": :", "a\n: x", "# ## ### [0]", "## a[0]", "#[x]", "##a-b[c]", "", "::".join("ab")]
)
def test_text_without_commands_is_unchanged(text: str) -> None:
    assert disarmed(text) == visible(text) == text


@pytest.mark.parametrize("part", ["\n", " ", "#", "##a", "#\u200b", ":\u200b", "\x1b[0"])
def test_a_long_text_takes_little_time(part: str) -> None:
    before = time.process_time()
    disarmed(part * 200_000)
    assert time.process_time() - before < 5  # it would take minutes if the time grew with the square of the length


@pytest.mark.parametrize("name", [HOSTILE, UNDECODABLE], ids=["hostile", "undecodable"])
def test_no_format_contains_a_raw_file_name(name: str, tmp_path: Path, tiny: Course) -> None:
    (tmp_path / name).write_text(BROKEN)
    check = ["check", "--exercise", "rms", name, "--format"]
    formats = ["terminal", "json", "junit", "html"]
    for format, (code, said) in zip(formats, play([[*check, each] for each in formats], tmp_path, tiny), strict=True):
        assert code == 1 and not STEERS.search(said.decode()), format
        if format == "json":
            assert json.loads(said)["reports"][0]["submission"] == name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if format == "junit":
            assert ElementTree.fromstring(said.decode()) is not None


def test_no_error_repeats_raw_arguments(tmp_path: Path, tiny: Course) -> None:
    bad = HOSTILE.removesuffix(".py")
    commands = [
        *(["check", bad], ["check", HOSTILE], ["check", "--exercise", "rms", HOSTILE], ["check", "--exercise", bad, "x.py"]),
        *(["check", "--seed", bad], ["check", "--timeout", bad], ["check", "--format", bad], ["check", "--output", f"no/{bad}"]),
        *(["show", bad], ["list", "--course", bad], ["list", "--lang", bad], [bad], ["list", f"--{bad}"], ["list", bad]),
        *(["explain", bad], ["init", "file\x1b[31m/folder"], ["check", UNDECODABLE], ["show", UNDECODABLE]),
    ]
    (tmp_path / "file\x1b[31m").write_text("")
    for words, (code, said) in zip(commands, play(commands, tmp_path, tiny), strict=True):
        assert code in (1, 2) and not STEERS.search(said.decode()) and "Traceback" not in said.decode(), (words, said)


def test_an_error_shows_the_name_with_dots(tmp_path: Path, tiny: Course) -> None:
    (tmp_path / HOSTILE).write_text("x = 1\n")
    [(code, said)] = play([["check", HOSTILE]], tmp_path, tiny)
    name = "a·[31m·]0;t··2J···z.py"
    assert (code, said.decode()) == (
        2,
        f'Error: No exercise matches the file name "{name}". Use --exercise SLUG. Run `normgrade list` to see all exercises.\n',
    )


def test_the_progress_bar_does_not_obey_a_name(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    script = f"from normgrade.cli.bar import progress\nwith progress() as tell:\n    tell({HOSTILE!a}, 1, 2)\n"
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen([sys.executable, "-c", script], stderr=theirs, cwd=tmp_path, env=environment) as process:
        os.close(theirs)
        seen = b""
        try:
            while chunk := os.read(ours, 4096):
                seen += chunk
        except OSError:  # the end, on Linux
            pass
        assert process.wait() == 0
    os.close(ours)
    assert "a·[31m·]0;t··2J···z.py" in seen.decode()
    assert b"\x1b]0;" not in seen and b"\x07" not in seen


# Encodings

PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ENCODINGS = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "C": {**PLAIN, "PYTHONIOENCODING": ""},
}
COMMANDS = [
    *(
        ["--help"],
        ["list"],
        ["show", "rms"],
        ["init", "here"],
        ["check", "rms"],
        ["check", "rms", "-q"],
        ["solution", "rms", "--spoil"],
        ["hint", "rms"],
        ["progress"],
        ["explain", "rmss"],
        ["reset", "rms"],
    ),
    *(["check", "rmss"], ["check", "\x1b中\udc80.py"], []),
]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_command_fails_in_any_encoding(encoding: str, lang: str, tmp_path: Path, tiny: Course) -> None:
    (tmp_path / "normgrade.toml").write_text("")
    (tmp_path / "rms.py").write_text(BROKEN)
    for words, (code, said) in zip(COMMANDS, play(COMMANDS, tmp_path, tiny, ENCODINGS[encoding], lang), strict=True):
        assert code in (0, 1, 2) and b"Traceback" not in said, (words, said)
        said.decode("ascii" if encoding == "C" else encoding)


def test_signs_outside_the_encoding_have_ascii_forms(tmp_path: Path, tiny: Course) -> None:
    (tmp_path / "rms.py").write_text(BROKEN)
    [(_code, said)] = play([["check", "rms"]], tmp_path, tiny, ENCODINGS["ascii"])
    lines = said.decode("ascii").splitlines()
    assert lines[0] == "rms.py  0 of 8 points, not passed  (sandbox: none)" and any(line.startswith("x 1:17 syntax: ") for line in lines)


@pytest.mark.parametrize("format", ["json", "junit", "html"])
def test_machine_readable_output_is_always_utf_8(format: str, tmp_path: Path, tiny: Course) -> None:
    (tmp_path / "rms.py").write_text("def rms(«x»):\n", encoding="utf-8")
    [(_code, said)] = play([["check", "rms", "--format", format]], tmp_path, tiny, ENCODINGS["latin-1"])
    assert "«x»" in said.decode("utf-8")


def test_a_stub_does_not_depend_on_the_encoding(tmp_path: Path) -> None:
    course = Course.find()
    found = play([["show", slug, "--stub"] for slug in course.slugs], tmp_path, course, ENCODINGS["C"], "zh")
    assert [said for _code, said in found] == [course.exercise(slug).stub.read_bytes() for slug in course.slugs]


def test_a_folder_may_have_any_name_in_any_locale(tmp_path: Path, tiny: Course) -> None:
    folder = tmp_path / "naïve 中"
    folder.mkdir()
    (folder / "rms.py").write_text(tiny.exercise("rms").reference.read_text(encoding="utf-8"), encoding="utf-8")
    path = os.fsencode(folder / "rms.py").decode("ascii", "surrogateescape")
    [(code, said)] = play([["check", path]], folder, tiny, ENCODINGS["C"])
    assert code == 0, said
