"""Tests of the data of the lab: the same at every call, of the described form, and neither trivial nor impossible to learn."""

from __future__ import annotations

import torch

from normgrade.probes.lab.data import LETTERS, PIXELS, SHAPES, pictures, sentences


def test_sentences_are_made_of_letters() -> None:
    letters = sentences(50, seed=3)
    assert letters.dtype is torch.int64 and letters.dim() == 1
    text = "".join(LETTERS[each] for each in letters.tolist())
    assert text.count(". ") == 50 and all(each.startswith("the ") for each in text.split(". ")[:-1])


def test_verbs_agree_with_their_subjects() -> None:
    text = "".join(LETTERS[each] for each in sentences(400, seed=4).tolist())
    for sentence in text.split(". "):
        words = sentence.split()
        subject = next((word for word in words[1:] if word.rstrip("s") in {"dog", "bird", "river", "teacher"} or word[:5] == "child"), "")
        if subject and "that" not in words:
            verb = words[words.index(subject) + 1]
            assert verb.endswith("s") != (subject.endswith("s") or subject == "children")


def test_data_depend_on_the_seed_only() -> None:
    assert torch.equal(sentences(9, 1), sentences(9, 1)) and not torch.equal(sentences(9, 1)[:50], sentences(9, 2)[:50])
    state = torch.get_rng_state()
    (x, kinds), (again, _kinds), (other, _others) = pictures(20, 1), pictures(20, 1), pictures(20, 2)
    assert torch.equal(x, again) and not torch.equal(x, other)
    assert torch.equal(torch.get_rng_state(), state)
    assert x.shape == (20, 1, PIXELS, PIXELS) and kinds.shape == (20,)


def test_every_shape_can_be_told_from_the_others() -> None:
    x, kinds = pictures(2000, 0)
    plain = x - x.mean(dim=(2, 3), keepdim=True)
    means = torch.stack([plain[kinds == kind].mean(dim=0) for kind in range(len(SHAPES))])
    others, of_others = pictures(500, 1)
    others = others - others.mean(dim=(2, 3), keepdim=True)
    nearest = (others[:, None] - means).square().sum(dim=(2, 3, 4)).argmin(dim=1)
    share = (nearest == of_others).float().mean().item()
    assert 0.3 < share < 0.9  # the nearest mean finds many, and not nearly all
