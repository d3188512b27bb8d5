"""The language of messages: translations, plurals, values in messages, and the language of the user's environment."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import click
import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from rich.cells import cell_len

from normgrade import cli, language
from normgrade.grading.parallel import Job, Tick, over_cores
from normgrade.language import ENGLISH, N_, _, n_, speak, spoken, usual

VALUES, CODE = re.compile(r"\{[^{}]*\}"), re.compile(r"`[^`]*`")
COUNTED = ("{n} place differs", "{n} places differ")
ZH: dict[str | tuple[str, str], str] = {
    "No file {name}.": "没有文件 {name}。",
    "plain {braces}": "大括号 {braces}",
    COUNTED: "{n} 处不同",
    "step {number}": "第 {number} 步",
    "output": "输出",
}


@pytest.fixture
def chinese(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Speak Chinese with a catalogue of a few messages."""
    folder = tmp_path / "zh" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    catalogue = Catalog(locale="zh", project="normgrade", charset="utf-8")
    for message, translation in ZH.items():
        catalogue.add(message, (translation,) if isinstance(message, tuple) else translation)
    with (folder / "normgrade.mo").open("wb") as file:
        write_mo(file, catalogue)
    monkeypatch.setattr(language, "CATALOGUES", tmp_path)
    speak("zh")


def test_english_messages_are_their_own_text() -> None:
    assert spoken() == ENGLISH
    assert _("No file {name}.", name="a.py") == "No file a.py."
    assert _("plain {braces}") == "plain {braces}"
    assert _("{value:.3g} of {name!r}", value=2 / 3, name="x") == "0.667 of 'x'"
    assert N_("No file {name}.") == "No file {name}."


@pytest.mark.parametrize(("n", "words"), [(0, "0 places differ"), (1, "1 place differs"), (2, "2 places differ")])
def test_english_has_a_singular_and_a_plural(n: int, words: str) -> None:
    assert n_(*COUNTED, n) == words


@pytest.mark.usefixtures("chinese")
def test_a_translated_message_is_in_chinese() -> None:
    assert spoken() == "zh"
    assert _("No file {name}.", name="{a}.py") == "没有文件 {a}.py。"
    assert _("plain {braces}") == "大括号 {braces}"
    assert [n_(*COUNTED, n) for n in (1, 2)] == ["1 处不同", "2 处不同"]


@pytest.mark.usefixtures("chinese")
def test_an_untranslated_message_stays_english() -> None:
    assert _("No folder {name}.", name="a") == "No folder a."
    assert [n_("{n} file", "{n} files", n) for n in (1, 2)] == ["1 file", "2 files"]


# Threads and processes


def said_in_chinese(tick: Tick) -> tuple[str, int]:
    """Return a message, and the process that made it."""
    return _("started"), os.getpid()


def test_messages_of_threads_are_translated() -> None:
    said: list[str] = []
    chosen = threading.Event()

    def say() -> None:
        chosen.wait(60)
        said.append(_("started"))

    threads = [threading.Thread(target=say), threading.Thread(target=say)]
    threads[0].start()  # one thread starts before the language is chosen, the other one afterwards
    speak("zh")
    chosen.set()
    threads[1].start()
    for thread in threads:
        thread.join()
    assert said == ["已开始", "已开始"]


def test_messages_of_processes_are_translated() -> None:
    speak("zh")
    results = over_cores([Job(1, said_in_chinese), Job(1, said_in_chinese)], 2, lambda *what: None)
    assert [text for text, _process in results] == ["已开始", "已开始"] and all(process != os.getpid() for _text, process in results)


# The catalogue


@pytest.fixture(scope="module")
def collected() -> ModuleType:
    """Import tests/catalogue.py, which is a script."""
    spec = spec_from_file_location("catalogue", Path(__file__).parents[2] / "catalogue.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_catalogue_has_exactly_the_messages_in_use(collected: ModuleType) -> None:
    catalogue = collected.updated("zh")
    again = "run `python tests/catalogue.py`, then translate what is new"
    assert collected.file_of("zh").read_bytes().decode() == collected.as_po(catalogue).decode(), again


def test_translations_keep_values_and_code(collected: ModuleType) -> None:
    wrong = {}
    for message in collected.updated("zh"):
        english = message.id if isinstance(message.id, str) else message.id[-1]
        for chinese in collected.strings_of(message) if english else ():
            found = [name for name in (VALUES, CODE) if sorted(set(name.findall(english))) != sorted(set(name.findall(chinese)))]
            if found or not chinese:
                wrong[english] = chinese
    assert wrong == {}


def test_the_help_has_at_most_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    for code in ("en", "zh"):
        for command in ("", *cli.every_command()):
            assert cli.run([*command.split(), "--help", "--lang", code]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if cell_len(line) > 80] == []


def test_a_used_command_helps_in_the_language_of_now() -> None:
    command = cli.command_named("doctor")
    cli.speak_here("zh")
    command.make_context("doctor", [])
    cli.speak_here(ENGLISH)
    assert "Show this message and exit." in cli.in_language(command).get_help(click.Context(command))


# The user's environment


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "ZH"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ({"LC_CTYPE": "zh_CN.UTF-8"}, "en"),
    ],
)
def test_the_usual_language_is_the_locales(environment: Mapping[str, str], code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    assert usual(environment) == code


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with an English locale."""
    monkeypatch.chdir(tmp_path)
    for name in ("NORMGRADE_LANG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "variable", "setting", "code"),
    [
        ([], "", "", "en"),
        ([], "", "zh", "zh"),
        ([], "zh", "en", "zh"),
        (["check", "--lang", "en"], "zh", "zh", "en"),
        (["--lang=zh", "check"], "en", "en", "zh"),
    ],
)
def test_the_most_specific_setting_chooses_the_language(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], variable: str, setting: str, code: str
) -> None:
    if variable:
        monkeypatch.setenv("NORMGRADE_LANG", variable)
    if setting:
        (folder / "normgrade.toml").write_text(f'lang = "{setting}"\n', encoding="utf-8")
    assert cli.language_of(arguments) == code


def test_the_locale_is_the_default_language(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert cli.language_of([]) == "zh"


@pytest.mark.parametrize(("arguments", "variable"), [(["--lang", "fr"], ""), (["--lang=fr"], "zh"), ([], "fr")])
def test_an_unknown_language_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], variable: str
) -> None:
    if variable:
        monkeypatch.setenv("NORMGRADE_LANG", variable)
    assert cli.run(["list", *arguments]) == 2
    assert capsys.readouterr() == ("", 'Error: No language named "fr". --lang and NORMGRADE_LANG must be en or zh.\n')


def test_an_unknown_language_in_normgrade_toml_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "normgrade.toml").write_text('lang = "fr"\n', encoding="utf-8")
    assert cli.run(["list"]) == 2
    assert f"""{folder / "normgrade.toml"}: lang: must be "en" or "zh", not 'fr'.""" in capsys.readouterr().err
