"""Tables of TOML files: the values that validators accept, and the messages about all other values."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from normgrade.course.table import Table, Wrong, as_key, between, languages, mapping, one_of, seconds, signatures, text, texts
from normgrade.language.errors import CourseError

PATH = Path("exercise.toml")


def table(source: str) -> Table:
    return Table.parse(PATH, source)


def refused(work: Callable[[], object]) -> str:
    """Return the message of a CourseError, after the file's name."""
    with pytest.raises(CourseError) as caught:
        work()
    assert str(caught.value).startswith("exercise.toml: ")
    return str(caught.value).removeprefix("exercise.toml: ")


def test_a_value_is_returned_by_its_validator() -> None:
    assert table('hints = ["One.", "Two."]').take("hints", texts) == ("One.", "Two.")


def test_a_default_is_returned_unchanged() -> None:
    nothing = object()
    assert table("").take("hints", texts, nothing) is nothing


def test_without_a_default_a_missing_key_is_an_error() -> None:
    assert refused(lambda: table("").take("title", text)) == "title: is missing."


def test_a_refused_value_is_named_with_the_valid_ones() -> None:
    assert refused(lambda: table("level = 9").take("level", between(1, 4))) == "level: must be a whole number from 1 to 4, not 9."


def test_a_missing_key_may_be_a_misspelt_one(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    table = Table.parse(path, 'nam = "x"\n')
    with pytest.raises(CourseError) as caught:
        table.take("name", text)
    assert str(caught.value) == f'{path}: nam: unknown key. Did you mean "name"? That one is missing.'
    with pytest.raises(CourseError) as caught:
        table.take("says", text)
    assert str(caught.value) == f"{path}: says: is missing."


def test_an_unread_key_is_an_error() -> None:
    read = table('title = "T"\nlevl = 1')
    read.take("title", text)
    read.take("level", between(1, 4), 1)
    assert refused(read.finish) == 'levl: unknown key. Did you mean "level"? Allowed are level, title.'


def test_a_table_with_all_keys_read_is_finished() -> None:
    read = table("level = 1")
    read.take("level", between(1, 4))
    read.finish()


def test_keys_of_inner_tables_have_full_names() -> None:
    first, second = table('[[mistake]]\nname = "a"\n[[mistake]]\nname = ""').tables("mistake")
    assert first.take("name", text) == "a"
    assert refused(lambda: second.take("name", text)) == "mistake[2].name: must be a text that is not empty, not ''."


def test_a_missing_key_has_no_inner_tables() -> None:
    assert table("").tables("mistake") == ()


def test_inner_tables_must_be_tables() -> None:
    assert refused(lambda: table("mistake = [1]").tables("mistake")) == "mistake: must be a list of tables, not [1]."


def test_a_table_under_a_key_has_its_prefix() -> None:
    limits = table("[limits]\nanswer_s = 0").table("limits")
    assert refused(lambda: limits.take("answer_s", seconds)).startswith("limits.answer_s: must be ")
    assert table("").table("limits", {}).content == {}
    assert refused(lambda: table("limits = 5").table("limits")) == "limits: must be a table, not 5."


# Tables that share keys


def sharing(own: str, shared: str) -> Table:
    return replace(table(own), shared=Table.parse(Path("shared.toml"), shared))


def test_a_missing_key_is_taken_from_the_shared_table() -> None:
    read = sharing('title = "Own"', 'title = "Shared"\ngroup = "Layers"')
    assert [read.take(key, text, "none") for key in ("title", "group", "level")] == ["Own", "Layers", "none"]
    read.finish()


@pytest.mark.parametrize(
    ("own", "shared", "said"),
    [
        ("title = 1", "title = 2", "exercise.toml: title: must be a text that is not empty, not 1."),
        ("", "title = 2", "shared.toml: title: must be a text that is not empty, not 2."),
        ("", "", "exercise.toml: title: is missing."),
        ("", 'title = "T"\nlevl = 1', "shared.toml: levl: unknown key. Allowed is title."),
        ("levl = 1", 'title = "T"', "exercise.toml: levl: unknown key. Allowed is title."),
    ],
)
def test_error_names_the_table_with_the_key(own: str, shared: str, said: str) -> None:
    read = sharing(own, shared)
    with pytest.raises(CourseError, match=f"^{re.escape(said)}$"):
        read.finish() if read.take("title", text) else None


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("title = \n", "not valid TOML: Invalid value (at line 1, column 9)."),
        ("a = 1\na = 2\n", "not valid TOML: Cannot overwrite a value (at line 2, column 6)."),
        ("[no-root]\n[no-root]\n", 'not valid TOML: Cannot declare "no-root" twice (at line 2, column 9).'),
    ],
)
def test_invalid_toml_is_named_with_its_place(source: str, why: str) -> None:
    assert refused(lambda: table(source)) == why


@pytest.mark.parametrize("source", [f"a = {'[' * 10_000}", f"a = {'9' * 10_000}"])
def test_toml_beyond_the_parsers_limits_is_refused(source: str) -> None:
    assert refused(lambda: table(source)).startswith("not valid TOML: ")


def test_an_optional_file_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    assert Table.of_optional(path) == Table(path, {})
    path.write_text("level = 1", encoding="utf-8")
    assert Table.of_optional(path).content == {"level": 1}


def test_a_file_is_read_as_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "exercise.toml"
    path.write_bytes('title = "层"'.encode())
    assert Table.of_file(path).content == {"title": "层"}


@pytest.mark.parametrize(
    ("check", "value", "expected"),
    [
        (text, "a", "a"),
        (texts, ["a", ""], ("a", "")),
        (languages, ["zh", "en"], ("zh", "en")),
        (between(1, 4), 1, 1),
        (between(1, 4), 4, 4),
        (one_of("full", "score"), "score", "score"),
        (seconds, 3600, 3600.0),
        (mapping, {"a": 1}, {"a": 1}),
    ],
)
def test_valid_values_pass(check: Callable[[object], object], value: Any, expected: object) -> None:
    assert check(value) == expected


@pytest.mark.parametrize(
    ("check", "value", "valid"),
    [
        (text, "\t", "a text that is not empty"),
        (texts, ("a",), "a list of texts"),
        (languages, ["zh"], 'a list of languages from en, zh, including "en"'),
        (languages, ["en", "xx"], 'a list of languages from en, zh, including "en"'),
        (between(1, 4), 0, "a whole number from 1 to 4"),
        (between(1, 4), 5, "a whole number from 1 to 4"),
        (between(0, 1), True, "a whole number from 0 to 1"),
        (one_of("full", "score"), "claims", '"full" or "score"'),
        (seconds, 0, "a number of seconds above 0 and up to 3600"),
        (seconds, float("nan"), "a number of seconds above 0 and up to 3600"),
        (signatures, [], "a list of at least one signature"),
        (mapping, [], "a table"),
    ],
)
def test_other_values_are_refused_with_the_valid_ones(check: Callable[[object], object], value: Any, valid: str) -> None:
    with pytest.raises(Wrong, match=f"^{re.escape(valid)}$"):
        check(value)


@pytest.mark.parametrize(("name", "key"), [("no-root_1", "no-root_1"), ("eps-0.1", '"eps-0.1"'), ("a text", '"a text"'), ("层", '"层"')])
def test_key_with_other_characters_is_quoted(name: str, key: str) -> None:
    assert as_key(name) == key
