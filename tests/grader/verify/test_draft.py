"""Drafts of exercises: their names, all files, sound in every language, and no existing file is changed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.reading import read_exercise
from normgrade.course.signature import Parameter, Signature
from normgrade.grading.fault import fault
from normgrade.inspection.inspection import inspect_file
from normgrade.language.errors import UsageError
from normgrade.suite.collection import collect
from normgrade.verify.completeness import lacking, too_few
from normgrade.verify.draft import POINTS, USUAL, Draft, add, begin_course, checked_contract, checked_slug, files_of, refuse_taken, type_of


def said(action: Callable[[], object]) -> str:
    with pytest.raises(UsageError) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize("slug", ["softmax", "weight_norm", "l1_batch_norm"])
def test_a_slug_is_a_module_name(slug: str) -> None:
    assert checked_slug(slug) == slug


@pytest.mark.parametrize("slug", ["WeightNorm", "weight-norm", "1st", "", "../x", "a/b", "softmáx", "_x", "x.py", "a b"])
def test_other_slugs_are_refused(slug: str) -> None:
    assert said(lambda: checked_slug(slug)) == (
        f'"{slug}" is not a valid name for an exercise. Use lower-case letters, digits and "_", as in weight_norm.'
    )


def test_a_keyword_is_refused_as_a_slug() -> None:
    assert said(lambda: checked_slug("lambda")) == '"lambda" is a Python keyword, and cannot be imported. Choose another name.'


@pytest.mark.parametrize("slug", ["random", "torch", "numpy"])
def test_a_slug_that_would_hide_a_library_is_refused(slug: str) -> None:
    assert said(lambda: checked_slug(slug)) == (f'"{slug}" is the name of a library, and {slug}.py would shadow it. Choose another name.')


def test_a_contract_is_one_signature_or_more() -> None:
    assert [str(each) for each in checked_contract(["f(x, dim=-1)", "F(x, shape=(1, 2), mode='a')"], numpy=False)] == [
        "f(x, dim=-1)",
        "F(x, shape=(1, 2), mode='a')",
    ]
    assert [each.name for each in checked_contract(USUAL, numpy=True)] == ["forward", "backward"]


@pytest.mark.parametrize(
    ("texts", "numpy", "why"),
    [
        (
            [],
            False,
            'Missing argument: SIGNATURE. Pass the signature of each class or function: `normgrade new SLUG "WeightNorm(weight, dim=0)"`.',
        ),
        (
            ["F(x"],
            False,
            '"F(x" is not a valid signature (\'F(x\' cannot be read). Write it like "LayerNorm(normalized_shape, eps=1e-5)".',
        ),
        (
            ["F(x: int)"],
            False,
            "\"F(x: int)\" is not a valid signature ('F(x: int)' has more than names and defaults). "
            'Write it like "LayerNorm(normalized_shape, eps=1e-5)".',
        ),
        (["F(x=y)"], False, '"F(x=y)": the default of "x" cannot be y. Use a number, a string, a tuple, True, False or None.'),
        (["f(x)", "f(y)"], False, '"f" is given twice. Use a different name for each class and function.'),
        (["F(x)"], True, '"F" is a class, but a NumPy exercise has only functions. Begin the name with a lower-case letter.'),
    ],
)
def test_an_invalid_contract_is_refused(texts: list[str], numpy: bool, why: str) -> None:
    assert said(lambda: checked_contract(texts, numpy)) == why


def test_a_name_is_taken_by_another_exercise(tiny: Course) -> None:
    refuse_taken(tiny, "rms", [Signature.parse("rms(x, eps=1e-5)")])
    refuse_taken(tiny, "other", [Signature.parse("rms(x)")])
    assert said(lambda: refuse_taken(tiny, "rms", [Signature.parse("RMS(x)")])) == (
        'The exercise "rms" already exists, and defines rms(x, eps=1e-05). '
        "Choose another name, or pass the same signature to add its missing files."
    )


CONTRACTS = {
    "layer": ("WeightNorm(weight, dim=0)",),
    "function": ("softmax(x, dim=-1)",),
    "two_inputs": ("adaptive_instance_norm(content, style, eps=1e-5)",),
    "several": ("deepnorm_coefficients(encoder_layers=0)", "DeepNorm(dim, alpha, sublayer)"),
    "a_stack_of_blocks_by_a_long_name": ("Stack(dim, sublayers)", "Block(dim, sublayer, layer)"),
    "sizes": ("MyNorm(num_channels_of_input, num_channels_of_output, size_of_window, eps=1e-5, momentum=0.1, affine=True)",),
    "long": ("standardize_along_an_axis(x, number_of_the_axis, another_number, eps=1e-5, momentum_of_the_statistics=0.1, affine=True)",),
    "a_block": ("Block(dim, sublayer, layer)",),
    "numpy_pair": ("forward(x, weight, eps=1e-5)", "backward(dy, cache)"),
    "numpy_alone": ("standardize(x)",),
}
LANGUAGES = {"en": ("en",), "zh": ("en", "zh")}
CLONE = Path(__file__).parents[3]


def draft(kind: str, language: str = "zh", probes: bool = False) -> Draft:
    signatures = tuple(map(Signature.parse, CONTRACTS[kind]))
    return Draft(kind, signatures, LANGUAGES[language], kind.startswith("numpy"), probes)


def begun(root: Path, drafted: Draft) -> Exercise:
    """Return the exercise of a draft, in a new course."""
    course = begin_course(root, drafted.languages)
    add(files_of(drafted, course))
    return Course.find(root).exercise(drafted.slug)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", CONTRACTS)
def test_a_draft_has_every_file_and_its_points_sum(kind: str, language: str, tmp_path: Path) -> None:
    exercise = begun(tmp_path, draft(kind, language))
    assert fault(exercise) is None
    assert collect([exercise])[kind].points == exercise.points == POINTS
    assert [str(signature) for signature in exercise.defines] == [str(Signature.parse(text)) for text in CONTRACTS[kind]]
    assert [path.name for path in exercise.alternatives] == ["another_way.py"]
    assert exercise.probes is None
    assert exercise.prompt_in("zh").exists() == (language == "zh")
    assert (exercise.ban.against("torch") is not None) == kind.startswith("numpy")


@pytest.mark.parametrize("kind", CONTRACTS)
def test_a_draft_meets_its_contract_but_is_not_started(kind: str, tmp_path: Path) -> None:
    exercise = begun(tmp_path, draft(kind))
    for path in (exercise.stub, exercise.reference, *exercise.alternatives):
        inspection = inspect_file(path, exercise)
        assert (inspection.findings, inspection.started) == ((), False)


@pytest.mark.parametrize("kind", CONTRACTS)
def test_a_draft_marks_the_work_of_its_author(kind: str, tmp_path: Path) -> None:
    exercise = begun(tmp_path, draft(kind))
    assert [line.partition(": ")[2] for line in too_few(exercise)] == [
        "expected at least 4 alternatives, found 1.",
        "expected at least 12 mistakes, found 1.",
    ]
    marked = {line.partition(":")[0] for line in lacking(exercise) if "TODO" in line}
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert marked == files - {"course.toml", ".github/workflows/verify.yml"}


@pytest.mark.parametrize("probes", [False, True])
@pytest.mark.parametrize("kind", CONTRACTS)
@pytest.mark.skipif(shutil.which("ruff") is None, reason="ruff formats the course, and is not installed")
def test_a_draft_is_formatted_like_the_course(kind: str, probes: bool, tmp_path: Path) -> None:
    begun(tmp_path, draft(kind, probes=probes))
    config = f"--config={CLONE / 'pyproject.toml'}"
    for command in (["format", "--diff"], ["check", "--ignore", "I001"]):  # the location of a package makes it first or third party
        done = subprocess.run(["ruff", *command, config, "--no-cache", str(tmp_path)], capture_output=True, text=True)
        assert (done.returncode, done.stdout.replace("All checks passed!\n", "")) == (0, "")


def test_a_draft_has_sizes_that_differ(tmp_path: Path) -> None:
    exercise = begun(tmp_path, draft("sizes"))
    assert exercise.suite.read_text(encoding="utf-8").count("build(6, 8, 10)") == 4
    assert "- The output has TODO: its shape, and the dtype of the input." in exercise.prompt.read_text(encoding="utf-8")


def test_no_line_of_code_is_too_long(tmp_path: Path) -> None:
    exercise = begun(tmp_path, draft("sizes"))
    assert max(map(len, exercise.stub.read_text(encoding="utf-8").splitlines())) <= 140


def test_every_key_of_exercise_toml_is_explained(tmp_path: Path) -> None:
    """Find each optional key in a comment."""
    exercise = begun(tmp_path, draft("layer"))
    text = exercise.description.read_text(encoding="utf-8")
    exercise.description.write_text("keys = 1\n" + text, encoding="utf-8")
    with pytest.raises(Exception, match="unknown key") as caught:
        read_exercise(exercise, Course(tmp_path).settings)
    known = str(caught.value).rpartition("llowed are ")[2].rstrip(".").split(", ")
    assert len(known) > 15
    assert [key for key in known if not re.search(rf"^(# )?\[?{re.escape(key)}(\]| = )", text, re.MULTILINE)] == []


def test_commented_settings_are_the_defaults(tmp_path: Path) -> None:
    begin_course(tmp_path, ("en",))
    usual = Course(tmp_path).settings
    text = (tmp_path / "course.toml").read_text(encoding="utf-8")
    (tmp_path / "course.toml").write_text(re.sub(r"^# (?=\[|\w+ = )", "", text, flags=re.MULTILINE), encoding="utf-8")
    assert Course(tmp_path).settings == usual


def test_a_draft_fits_into_its_course(edited_course: Callable[..., Course]) -> None:
    text = files_of(draft("layer"), edited_course({}))
    [toml] = [text[path] for path in text if path.name == "exercise.toml"]
    assert "\norder = 30  #" in toml and 'there are "Functions", "Layers"\n' in toml


def test_numbers_are_written_in_short_form(tmp_path: Path) -> None:
    exercise = begun(tmp_path, draft("two_inputs"))
    assert "eps: float = 1e-5)" in exercise.stub.read_text(encoding="utf-8")
    assert "(content, style, eps=1e-5)" in exercise.prompt.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        (Parameter("eps", "1e-05"), "float"),
        (Parameter("affine", "True"), "bool"),
        (Parameter("mode", "'a'"), "str"),
        (Parameter("x"), "Tensor"),
        (Parameter("weight", "None"), "Tensor | None"),
        (Parameter("num_groups"), "int"),
        (Parameter("in_features"), "int"),
        (Parameter("size", "(1, 2)"), ""),
        (Parameter("sublayer"), ""),
    ],
)
def test_a_type_is_guessed_from_default_or_name(parameter: Parameter, kind: str) -> None:
    assert type_of(parameter, "Tensor") == kind


def test_existing_files_are_kept_and_named(tmp_path: Path) -> None:
    files = {tmp_path / "a/b.py": "new", tmp_path / "c.py": "new", tmp_path / "link.py": "new"}
    (tmp_path / "c.py").write_text("old", encoding="utf-8")
    (tmp_path / "link.py").symlink_to(tmp_path / "nowhere")
    assert add(files) == ([tmp_path / "a/b.py"], [tmp_path / "c.py", tmp_path / "link.py"])
    assert (tmp_path / "a/b.py").read_text(encoding="utf-8") == "new"
    assert (tmp_path / "c.py").read_text(encoding="utf-8") == "old" and not (tmp_path / "nowhere").exists()
