"""Hints: their order, and that each is given only once in all languages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from chinese import in_chinese

from normgrade.course.course import Course
from normgrade.language import LANGUAGES, speak
from normgrade.learner.hints import hint_of_test, hints_of, take_hint
from normgrade.learner.standing import Attempt
from normgrade.learner.workspace import Workspace
from normgrade.report.report import Check, Kind, Outcome, Report

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)
OWN = {"en": "Square, average, take the root.", "zh": "平方，平均，开方。"}
OF_ROWS = {"en": "Average over the last dimension.", "zh": "对最后一维求平均。"}
SUM_FOR_MEAN = {"en": "The squares are added up. Average them.", "zh": "平方被加在一起。应当求平均。"}


def failed(hint: str = OF_ROWS["en"], test: str = "test_rows", mistakes: tuple[str, ...] = ()) -> Attempt:
    return Attempt(NOW, "rms", Outcome.FAILED, 1, 8, mistakes, test, hint)


@pytest.fixture(scope="module")
def bilingual(edited_course: Callable[..., Course]) -> Course:
    """Return the tiny course with Chinese translations of everything that a hint may say."""
    return edited_course(
        {
            "exercises/rms/zh.toml": in_chinese("exercise", {OWN["en"]: OWN["zh"]}),
            "solutions/rms/zh.toml": in_chinese("suite", {text["en"]: text["zh"] for text in (SUM_FOR_MEAN, OF_ROWS)}),
        }
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def texts(course: Course, last: Attempt | None, language: str) -> list[str]:
    speak(language)
    return [hint.text for hint in hints_of(course.exercise("rms"), last)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_failure_or_its_diagnosis_comes_first(language: str, bilingual: Course) -> None:
    assert texts(bilingual, None, language) == [OWN[language]]
    assert texts(bilingual, failed(), language) == [OF_ROWS[language], OWN[language]]
    assert texts(bilingual, failed(mistakes=("sum-for-mean", "gone")), language) == [SUM_FOR_MEAN[language], OWN[language]]


def test_identities_are_the_same_in_every_language(bilingual: Course) -> None:
    for last in (failed(), failed(mistakes=("sum-for-mean",))):
        found = []
        for language in LANGUAGES:
            speak(language)
            found.append([hint.identity for hint in hints_of(bilingual.exercise("rms"), last)])
        assert found[0] == found[1] and found[0] in (["check:test_rows", "hint:1"], ["mistake:sum-for-mean", "hint:1"])


@pytest.mark.parametrize(("first", "then"), [("en", "zh"), ("zh", "en")])
@pytest.mark.parametrize("mistakes", [(), ("sum-for-mean",)])
def test_a_given_hint_is_not_repeated_in_another_language(
    first: str, then: str, mistakes: tuple[str, ...], bilingual: Course, workspace: Workspace
) -> None:
    speak(first)
    last = failed(OF_ROWS[first], mistakes=mistakes)
    [given, _] = take_hint(bilingual.exercise("rms"), last, workspace)
    assert given.text == (SUM_FOR_MEAN if mistakes else OF_ROWS)[first]
    speak(then)
    assert [hint.text for hint in take_hint(bilingual.exercise("rms"), last, workspace)] == [OWN[then]]
    speak(first)
    assert take_hint(bilingual.exercise("rms"), last, workspace) == []


def test_the_hint_of_a_test_is_given_once(tiny: Course, workspace: Workspace) -> None:
    given = []
    for name in ("test_rows[shape0]", "test_rows[shape1]"):
        check = Check(name, "", Kind.FORMULA, Outcome.FAILED, 2, hint=OF_ROWS["en"])
        last = Attempt.of(Report("rms", "rms.py", Outcome.FAILED, 8, "linux", 0, 0.1, checks=(check,)), NOW)
        given.append(take_hint(tiny.exercise("rms"), last, workspace)[0].text)
    assert given == [OF_ROWS["en"], OWN["en"]]


def test_without_a_workspace_hints_are_not_counted(tiny: Course) -> None:
    for _ in range(2):
        assert [hint.text for hint in take_hint(tiny.exercise("rms"), None, None)] == [OWN["en"]]


# The hint of a test


@pytest.mark.parametrize(
    ("decorator", "english", "chinese"),
    [
        ('@claim("edge", hint="One.")', "One.", "一。"),
        ('@claim("edge", hint="Three.")', "Three.", "Three."),
        ('@claim("edge", hint="One, " "two.")', "One, two.", "一，二。"),
        ('@claim("edge", hint="One.".strip())', "", ""),
        ('@claim("edge")', "", ""),
        ("", "", ""),
    ],
)
def test_the_hint_of_a_test_comes_from_its_suite(decorator: str, english: str, chinese: str, edited_course: Callable[..., Course]) -> None:
    suite = f'from normgrade.suite import claim\n\n{decorator}\ndef test_it(agree):\n    """Claim."""\n'
    translations = in_chinese("suite", {"One.": "一。", "One, two.": "一，二。"})
    course = edited_course({"tests/hidden/test_rms.py": suite, "solutions/rms/zh.toml": translations})
    for language, text in (("en", english), ("zh", chinese)):
        speak(language)
        assert hint_of_test(course.exercise("rms"), "test_it") == text


@pytest.mark.parametrize("suite", ["def test_other(): ...\n", "def test_rows(:\n"])
def test_without_a_hint_in_the_suite_the_attempts_counts(suite: str, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"tests/hidden/test_rms.py": suite})
    assert texts(course, failed(), "en") == [OF_ROWS["en"], OWN["en"]]
