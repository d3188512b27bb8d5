"""The exercise and the attempt that the name of a file tells."""

from __future__ import annotations

import pytest

from normgrade.classes.hand_ins import HandIn
from normgrade.classes.reading.file_names import Names, Rank

SLUGS = ["batch_norm", "generalized_batch_norm", "layer_norm", "layer_norm_backward", "norm_2"]
NAMES = Names(SLUGS)


def told(file: str, names: Names = NAMES, content: bytes = b"") -> list[tuple[str, Rank, int]]:
    """Return the exercises of a file, each with how surely it is known, and the attempt."""
    found = names.told(HandIn("Anna", "", f"c/Anna/{file}", content, file=file))
    return [(each.exercise, Rank(each.rank), each.attempt) for each in found]


@pytest.mark.parametrize(
    ("file", "slug", "rank", "attempt"),
    [
        ("layer_norm.py", "layer_norm", Rank.NAME, 1),
        ("Layer Norm.py", "layer_norm", Rank.NAME, 1),
        ("LayerNorm.ipynb", "layer_norm", Rank.NAME, 1),
        ("layer-norm (1).py", "layer_norm", Rank.NAME, 1),
        ("layer_norm(3).PY", "layer_norm", Rank.NAME, 1),
        ("layer_norm-2.py", "layer_norm", Rank.NAME, 3),
        ("norm_2.py", "norm_2", Rank.NAME, 1),
        ("norm-2.py", "norm_2", Rank.NAME, 1),
        ("hw/layer_norm/answer.py", "layer_norm", Rank.FOLDER, 1),
        ("batch_norm/layer_norm/src/answer.py", "layer_norm", Rank.FOLDER, 1),
        ("layer_norm-1.zip/answer.py", "layer_norm", Rank.FOLDER, 2),
        ("hw-3.zip/layer_norm.py", "layer_norm", Rank.NAME, 4),
        ("hw-3/layer_norm.py", "layer_norm", Rank.NAME, 1),
        ("my_layer_norm.py", "layer_norm", Rank.PART, 1),
        ("layer_norm_final-1.py", "layer_norm", Rank.PART, 2),
        ("layer_norm_backward_v2.py", "layer_norm_backward", Rank.PART, 1),
        ("my_generalized_batch_norm.py", "generalized_batch_norm", Rank.PART, 1),
        ("layer_norm_20261128.py", "layer_norm", Rank.PART, 1),
        ("layer_norm - Copy.py", "layer_norm", Rank.PART, 1),
    ],
)
def test_a_name_tells_exercise_and_attempt(file: str, slug: str, rank: Rank, attempt: int) -> None:
    assert told(file) == [(slug, rank, attempt)]


@pytest.mark.parametrize("file", ["answer.py", "mylayer_norm.py", "layer_normal.py", "hw/ex1.py", ".py", "norm.py"])
def test_other_names_tell_nothing(file: str) -> None:
    assert told(file) == []


def test_with_one_exercise_every_file_is_for_it() -> None:
    names = Names(SLUGS, "layer_norm")
    assert told("batch_norm.py", names) == [("layer_norm", Rank.ANY, 1)]
    assert told("x (1).py", names) == [("layer_norm", Rank.ANY, 1)]
    assert told("layer_norm.py", names) == [("layer_norm", Rank.NAME, 1)]


CONTRACTS = {"layer_norm": ["LayerNorm"], "softmax": ["softmax"], "min_max": ["min_max"]}
CONTRACTS |= {slug: ["forward", "backward"] for slug in ("layer_norm_backward", "softmax_backward")}


@pytest.mark.parametrize(
    ("content", "slugs"),
    [
        ("class LayerNorm:\n    pass\n", ["layer_norm"]),
        ("class LayerNorm:\n    pass\ndef softmax(x):\n    return x\n", ["layer_norm"]),  # a function that helps the class
        ("def softmax(x):\n    return x\ndef min_max(x):\n    return x\n", ["softmax", "min_max"]),
        ("def forward(x):\n    return x\ndef backward(x):\n    return x\n", []),  # two exercises have this contract
        ("def f():\n    class LayerNorm: pass\n", []),
        ("from answer import LayerNorm\n", []),
        ("class LayerNorm\n", []),
        ("class LayerNorm:  # \xe9\n    pass\n", []),
        ("raise SystemExit\n", []),
    ],
)
def test_other_names_leave_it_to_what_a_file_defines(content: str, slugs: list[str]) -> None:
    names = Names(CONTRACTS, None, lambda: CONTRACTS)
    assert told("hw-2/q1-1.py", names, content.encode("latin-1")) == [(slug, Rank.DEFINED, 2) for slug in slugs]
    assert told("min_max.py", names, content.encode("latin-1")) == [("min_max", Rank.NAME, 1)]


@pytest.mark.parametrize(
    ("stem", "part"),
    [
        ("alice_layer_norm", ("layer_norm", "alice")),
        ("Alice Li-LayerNorm", ("layer_norm", "Alice Li")),
        ("layer_norm_alice", ("layer_norm", "alice")),
        ("İ_layer_norm", ("layer_norm", "İ")),
        ("layer_norm", None),
        ("_layer_norm", None),
    ],
)
def test_the_other_part_of_a_name_is_kept(stem: str, part: tuple[str, str] | None) -> None:
    assert NAMES.part(stem) == part


def test_two_slugs_of_the_same_letters_stay_apart() -> None:
    names = Names(["ab_c", "a_bc"])
    assert [names.slug("ab_c"), names.slug("a_bc"), names.slug("A-BC")] == ["ab_c", "a_bc", "a_bc"]
