"""Tests of a course in two languages: learners read their own, and missing texts are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from chinese import in_chinese

from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.course.translations import hash_of
from normgrade.grading.grade import Submission, grade
from normgrade.language import speak
from normgrade.language.docstring import joined
from normgrade.language.errors import CourseError
from normgrade.language.places import Place, gradient_of
from normgrade.report.report import Outcome, Report
from normgrade.verify.missing_texts import missing_texts, unused
from normgrade.verify.verification import verify

EditedCourse = Callable[..., Course]
Edits = dict[str, list[tuple[str, str]] | str]
WORDS, SHARED, SAID = "exercises/rms/zh.toml", "exercises/zh.toml", "solutions/rms/zh.toml"
SUITE, ROW = "tests/hidden/test_rms.py", "row {number}"
NAMES = ("eps-outside-root", "one-for-all-rows", "sum-for-mean", "no-upcast")
SAYS = [
    ("eps is added to the root. It belongs inside.", "eps 加在根号外面。它应在根号内。"),
    ("All rows share one root mean square. Every row has its own.", "所有行共用一个均方根。每行应有自己的。"),
    ("The squares are added up. Average them.", "平方被相加。应取平均。"),
    ("The squares are computed in the dtype of the input, where they overflow. Widen it to float32 first.", "应先提升精度到 float32。"),
]
CLAIMS = [
    ("It can be called and returns a tensor of its input's shape.", "可以调用，返回的张量与输入形状相同。"),
    ("Every row is divided by its own root mean square.", "每一行都除以自己的均方根。"),
    ("A row alone gives what it gives among others.", "一行单独计算与在其他行中计算，结果相同。"),
    ("Half-precision input comes back in its own dtype, from float32 squares.", "半精度输入以自己的 dtype 返回。"),
]
HINTS = [("Average over the last dimension.", "在最后一维上求平均。"), ("Take the last dimension, wherever it is.", "取最后一维。")]
MESSAGE = ("the result should be of dtype float32, but is of {dtype}", "结果的 dtype 应为 float32，实际为 {dtype}")
UNSAID = [
    *zip(NAMES, SAYS, strict=True),
    *(("suite", said) for said in (*CLAIMS[:2], HINTS[0], CLAIMS[2], HINTS[1], CLAIMS[3])),
]  # as in the files
COMPUTED = 'f"the result should be of dtype float32, but is of {result.dtype}"'
CHINESE: Edits = {
    "course.toml": [('title = "A tiny course"', 'title = "A tiny course"\nlanguages = ["en", "zh"]')],
    WORDS: in_chinese("exercise", {"Root mean square": "均方根", "Square, average, take the root.": "平方、平均、开方。"})
    + in_chinese("places", {ROW: "第 {number} 行"}),
    SHARED: in_chinese("exercise", {"Functions": "函数"}),
    SAID: "".join(in_chinese(name, dict([says])) for name, says in zip(NAMES, SAYS, strict=True))
    + in_chinese("suite", dict((*CLAIMS, *HINTS, MESSAGE))),
    SUITE: [
        (COMPUTED, 'words("the result should be of dtype float32, but is of {dtype}", dtype=result.dtype)'),
        ("import call, claim, probe, randn, uniform", "import call, claim, probe, randn, uniform, words"),
    ],
}


@pytest.fixture(scope="module")
def bilingual(edited_course: EditedCourse) -> Course:
    course = edited_course(CHINESE)
    prompt = course.root / "exercises" / "rms" / "README.zh.md"
    prompt.write_text("# 均方根\n", encoding="utf-8")
    way = course.exercise("rms").alternatives[0]
    way.write_text(f'"""By einsum.\n\nzh: 用 einsum。\n"""\n\n{way.read_text(encoding="utf-8")}', encoding="utf-8")
    return course


@pytest.fixture
def chinese() -> None:
    speak("zh")


def graded(course: Course, folder: Path, source: str) -> Report:
    path = folder / "rms.py"
    path.write_text(source, encoding="utf-8")
    [report] = grade([Submission(course.exercise("rms"), path, path.name)])
    return report


SUM = "def rms(x, eps=1e-5):\n    return x / (x.float() ** 2).sum(-1, keepdim=True).add(eps) ** 0.5\n"
OTHER_DTYPE = "def rms(x, eps=1e-5):\n    return (x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5).double()\n"


@pytest.mark.usefixtures("chinese", "expectations")
def test_all_texts_of_a_course_are_chinese(bilingual: Course, tmp_path: Path) -> None:
    exercise = bilingual.exercise("rms")
    assert (exercise.title, exercise.group, exercise.hints) == ("均方根", "函数", ("平方、平均、开方。",))
    assert exercise.prompt.read_text(encoding="utf-8") == "# 均方根\n"
    assert [mistake.says for mistake in read_mistakes(exercise)] == [chinese for _english, chinese in SAYS]
    checks = {check.name: check for check in graded(bilingual, tmp_path, SUM).checks}
    assert checks["test_rows[shape0]"].claim == "每一行都除以自己的均方根。"
    assert checks["test_rows[shape0]"].hint == "在最后一维上求平均。"
    assert checks["test_alone"].differences[0].called == "第 1 行" and checks["test_alone"].differences[0].place == "row 1"
    assert checks["test_rows[shape0]"].differences[0].called == "结果"
    assert graded(bilingual, tmp_path, OTHER_DTYPE).checks[0].message.startswith("结果的 dtype 应为 float32，实际为 float64")


@pytest.mark.usefixtures("expectations")
def test_english_readers_see_no_chinese(bilingual: Course, tiny: Course, tmp_path: Path) -> None:
    ours, theirs = bilingual.exercise("rms"), tiny.exercise("rms")
    assert (ours.title, ours.group, ours.hints, ours.prompt.name) == (theirs.title, theirs.group, theirs.hints, "README.md")
    for source in (SUM, OTHER_DTYPE):
        told = [(check.claim, check.hint, check.message) for check in graded(bilingual, tmp_path, source).checks]
        assert told == [(check.claim, check.hint, check.message) for check in graded(tiny, tmp_path, source).checks]


@pytest.mark.usefixtures("chinese", "expectations")
def test_text_missing_in_chinese_is_shown_in_english(tiny: Course, tmp_path: Path) -> None:
    exercise = tiny.exercise("rms")
    assert (exercise.title, exercise.hints, exercise.prompt.name) == ("Root mean square", ("Square, average, take the root.",), "README.md")
    assert graded(tiny, tmp_path, SUM).checks[1].claim == "Every row is divided by its own root mean square."


# The proof of the texts


PLACES = (
    Place("output", step=1),
    Place("argument {number} left alone", number=1),
    Place(ROW, number=1),
    Place(ROW, number=2),
)


def lacks(path: str, place: str, english: str) -> str:
    return f"{path} lacks {place}.{hash_of(english)}, the translation of {english!r}."


def missing(course: Course, places: Sequence[Place] = PLACES) -> list[str]:
    exercise = course.exercise("rms")
    return list(missing_texts(exercise, "zh", places))


@pytest.mark.usefixtures("expectations")
def test_a_course_in_two_languages_is_proved_to_be(bilingual: Course) -> None:
    assert missing(bilingual) == []
    [report] = verify([bilingual.exercise("rms")])
    [check] = [check for check in report.checks if check.name == "texts"]
    assert check.outcome is Outcome.PASSED
    assert check.claim == "Every text for learners exists in each language of the course: English, 中文."


@pytest.mark.usefixtures("expectations")
def test_every_missing_text_is_named(edited_course: EditedCourse) -> None:
    course = edited_course({"course.toml": CHINESE["course.toml"]})
    named = [
        "exercises/rms/README.zh.md is missing.",
        *(lacks(WORDS, "exercise", text) for text in ("Root mean square", "Functions", "Square, average, take the root.")),
        lacks(WORDS, "places", ROW),
        *(lacks(SAID, place, english) for place, (english, _chinese) in UNSAID),
        'einsum.py: the docstring has no paragraph that begins with "zh: ".',
    ]
    assert missing(course) == named
    [report] = verify([course.exercise("rms")])
    assert [check.message.splitlines() for check in report.checks if check.name == "texts"] == [named]


def test_texts_of_shared_helpers_need_translations(edited_course: EditedCourse) -> None:
    course = edited_course(CHINESE)
    course.exercise("rms").suite.with_name("shared.py").write_text('words("{n} more", n=1)\n', encoding="utf-8")
    assert lacks(SAID, "suite", "{n} more") in missing(course)


@pytest.mark.usefixtures("expectations")
def test_gradient_of_an_own_place_needs_words(bilingual: Course) -> None:
    assert missing(bilingual, [gradient_of(ROW, number=1)]) == [lacks(WORDS, "places", f"gradient of {ROW}")]


def test_translation_of_a_text_that_is_gone_is_named(edited_course: EditedCourse) -> None:
    course = edited_course(
        {
            WORDS: in_chinese("places", {ROW: "行", f"gradient of {ROW}": "梯度"}) + in_chinese("exercise", {"Old title": "旧标题"}),
            SAID: in_chinese("sum-for-mean", {SAYS[0][0]: "平方被相加。"}),
        }
    )
    assert [line for line in missing(course) if "translates" in line] == [
        f"exercises/rms/zh.toml translates exercise.{hash_of('Old title')}, a text that is gone or has changed. Remove it.",
        f"solutions/rms/zh.toml translates sum-for-mean.{hash_of(SAYS[0][0])}, a text that is gone or has changed. Remove it.",
    ]


@pytest.mark.parametrize("languages", ['["zh"]', '["en", "fr"]', '"en"'])
def test_unsupported_languages_are_refused(edited_course: EditedCourse, languages: str) -> None:
    course = edited_course({"course.toml": f"languages = {languages}\n"})
    with pytest.raises(CourseError, match="languages: must be a list of "):
        course.exercise("rms")


@pytest.mark.parametrize(
    ("paragraph", "line"),
    [
        ("one\n    two", "one two"),
        ("每一行\n    都除以", "每一行都除以"),
        ("方差在\n    float32 中", "方差在 float32 中"),
        ("内，\n    外", "内，外"),
        ("a\n    中", "a 中"),
    ],
)
def test_lines_of_chinese_are_joined_without_a_space(paragraph: str, line: str) -> None:
    assert joined(paragraph) == line


# Shared parts that nobody uses


FALSE = '[wrong.rank]\nwhat = "The rank is never refused"\nedit = [["x.dim() != 2", "False"]]\n'


def idle(course: Course) -> list[str]:
    return list(unused([*course]))


def test_course_without_shared_files_has_nothing_unused(tiny: Course) -> None:
    assert idle(tiny) == []


@pytest.mark.parametrize(
    ("shared", "said"),
    [
        ('[no-upcast]\nremedy = "widen it"\n', []),
        ('[upcast]\nremedy = "widen it"\n', ["solutions/mistakes.toml: no exercise uses upcast. Remove it."]),
        ('["no-1.0"]\nremedy = "widen it"\n', ['solutions/mistakes.toml: no exercise uses "no-1.0". Remove it.']),
        (
            '[no-upcast]\nsays = "It is not widened."\nremedy = "widen it"\n',
            ["solutions/mistakes.toml: no exercise uses no-upcast.says. Remove it."],
        ),
    ],
)
def test_what_no_mistake_takes_is_idle(shared: str, said: list[str], edited_course: EditedCourse) -> None:
    assert idle(edited_course({"solutions/mistakes.toml": shared})) == said


def test_text_that_one_of_two_overrides_is_used(edited_course: EditedCourse) -> None:
    shared = '[no-upcast]\nsays = "It is not widened."\n'
    other = '[no-upcast]\nedit = [["x.dim() != 2", "False"]]\n'
    assert idle(edited_course({"solutions/mistakes.toml": shared, "solutions/centring/mistakes.toml": other})) == []


def test_what_no_wrong_answer_takes_is_idle(edited_course: EditedCourse) -> None:
    course = edited_course({"solutions/mistakes.toml": FALSE, "solutions/centring/mistakes.toml": "[wrong.rank]\n"})
    assert idle(course) == []
    course = edited_course({"solutions/mistakes.toml": FALSE, "solutions/centring/mistakes.toml": FALSE})
    assert idle(course) == [f"solutions/mistakes.toml: no exercise uses wrong.rank.{key}. Remove it." for key in ("what", "edit")]


def test_shared_translation_of_a_gone_text_is_idle(edited_course: EditedCourse) -> None:
    course = edited_course(
        {
            "course.toml": 'languages = ["en", "zh"]\n',
            "exercises/zh.toml": in_chinese("exercise", {"Layers": "层", "Old": "旧"}) + in_chinese("places", {"row {number}": "行"}),
            "solutions/zh.toml": in_chinese("sum-for-mean", {"The squares are added up. Average them.": "应取平均。", "Old.": "旧。"}),
        }
    )
    assert idle(course) == [
        f"exercises/zh.toml translates exercise.{hash_of('Old')}, a text that is gone or has changed. Remove it.",
        f"solutions/zh.toml translates sum-for-mean.{hash_of('Old.')}, a text that is gone or has changed. Remove it.",
    ]


def test_all_of_the_shared_files_is_used() -> None:
    assert idle(Course.find()) == []
