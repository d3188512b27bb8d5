"""Interview questions: their text and answers in a prompt, and equal numbers of them in every language."""

from __future__ import annotations

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.package import carried
from normgrade.course.questions import Question, questions_in

PROMPT = """# RMS norm

## Interview questions

**1. Why is there an `eps`?**

<details><summary>Answer</summary>

Because of zeros.

</details>

**2. What does this do?**

```
x / 2
```

<details><summary>Answer</summary>
It halves.
</details>

<details>
<summary>And who wrote it?</summary>
Nobody.
</details>

Nothing is numbered here.

What is it for?

<details><summary>答案</summary>
For this.
</details>
"""


def test_every_question_has_its_own_text_and_answer() -> None:
    assert questions_in(PROMPT, "rms") == (
        Question("rms", "Why is there an `eps`?", "Because of zeros."),
        Question("rms", "What does this do?\n\n```\nx / 2\n```", "It halves."),
        Question("rms", "And who wrote it?", "Nobody."),
        Question("rms", "What is it for?", "For this."),
    )
    assert questions_in("# RMS norm\n", "rms") == ()


@pytest.mark.parametrize("summary", ["Show the derivation", "展开推导"])
def test_a_derivation_is_no_question(summary: str) -> None:
    derived = f"## The derivation\n\n<details><summary>{summary}</summary>\n\ndx = dy\n\n</details>\n\n"
    assert questions_in(derived + PROMPT, "rms") == questions_in(PROMPT, "rms")


@pytest.mark.parametrize("exercise", [*Course(carried())], ids=lambda exercise: exercise.slug)
def test_the_course_asks_the_same_questions_in_every_language(exercise: Exercise) -> None:
    languages = Course(carried()).settings.languages
    prompts = [exercise.prompt_in(language).read_text(encoding="utf-8") for language in languages]
    found = [questions_in(prompt, "") for prompt in prompts]
    assert len({len(questions) for questions in found}) == 1 and len(found[0]) >= 3
    assert all(each.text and each.answer and "<" not in each.text.split("`")[0] for questions in found for each in questions)
