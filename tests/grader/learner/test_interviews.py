"""Tests of interviews and reviews: the draw, the time, the mistakes that come back, and everything that is kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.course.reading import MINUTES
from normgrade.language.errors import UsageError
from normgrade.learner.interviews import (
    Asked,
    Interview,
    Interviews,
    Review,
    Reviews,
    Slip,
    begin,
    changed,
    draw_questions,
    draw_tasks,
    file_of,
    from_row,
    hunts,
    interviews_of,
    question_of,
    refuse_in_interview,
    running_here,
    slips,
    status_in_words,
    told,
)
from normgrade.learner.standing import Attempt, Attempts, Record, records
from normgrade.learner.workspace import Workspace, new_workspace
from normgrade.report.report import Outcome

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)
PLAN = Interview(NOW, 30, "2026-03-01-1", ("rms",), (Asked("rms", 1),))
ENDED = replace(PLAN, slugs=("rms", "gone"), ended=NOW + timedelta(minutes=12))
PASSED = Attempt(NOW, "any", Outcome.PASSED, 8, 8)
# A row of an earlier version, which kept answers, marks and more about each exercise.
EARLIER = {
    "begun": "2026-03-01T09:05:07+00:00", "ended": "2026-03-01T09:17:07+00:00",
    "minutes": 30, "seed": 7, "folder": "2026-03-01-1", "number": 0,
    "tasks": [{"exercise": "rms", "earned": 5, "possible": 8, "passed": False, "mistakes": ["eps-missing"], "saved_s": 90}],
    "asked": [{"exercise": "rms", "number": 1, "answer": "Because.", "mark": 2}],
}  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    workspace = new_workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    return workspace


@pytest.fixture
def interviews(workspace: Workspace) -> Interviews:
    return interviews_of(workspace)


def test_interviews_are_read_back(interviews: Interviews) -> None:
    assert interviews.all() == [] and interviews.running() is None and not interviews.kept.path.exists()
    first = interviews.begin(PLAN)
    assert first == replace(PLAN, number=1) == interviews.running()
    interviews.keep(replace(ENDED, number=1))
    assert interviews.running() is None and interviews.all() == [replace(ENDED, number=1)]
    assert interviews.begin(PLAN).number == 2 and len(interviews.all()) == 2


def test_an_earlier_interview_is_read() -> None:
    assert from_row((3, json.dumps(EARLIER))) == replace(ENDED, slugs=("rms",), number=3)


def test_only_one_interview_runs(interviews: Interviews) -> None:
    interviews.begin(PLAN)
    with pytest.raises(UsageError, match=r"^An interview is already running\. Run `normgrade interview` to continue it\.$"):
        interviews.begin(PLAN)
    assert len(interviews.all()) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        *({"folder": name} for name in ("../x", "..", "", "a\0")),
        *({"minutes": minutes} for minutes in ("x", 10**12, float("inf"))),
        {"tasks": 3},
        {"tasks": [3]},
        {"tasks": [{}]},
        {"asked": [{"exercise": "rms"}]},
        {"begun": "soon"},
        {"ended": 3},
    ],
)
def test_invalid_interviews_are_refused(interviews: Interviews, wrong: dict[str, Any]) -> None:
    interviews.begin(PLAN)
    values = json.loads(told(PLAN)) | wrong
    with interviews.kept.changing() as database:
        database.execute("UPDATE interviews SET told = ?", (json.dumps(values),))
    with pytest.raises(UsageError, match="cannot be read or written"):
        interviews.all()
    assert running_here() is None  # a mere query does not fail


def test_shown_texts_cannot_steer_a_terminal() -> None:
    steering = replace(ENDED, slugs=("\x1b[2J",), asked=(Asked("\x1b[2J", 1),))
    assert "\x1b" not in repr(from_row((1, told(steering)))).replace("\\x1b", "\x1b")


def test_an_interview_has_its_own_files(workspace: Workspace, tiny: Course) -> None:
    rms, centring = tiny.exercise("rms"), tiny.exercise("centring")
    assert file_of(rms, None) == workspace.root / "rms.py" and file_of(centring, PLAN) == workspace.root / "centring.py"
    assert file_of(rms, PLAN) == workspace.root / "interviews" / "2026-03-01-1" / "rms.py"


def test_help_is_refused_during_an_interview(interviews: Interviews) -> None:
    refuse_in_interview("normgrade hint")
    begun = interviews.begin(replace(PLAN, begun=datetime.now(UTC) - timedelta(minutes=9, seconds=30)))
    for begins, said in (
        (begun.begun, "Interview 2026-03-01-1: 21 of 30 minutes are left, until "),
        (NOW, "The time of your interview is over. Run `normgrade interview` to end it and see the result."),
    ):
        interviews.keep(replace(begun, begun=begins))
        with pytest.raises(UsageError) as refused:
            refuse_in_interview("normgrade hint")
        assert str(refused.value).startswith(f"`normgrade hint` is not available during an interview. {said}")
    interviews.keep(replace(begun, ended=NOW))
    refuse_in_interview("normgrade hint")


def test_the_status_tells_the_time() -> None:
    said = status_in_words(PLAN, NOW + timedelta(minutes=29, seconds=30))
    assert said.startswith("Interview 2026-03-01-1: 1 of 30 minutes is left, until ")
    over = "The time of your interview is over. Run `normgrade interview` to end it and see the result."
    assert status_in_words(PLAN, NOW + timedelta(minutes=30)) == over


def test_the_time_left_stays_within_its_limits() -> None:
    minutes = [PLAN.left(NOW + timedelta(minutes=passed)) // timedelta(minutes=1) for passed in (-60, 0, 29, 30, 99)]
    assert minutes == [30, 30, 1, 0, 0]
    assert not PLAN.is_over(NOW + timedelta(minutes=29)) and PLAN.is_over(NOW + timedelta(minutes=30))


# The draw


def test_an_interview_begins_with_fresh_files_and_is_kept(workspace: Workspace, tiny: Course) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    interview = begin(workspace, tiny, 30, 4, now, Random(3))
    assert interview == Interview(now, 30, f"{now:%Y-%m-%d}-1", ("rms", "centring"), (Asked("rms", 1),), number=1)
    assert interviews_of(workspace).running() == interview
    assert sorted(path.name for path in (workspace.root / "interviews" / interview.folder).iterdir()) == ["centring.py", "rms.py"]
    assert not (workspace.root / "rms.py").exists()
    assert question_of(tiny, interview.asked[0]).text == "Why is eps inside the root?"


def test_a_time_into_which_nothing_fits_is_refused(workspace: Workspace, tiny: Course) -> None:
    with pytest.raises(UsageError, match=r"^Nothing up to level 4 fits into 4 minutes\. Use a higher --level, or more --minutes\.$"):
        begin(workspace, tiny, 4, 4, NOW, Random(0))
    assert not (workspace.root / "interviews").exists()


@pytest.fixture(scope="module")
def course(tiny: Course) -> list[Record]:
    """Return records of three parts, each with four exercises, one for each level."""
    rms = tiny.exercise("rms")
    return [
        Record(replace(rms, slug=f"{group}{level}", group=group, level=level, order=10 * n + level, minutes=MINUTES[level]), (), False)
        for n, group in enumerate("abc")
        for level in MINUTES
    ]


def slugs(records: list[Record]) -> list[str]:
    return [record.exercise.slug for record in records]


@pytest.mark.parametrize("minutes", [5, 24, 30, 60, 240])
@pytest.mark.parametrize("seed", range(5))
def test_drawn_tasks_fill_the_time(course: list[Record], minutes: int, seed: int) -> None:
    drawn = draw_tasks(course, minutes, Random(seed))
    left = minutes - sum(record.exercise.minutes for record in drawn)
    others = [record.exercise.minutes for record in course if record not in drawn]
    assert left >= 0 and all(needed > left for needed in others)
    assert [record.exercise.level for record in drawn] == sorted(record.exercise.level for record in drawn)


def test_important_exercises_are_drawn_more_often(course: list[Record]) -> None:
    vital = [replace(record, exercise=replace(record.exercise, importance=5 if record.exercise.group == "b" else 1)) for record in course]
    first = Counter(draw_tasks(vital, 5, Random(seed))[0].exercise.group for seed in range(200))
    assert set(first) == {"a", "b", "c"} and first["b"] > 2 * first["a"] and first["b"] > 2 * first["c"]


def test_a_seed_repeats_its_draw(course: list[Record]) -> None:
    draws = [tuple(slugs(draw_tasks(course, 30, Random(seed)))) for seed in range(20)]
    assert draws == [tuple(slugs(draw_tasks(course, 30, Random(seed)))) for seed in range(20)] and len(set(draws)) > 5


def test_tasks_are_distinct(course: list[Record]) -> None:
    drawn = slugs(draw_tasks(course, 1000, Random(1)))
    assert sorted(drawn) == sorted(slugs(course))
    assert draw_tasks(course, 4, Random(1)) == []


@pytest.mark.parametrize("seed", range(10))
def test_exercises_that_have_not_passed_come_first(course: list[Record], seed: int) -> None:
    passed = [replace(record, attempts=(PASSED,)) if record.exercise.group != "b" else record for record in course]
    assert {slug[0] for slug in slugs(draw_tasks(passed, 30, Random(seed)))} == {"b"}
    assert draw_tasks([replace(record, attempts=(PASSED,)) for record in course], 30, Random(seed)) != []


@pytest.mark.parametrize("seed", range(10))
def test_an_open_prerequisite_shuts_nothing_out(course: list[Record], seed: int) -> None:
    waiting = [replace(record, before=("x",)) if record.exercise.group != "c" else record for record in course]
    assert slugs(draw_tasks(waiting, 60, Random(seed))) == slugs(draw_tasks(course, 60, Random(seed)))


def test_a_new_workspace_is_asked_for_what_interviews_ask() -> None:
    new = records(Course.find(None), None)
    for minutes in (24, 48):  # without the questions of 30 and of 60 minutes
        drawn = Counter(record.exercise.slug for seed in range(100) for record in draw_tasks(new, minutes, Random(seed)))
        assert min(drawn[slug] for slug in ("layer_norm", "rms_norm", "batch_norm", "cross_entropy", "softmax_backward")) >= 4
        important = sum(count for slug, count in drawn.items() if importance_of(new)[slug] >= 4)
        assert important > drawn.total() / 2


def test_questions_come_from_important_exercises() -> None:
    new = [*Course.find(None)]
    importance = {each.slug: each.importance for each in new}
    asked = [importance[each.exercise] for seed in range(20) for each in draw_questions(new, [], 3, Random(seed))]
    assert asked.count(5) > asked.count(1) + asked.count(2)


def importance_of(found: list[Record]) -> dict[str, int]:
    return {record.exercise.slug: record.exercise.importance for record in found}


@pytest.mark.parametrize("seed", range(10))
def test_parts_are_mixed(course: list[Record], seed: int) -> None:
    groups = Counter(slug[0] for slug in slugs(draw_tasks([each for each in course if each.exercise.level <= 2], 60, Random(seed))))
    assert len(groups) == 3 and max(groups.values()) <= 2


def test_questions_prefer_new_ones_of_many_exercises() -> None:
    exercises = [*Course.find(None)]
    groups = {each.slug: each.group for each in exercises}
    assert len({groups[each.exercise] for each in draw_questions(exercises, [], 3, Random(5))}) == 3
    known = draw_questions(exercises, [], 1000, Random(5))
    assert len({*known}) == len(known) >= 3 * len(exercises)
    others = [each for each in known if each != known[7]]
    assert draw_questions(exercises, others, 1, Random(5)) == [known[7]]
    assert draw_questions(exercises, [], 0, Random(5)) == []


# Reviews


DAY = timedelta(days=1)


def made(*mistakes: str, day: int = 0, exercise: str = "rms") -> Attempt:
    return Attempt(NOW + day * DAY, exercise, Outcome.FAILED, 3, 8, mistakes)


def review(knew: bool, day: int, mistake: str = "a") -> Review:
    return Review(NOW + day * DAY, "rms", mistake, knew)


def test_a_mistake_comes_back_after_a_day() -> None:
    [slip] = slips([made("a"), made("a", day=2), made(day=3)], [])
    assert slip == Slip("rms", "a", 1, NOW + 2 * DAY, NOW + 2 * DAY) and slip.due == NOW + 3 * DAY


@pytest.mark.parametrize(
    ("reviews", "found", "due"),
    [
        ([(True, 1)], 1, 4),
        ([(True, 1), (True, 4)], 2, 11),
        ([(True, 1), (True, 4), (False, 11)], 0, 12),
        ([(True, day) for day in range(9)], 9, 68),
    ],
)
def test_intervals_grow_with_each_success(reviews: list[tuple[bool, int]], found: int, due: int) -> None:
    [slip] = slips([made("a")], [review(knew, day) for knew, day in reviews])
    assert (slip.found, slip.due, slip.made) == (found, NOW + due * DAY, NOW)


def test_repeating_a_mistake_starts_over() -> None:
    [slip] = slips([made("a"), made(day=8), made("a", day=9)], [review(True, 1), review(True, 4)])
    assert (slip.times, slip.found, slip.due) == (2, 0, NOW + 10 * DAY)


def test_slips_are_ordered_by_their_due_date() -> None:
    found = slips([made("b", "c", day=1), made("a"), made("a", exercise="centring", day=3)], [review(True, 0, "d")])
    assert [(slip.exercise, slip.mistake) for slip in found] == [("rms", "a"), ("rms", "b"), ("rms", "c"), ("centring", "a")]


def test_reviews_are_read_back(tmp_path: Path) -> None:
    kept = Reviews(Attempts(tmp_path / "kept" / "progress.db"))
    assert kept.all() == []
    for each in (review(True, 1), review(False, 2)):
        kept.add(each)
    assert kept.all() == [review(True, 1), review(False, 2)]
    with kept.kept.changing() as database:
        database.execute("UPDATE reviews SET at = 'soon'")
    with pytest.raises(UsageError, match="cannot be read or written"):
        kept.all()


def test_the_question_is_a_solution_with_the_mistake(tiny: Course) -> None:
    [mistake] = [each for each in read_mistakes(tiny.exercise("rms")) if each.name == "sum-for-mean"]
    slip = slips([made("sum-for-mean")], [])[0]
    [hunt] = hunts(tiny, [slip, replace(slip, mistake="gone"), replace(slip, exercise="gone")], {"rms", "gone"})
    assert (hunt.slip, hunt.mistake.name, hunt.source) == (slip, "sum-for-mean", mistake.source)
    assert ["sum(" in hunt.source.splitlines()[line - 1] for line in hunt.lines] == [True]


def test_no_solution_is_revealed(tiny: Course, edited_course: Callable[..., Course]) -> None:
    found = slips([made("sum-for-mean")], [])
    assert [*hunts(tiny, found, {"centring"})] == []
    secret = edited_course({"exercises/rms/exercise.toml": [("points = 8\n", 'points = 8\nreveal = "claims"\n')]})
    assert [*hunts(secret, found, {"rms"})] == []


@pytest.mark.parametrize(
    ("right", "wrong", "lines"),
    [
        ("abc", "aXc", (2,)),
        ("abc", "abcd", (4,)),
        ("abcd", "acd", (1, 2)),
        ("abc", "bc", (1,)),
        ("abc", "ab", (2,)),
        ("abcd", "XbYd", (1, 3)),
    ],
)
def test_the_lines_of_a_mistake_are_those_that_differ(right: str, wrong: str, lines: tuple[int, ...]) -> None:
    assert changed(right, wrong) == lines
