"""Tests of the proofs of a course: a sound one passes, and every defect is found and named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest

from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.package import carried
from normgrade.course.tensor_library import Library
from normgrade.diagnosis.footprints import Footprints
from normgrade.grading import parallel
from normgrade.grading.grading_options import OnProgress, Options
from normgrade.grading.parallel import Job, Opened
from normgrade.grading.run import Run
from normgrade.language.errors import CourseError
from normgrade.report.report import Check, Kind, Outcome, Report
from normgrade.suite.collection import collect
from normgrade.suite.situations import SITUATIONS
from normgrade.suite.suite import HiddenTest
from normgrade.verify import plays, verification
from normgrade.verify.habits import fitting
from normgrade.verify.mutants import mutants_of
from normgrade.verify.plays import Plays
from normgrade.verify.proofs import in_words
from normgrade.verify.verification import Proved, sliced, verify
from normgrade.worker.walls import TIERS

pytestmark = pytest.mark.usefixtures("expectations")
EditedCourse = Callable[..., Course]
Edits = dict[str, list[tuple[str, str]] | str]
CLAIMS = {  # of `rms`
    "complete": "The exercise is complete: no file, text, hint or mistake is missing.",
    "contract": "The stub, the reference and the alternatives define all names of the contract, by hand.",
    "bans": "Every banned or allowed name exists.",
    "points": "The points of the suite sum to 8.",
    "situations": "0 situations are played; 33 are left out, with a reason.",
    "shipped": "The files that ship with the exercise match the results computed here.",
    "suite": "The suite and its probes can be played.",
    "stub": "The untouched stub fails.",
    "idle": "Code that computes nothing earns at most a tenth of the points.",
    "right": "The reference and 1 alternative pass.",
    "wrong": "4 wrong answers fail.",
    "named": "Every known mistake is diagnosed by its own name, and by no other.",
}
REFERENCE, SUITE = "solutions/rms/reference.py", "tests/hidden/test_rms.py"
ALTERNATIVE, MISTAKES, STUB = "solutions/rms/alternatives/einsum.py", "solutions/rms/mistakes.toml", "exercises/rms/rms.py"
ROOT = ("torch.sqrt(mean_square + eps)", "torch.sqrt(mean_square + 2 * eps)")
RIGHT = "def rms(x, eps=1e-5):\n    return (x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5).type_as(x)\n"
LIBRARY = "from torch.nn.functional import rms_norm\n\n\ndef rms(x, eps=1e-5):\n    return rms_norm(x, x.shape[-1:], None, eps)\n"
TWIN = """
[no-mean]
says = "There is no mean."
edit = [["wide.square().mean(dim=-1", "wide.pow(2).sum(dim=-1"]]
"""
HARMLESS = """
[harmless]
says = "It does nothing."
edit = [["wide.square()", "(wide * wide)"]]
"""


def known(course: Course) -> str:
    """Return the text of the file of known mistakes, to which others can be added."""
    return (course.root / MISTAKES).read_text(encoding="utf-8") + "\n"


def failures(report: Report) -> dict[str, str]:
    """Return the messages of the proofs that did not pass. Skip proofs without points."""
    return {check.name: check.message for check in report.checks if check.outcome is not Outcome.PASSED and check.points}


def proved(course: Course) -> Report:
    [report] = verify([course.exercise("rms")])
    return report


def test_a_sound_course_is_proved_on_every_seed(tiny: Course) -> None:
    told: list[tuple[str, int, int]] = []
    rms, centring = verify(list(tiny), seeds=(0, 1), options=Options(progress=lambda *what: told.append(what)))
    assert failures(rms) == failures(centring) == {}
    assert {check.name: check.claim for check in rms.checks} == CLAIMS
    assert [check.name for check in centring.checks] == list(CLAIMS)
    assert (rms.exercise, rms.submission, rms.outcome) == ("rms", "solutions/rms", Outcome.PASSED)
    assert (rms.earned, rms.possible, rms.sandbox in TIERS, rms.seed) == (11, 11, True, 0)
    assert [(done, total) for _, done, total in told] == [(done, 35) for done in range(1, 36)]
    assert Counter(what for what, _, _ in told) == {
        "rms: right answers": 4, "rms: mistakes": 8, "rms: diagnoses": 4,
        "centring: right answers": 4, "centring: mistakes": 10, "centring: diagnoses": 5,
    }  # fmt: skip


BEFORE_THE_LAST = "[no-upcast]"
BROKEN: dict[str, Edits] = {
    "in many ways": {
        STUB: "def rsm(x, eps=1e-5):\n    raise NotImplementedError\n",
        SUITE: [('"precision")', '"precision", points=3)')],
        ALTERNATIVE: [("/ x.shape[-1]", "/ 2")],
        MISTAKES: [(BEFORE_THE_LAST, f"{HARMLESS}{TWIN}\n{BEFORE_THE_LAST}")],
    },
    "in other ways": {
        STUB: RIGHT,
        SUITE: [("randn(4, 8) * 300", "randn(4, 8)")],
        ALTERNATIVE: LIBRARY,
    },
    "in its suite": {SUITE: [('agree(probe("row', 'agree(1 + probe("row')], ALTERNATIVE: [(").to(x.dtype)", ")")]},
}


@pytest.fixture(scope="module", params=BROKEN)
def broken(request: pytest.FixtureRequest, edited_course: EditedCourse, expectations: Path) -> tuple[str, dict[str, str]]:
    """Return the name of a defect, and the messages of the proofs that failed because of it."""
    report = proved(edited_course(BROKEN[request.param]))
    assert report.outcome is Outcome.FAILED
    return request.param, failures(report)


UNDECIDED = "undecided: the suite itself is broken"
TOLD = {
    "in many ways": {
        "contract": "rms.py, line 1: The file does not define `rms`, but it defines `rsm`. Rename it.",
        "points": "The sum is 10: tests 10 (test_call 1, test_rows 4, test_alone 2, test_half_precision 3).",
        "right": "einsum.py, seed 0: test_rows[shape0] failed · result",
        "wrong": "harmless, seed 0: passes every check.",
        "named": "no-mean, seed 0: diagnosed as sum-for-mean or no-mean.",
    },
    "in other ways": {
        "contract": "einsum.py, line 5: This line uses `torch.nn.functional.rms_norm`, which must be written by hand.",
        "right": "einsum.py, seed 0: test_call failed · ByHand: this calls `torch.rms_norm`, which the exercise bans",
        "stub": "It passes.",
        "wrong": "no-upcast, seed 0: passes every check.",
    },
    "in its suite": {
        "suite": f"{SUITE}, line 24: TypeError: unsupported operand type(s) for +: 'int' and 'OwnProbe' (test_alone)",
        "right": "einsum.py, seed 0: test_half_precision failed · result",
        "stub": UNDECIDED,
        "idle": UNDECIDED,
        "wrong": UNDECIDED,
        "named": UNDECIDED,
    },
}


def test_defects_are_found_and_named(broken: tuple[str, dict[str, str]]) -> None:
    way, found = broken
    assert found.keys() == TOLD[way].keys()
    assert [proof for proof, says in TOLD[way].items() if says not in found[proof]] == []


def test_only_the_broken_proof_fails(edited_course: EditedCourse) -> None:
    report = proved(edited_course({ALTERNATIVE: [("/ x.shape[-1]", "/ 2")]}))
    assert failures(report).keys() == {"right"} and report.earned == 10
    *told, command = failures(report)["right"].splitlines()
    assert {line.partition(",")[0] for line in told} == {"einsum.py"}
    assert command == f"Run `normgrade verify rms --alternative einsum -v --course {report.course}` to see all of it."


def test_error_of_the_suite_is_reported_once(edited_course: EditedCourse) -> None:
    """Report it once, although six answers meet it on two seeds, in five checks each."""
    course = edited_course({"exercises/rms/probes.py": [("return {", "return {{")]})
    [report] = verify([course.exercise("rms")], seeds=(0, 1), cores=2)
    found = failures(report)
    assert found["suite"] == "exercises/rms/probes.py, line 8: SyntaxError: '{' was never closed (test_call and 4 more checks)"
    assert found == {"suite": found["suite"], **dict.fromkeys(("stub", "idle", "right", "wrong", "named"), UNDECIDED)}


def test_unrecognised_mistake_is_named_with_a_command(edited_course: EditedCourse) -> None:
    report = proved(edited_course({MISTAKES: [(BEFORE_THE_LAST, f"{TWIN}\n{BEFORE_THE_LAST}")]}))
    *_told, command = failures(report)["named"].splitlines()
    assert command == f"Run `normgrade verify rms --mistake sum-for-mean -v --course {report.course}` to see all of it."


def test_only_a_sample_of_wrong_answers_is_played(edited_course: EditedCourse) -> None:
    course = edited_course({MISTAKES: [(BEFORE_THE_LAST, f"{HARMLESS}{TWIN}\n{BEFORE_THE_LAST}")]})
    exercise = course.exercise("rms")
    [whole], [sampled] = verify([exercise]), verify([exercise], mutants=True, sample=7)
    assert {"wrong", "named"} <= failures(whole).keys() and failures(sampled) == {"wrong": failures(whole)["wrong"]}
    told = "1 known mistake, one of every 7, is diagnosed by its own name, and by no other."
    claims = {check.name: check.claim for check in sampled.checks}
    mutants = claims.pop("mutants")
    assert claims == {**CLAIMS, "wrong": "6 wrong answers fail.", "named": told}
    assert mutants.startswith(f"Of {-(-len(mutants_of(read_text(exercise.reference))) // 7)} mutants of the reference")


@pytest.mark.parametrize(("parts", "slices"), [(1, [(0, 1, 2)]), (2, [(0,), (1, 2)]), (3, [(0,), (1,), (2,)]), (7, [(0,), (1,), (2,)])])
def test_seeds_are_shared_out_to_jobs(parts: int, slices: list[tuple[int, ...]]) -> None:
    assert sliced(range(3), parts, answers=50) == slices


def test_number_of_cores_does_not_change_the_report(tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    shared_out: list[list[int]] = []

    def over_cores(jobs: Sequence[Job[Proved]], cores: int, progress: OnProgress, opened: Opened | None = None) -> list[Proved]:
        shared_out.append([job.units for job in jobs])
        return parallel.over_cores(jobs, 1, progress, opened)

    monkeypatch.setattr(verification, "over_cores", over_cores)
    verify([tiny.exercise("rms")], (0, 1), cores=2)
    monkeypatch.setattr(verification, "SLICE", 6)
    one, two = (verify([tiny.exercise("rms")], (0, 1), cores=cores) for cores in (1, 2))
    assert shared_out == [[16], [16], [10, 6]]  # two right answers and four mistakes on each seed, and four diagnoses; so few are one job
    plain = [[(check.name, check.claim, check.outcome, check.message) for check in report.checks] for [report] in (one, two)]
    assert plain[0] == plain[1]


def test_ban_that_matches_nothing_is_named(edited_course: EditedCourse) -> None:
    edits: Edits = {
        "exercises/rms/exercise.toml": [("hints =", 'banned = ["torch.rms_nrom", "torch.var"]\nhints =')],
        "course.toml": [('"torch.nn.functional.*_norm"', '"torch.nn.functional.*_nrom"')],
    }
    assert failures(proved(edited_course(edits)))["bans"].splitlines() == [
        'course.toml: "torch.nn.functional.*_nrom" matches nothing that exists.',
        'exercise.toml: "torch.rms_nrom" matches nothing that exists.',
    ]


def test_submissions_that_break_the_ban_must_be_refused(edited_course: EditedCourse) -> None:
    hidden = LIBRARY.replace("from torch.nn.functional import rms_norm", "import torch\n\nrms_norm = getattr(torch, 'rms' + '_norm')")
    folder = "solutions/rms/banned"
    edits = {f"{folder}/read.py": LIBRARY, f"{folder}/run.py": hidden, f"{folder}/wrong.py": "def rms(x, eps=1e-5):\n    return x\n"}
    report = proved(edited_course({**edits, "exercises/rms/exercise.toml": [("hints =", 'banned = ["torch.rms_norm"]\nhints =')]}))
    assert [check.claim for check in report.checks if check.name == "banned"] == ["3 submissions with banned calls are refused."]
    assert failures(report) == {"banned": "banned/wrong.py: it is not refused."}


def test_mistake_that_changes_only_the_shape_is_named(edited_course: EditedCourse) -> None:
    """Tell the root mean square with a last dimension of length one from the one without."""
    reference = "import torch\n\n\ndef rms(x, eps=1e-5):\n    wide = x.to(torch.promote_types(x.dtype, torch.float32))\n"
    reference += "    return torch.sqrt(wide.square().mean(dim=-1) + eps).to(x.dtype)\n"
    kept = '[kept]\nsays = "Drop the dimension."\nedit = [["mean(dim=-1)", "mean(dim=-1, keepdim=True)"]]\n'
    total = '[sum]\nsays = "Average them."\nedit = [["mean(dim=-1)", "sum(dim=-1)"]]\n'
    course = edited_course({REFERENCE: reference, MISTAKES: kept + total})
    (course.root / ALTERNATIVE).unlink()
    assert failures(proved(course)) == {}


def test_wrong_reference_is_caught_by_the_alternatives(edited_course: EditedCourse) -> None:
    edits = {REFERENCE: [ROOT], MISTAKES: [('"torch.sqrt(mean_square + eps)"', '"torch.sqrt(mean_square + 2 * eps)"')]}
    found = failures(proved(edited_course(edits)))
    assert found["right"].startswith("einsum.py, seed 0: test_rows[shape0] failed · result")


def test_agreeing_alternatives_blame_the_reference(edited_course: EditedCourse) -> None:
    edits: Edits = {REFERENCE: [ROOT], MISTAKES: [('"torch.sqrt(mean_square + eps)"', '"torch.sqrt(mean_square + 2 * eps)"')]}
    found = failures(proved(edited_course({**edits, "solutions/rms/alternatives/second.py": RIGHT})))
    told = found["right"].splitlines()
    assert told[0] == ("The 2 alternatives agree with each other, but differ from the reference: the reference is probably wrong.")
    assert told[1].startswith("einsum.py, seed 0: test_rows[shape0] failed · result")


def test_reference_that_fails_its_suite_is_named(edited_course: EditedCourse) -> None:
    """Find a reference whose float32 path differs from its float64 path."""
    edits = {REFERENCE: [("return (wide", "wide = wide * (2 if x.dtype == torch.float32 else 1)\n    return (wide")]}
    found = failures(proved(edited_course(edits)))
    assert found["right"].splitlines()[0].startswith("reference.py, seed 0: test_rows[shape0] failed · result")


def test_a_mistake_that_is_no_python_is_named(edited_course: EditedCourse) -> None:
    broken = '[broken]\nsays = "It is."\nedit = [["wide.square()", "wide.square("]]\n'
    report = proved(edited_course({MISTAKES: [(BEFORE_THE_LAST, broken + BEFORE_THE_LAST)]}))
    [told] = failures(report)["wrong"].splitlines()
    assert told.startswith("broken: not valid Python: ") and told.endswith(" (line 10).")  # the text between is Python's


def test_edits_that_do_not_fit_end_the_proof(edited_course: EditedCourse) -> None:
    course = edited_course({MISTAKES: [("torch.sqrt(mean_square + eps)", "torch.sqrt(nothing)")]})
    with pytest.raises(CourseError, match=r"must occur exactly once in reference\.py, not 0 times"):
        proved(course)


# Mutants


def test_every_mutant_is_killed_or_accepted(tiny: Course) -> None:
    rms, centring = verify(list(tiny), mutants=True, cores=2)
    assert failures(rms) == failures(centring) == {}
    assert [check.claim for report in (rms, centring) for check in report.checks if check.name == "mutants"] == [
        "Of 24 mutants of the reference, 24 are killed and 0 accepted as equivalent.",
        "Of 56 mutants of the reference, 55 are killed and 1 accepted as equivalent.",
    ]


def test_only_process_ending_mutants_get_their_own_process(edited_course: EditedCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    course = edited_course({REFERENCE: [("return (wide", "if eps < 0:\n        raise SystemExit\n    return (wide")]})
    mutants = mutants_of(read_text(course.exercise("rms").reference))
    played: list[str] = []
    alone = Plays.alone

    def recorded(each: Plays, source: str, seed: int) -> Generator[Result]:
        played.append(source)
        return alone(each, source, seed)

    monkeypatch.setattr(Plays, "alone", recorded)
    [report] = verify([course.exercise("rms")], mutants=True)
    ended = {mutant.now: str(mutant) for mutant in mutants if mutant.source in played}
    assert ended.keys() == {"if eps > 0:", "if eps < 1:", "if True:"}
    assert not any(mutant in failures(report)["mutants"] for mutant in ended.values())  # others survive: no test has an eps below 0


def test_survivors_and_needless_acceptances_are_listed(tiny: Course, edited_course: EditedCourse) -> None:
    """Change the suite so that it no longer checks half precision, and accept a mutant that does not survive."""
    course = edited_course({SUITE: [("randn(4, 8) * 300", "randn(4, 8)")], MISTAKES: known(tiny) + ACCEPTED})
    [report] = verify([course.exercise("rms")], mutants=True)
    told = failures(report)["mutants"].splitlines()
    assert "line 9: `wide = x.to(torch.promote_types(x.dtype, torch.float32))` → `wide = x` survives." in told
    what_to_do = (
        "Play an input that shows the difference. If there is no such input, accept it in solutions/rms/mistakes.toml with a reason:"
    )
    start = told.index(what_to_do)
    assert told[start + 1 : start + 5] == [
        "",
        "    [[equivalent]]",
        '    change = ["wide = x.to(torch.promote_types(x.dtype, torch.float32))", "wide = x"]',
        '    reason = ""',
    ]
    assert told[-1] == "mistakes.toml accepts `a + b` → `b + a`, which does not survive."


# Habits


def test_surviving_and_needlessly_left_out_habits_are_reported(edited_course: EditedCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    left_out = '[habits]\nwarnings-silenced = "nobody looks"\nseed-sat = "a slip"\nwrong-beyond-4096-channels = "an error"\n\n[left_out]'
    course = edited_course(
        {
            "exercises/rms/exercise.toml": [("[left_out]", left_out)],
            SUITE: [("randn(4, 8) * 300", "randn(4, 4100) * 300")],
            "solutions/habits_torch.py": read_text(Course(carried()).files("rms").shared_habits(Library.TORCH)),
        }
    )
    names = "wrong-beyond-4096-channels", "denormals-flushed", "warnings-silenced"
    some = tuple(habit for habit in fitting(course.exercise("rms")) if habit.name in names)
    for module in (plays, verification):
        monkeypatch.setattr(module, "fitting", lambda _exercise: some)
    [report] = verify([course.exercise("rms")], habits=True)
    assert failures(report)["habits"].splitlines() == [
        "denormals-flushed survives: The smallest numbers are flushed to 0.",
        "seed-sat is left out, but it does not apply to this exercise.",
        "wrong-beyond-4096-channels is left out, but does not survive.",
    ]
    assert [check.claim for check in report.checks if check.name == "habits"] == [
        "Of 3 habits, 1 are killed and 1 left out, with a reason."
    ]


ACCEPTED = '[[equivalent]]\nchange = ["a + b", "b + a"]\nreason = "It is the same."\n'


def test_check_in_words_has_name_outcome_and_message() -> None:
    assert in_words(Check("test_x", "It holds.", Kind.FORMULA, Outcome.SKIPPED, 1, message="no need")) == "test_x skipped · no need"


def test_situation_neither_played_nor_left_out_is_named(edited_course: EditedCourse) -> None:
    left_out = [('all = "a course for tests"', 'as_built = "a function has no state"')]
    said = failures(proved(edited_course({"exercises/rms/exercise.toml": left_out})))["situations"].splitlines()
    assert len(said) == len(SITUATIONS) - 1
    assert said[0] == "called: the suite has no typical uses. Define `typical()`, or leave the situation out with a reason."


def test_wrong_answers_without_a_name_must_fail_too(tiny: Course, edited_course: EditedCourse) -> None:
    sneaky = '[wrong.sneaky]\nwhat = "Nothing at all"\nedit = [["wide.square()", "(wide * wide)"]]\n'
    plain = '[wrong.plain]\nwhat = "Nothing is divided"\nfile = "wrong/plain.py"\n'
    edits: Edits = {MISTAKES: known(tiny) + sneaky + plain, "solutions/rms/wrong/plain.py": "def rms(x, eps=1e-5):\n    return x\n"}
    report = proved(edited_course(edits))
    assert failures(report) == {"wrong": "sneaky (Nothing at all), seed 0: passes every check."}
    assert [check.claim for check in report.checks if check.name == "wrong"] == ["6 wrong answers fail."]


def test_wrong_answers_are_not_played_if_reference_fails(edited_course: EditedCourse) -> None:
    """Play no wrong answer if the suite rejects everything at one place, since failures there prove nothing."""
    told: list[str] = []
    edits = {SUITE: [('agree(probe("row', 'assert False, "never"\n    agree(probe("row')], MISTAKES: HARMLESS}
    [report] = verify([edited_course(edits).exercise("rms")], options=Options(progress=lambda what, *_: told.append(what)))
    found = failures(report)
    assert found["right"].startswith("reference.py, seed 0: test_alone failed · never")
    assert found["wrong"] == found["named"] == "undecided: the reference itself fails"
    assert {each.outcome for each in report.checks if each.name in ("wrong", "named")} == {Outcome.SKIPPED}
    assert told == ["rms: right answers"] * 2


def test_a_wrong_answer_is_played_until_it_fails(edited_course: EditedCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play every check only with the public seed, for the diagnosis; with every other seed the first failure is enough."""
    judged: Counter[int] = Counter()
    play = Run.result_of

    def counted(run: Run, test: HiddenTest) -> Result:
        judged[run.reference_run.seed] += 1
        return play(run, test)

    monkeypatch.setattr(Run, "result_of", counted)
    exercise = edited_course({}).exercise("rms")
    verify([exercise], seeds=(0, 1))
    tests, mistakes, right = len(collect([exercise])["rms"].tests), 4, 2
    assert judged[0] == tests * (right + mistakes + 2 + 5)  # the stub, one mistake in a worker and five idle answers, too
    assert tests * right < judged[1] < tests * (right + mistakes) - mistakes


def test_completeness_is_the_first_proof(edited_course: EditedCourse) -> None:
    course = edited_course({"course.toml": "[minimum]\nalternatives = 2\nhints = 0\nquestions = 0\nmistakes_of_level_1 = 1\n"})
    report = proved(course)
    assert report.checks[0].name == "complete" and failures(report) == {
        "complete": "solutions/rms/alternatives: expected at least 2 alternatives, found 1."
    }


COURTEOUS = ('hint="Take the last', 'courtesy=True, hint="Take the last')


def test_a_known_mistake_may_fail_a_courtesy_only(tiny: Course, edited_course: EditedCourse) -> None:
    """Accept a mistake that only the check of single rows sees."""
    batch = "(wide if x.dim() > 1 else 2 * wide).square()"
    mistake = f'\n[alone]\nsays = "A row alone is doubled."\nedit = [["wide.square()", "{batch}"]]\n'
    wrong = f'[wrong.lonely]\nwhat = "A row alone"\nedit = [["wide.square()", "{batch.replace("2", "3")}"]]\n'
    sound = proved(edited_course({SUITE: [COURTEOUS], MISTAKES: known(tiny) + mistake}))
    assert "wrong" not in failures(sound) and "named" not in failures(sound)
    files = [known(tiny) + wrong, known(tiny) + wrong + "courtesy = true\n"]
    unsound, courteous = (proved(edited_course({SUITE: [COURTEOUS], MISTAKES: file})) for file in files)
    assert failures(unsound)["wrong"] == "lonely (A row alone), seed 0: passes every check."
    assert "wrong" not in failures(courteous)


def test_a_right_answer_may_fail_a_courtesy(edited_course: EditedCourse) -> None:
    doubled = [("/ x.shape[-1]", "/ x.shape[-1] * (1 if x.dim() > 1 else 2)")]
    assert "right" not in failures(proved(edited_course({SUITE: [COURTEOUS], ALTERNATIVE: doubled})))
    assert "right" in failures(proved(edited_course({ALTERNATIVE: doubled})))


def test_a_fault_in_recorded_effects_is_found(edited_course: EditedCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Record one play too few of each mistake: a worker plays all of them, and so finds the difference."""
    plays_of = Footprints.plays_of
    monkeypatch.setattr(Footprints, "plays_of", lambda self, name: set(sorted(plays_of(self, name))[1:]))
    report = proved(edited_course({}))
    assert failures(report)["named"].splitlines()[0].startswith("eps-outside-root: the result of test_")
    assert failures(report)["named"].splitlines()[0].endswith(" differs from the recorded one.")
