"""A measurement of the lines of a learner's source at which the diagnosis points: how many are found, and that none is wrong.

    python tests/benchmarks/learner_line.py [--verbose] [SLUG]…

Cases are programs in which a known mistake was made mechanically, so its place is known:

    the mistakes of the reference, in five other spellings of the same program: local names replaced, reformatted, torch.f(x) for x.f(), a
        multiplication by rsqrt for a division by sqrt, and all of these at once
    the same edit in the right alternatives, if its old text, or an equivalent of it, occurs there exactly once

A case is placed if the diagnosis points at some lines and all of them were edited. It is wrong if it points at another line, or at any line
if the edit only removed lines. No diagnosis asks for a place in a right program; the table also counts how often one would be given. The
exit code is 1 if a place was wrong, or if less than 70 % were placed.

The last line has these counts for tests/grader/wild, whose files have several mistakes each; the place of a mistake is that of its repair.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake, read_mistakes
from normgrade.pointing.counterpart import Caret, counterparts
from normgrade.pointing.edits import changed

sys.path.insert(0, str(Path(__file__).parents[1] / "grader" / "harness"))

from wild import wild_submissions

PLACED = 0.7
EPS = r"(self\.eps|eps)"
WIDER = r"\w+\.to\(torch\.promote_types\(\w+\.dtype, torch\.float32\)\)"
ROOT = [(rf"torch\.sqrt\(([^()]+) \+ {EPS}\)", "{root}"), (rf"\(([^()]+(?:\([^()]*\))?) \+ {EPS}\)\.sqrt\(\)", "{root}")]
Forms = Mapping[str, list[tuple[str, str]]]
FORMS: Forms = {  # by the name of a mistake: other ways to make its edit, as a pattern and a replacement
    "unbiased-variance": [(r", (correction=0|unbiased=False)", "")],
    "unbiased-normalisation": [(r", (correction=0|unbiased=False)", "")],
    "eps-missing": [(rf" \+ {EPS}\b", ""), (rf"\.add\({EPS}\)", "")],
    "eps-outside-root": [(old, r"(torch.sqrt(\1) + \2)") for old, _new in ROOT],
    "eps-added-after-division": [(old, r"torch.sqrt(\1) + \2") for old, _new in ROOT],
    "eps-clamps-deviation": [(old, r"torch.sqrt(\1).clamp(min=\2)") for old, _new in ROOT],
    "eps-clamps-variance": [(rf"\b(\w+) \+ {EPS}\b", r"\1.clamp(min=\2)")],
    "eps-clamps-mean-square": [(rf"\b(\w+) \+ {EPS}\b", r"\1.clamp(min=\2)")],
    "eps-squared": [(rf" \+ {EPS}\b", r" + \1**2")],
    "root-before-eps": [(rf"\b(\w+) \+ {EPS}\b", r"torch.sqrt(\1) ** 2 + \2")],
    "no-root": [(old, r"(\1 + \2)") for old, _new in ROOT],
    "divided-by-variance": [(old, r"(\1 + \2)") for old, _new in ROOT],
    "statistic-detached": [(rf"\b(\w+) \+ {EPS}\b", r"\1.detach() + \2")],
    "variance-detached": [(rf"\b(var) \+ {EPS}\b", r"\1.detach() + \2")],
    "mean-detached": [(r"\b(\w+) - mean\b", r"\1 - mean.detach()")],
    "numerator-not-centred": [(r"\((\w+) - mean\)", r"\1")],
    "mean-not-subtracted": [(r"\((\w+) - mean\)", r"\1")],
    "over-the-batch": [(r"\.mean\((dim=)?-1", r".mean(\g<1>0")],
    "over-dimension-1": [(r"\.mean\((dim=)?-1", r".mean(\g<1>1")],
    "over-the-words": [(r"\.mean\((dim=)?-1", r".mean(\g<1>-2")],
    "sum-instead-of-mean": [(r"\.mean\((?=(dim=)?-1)", ".sum(")],
    "absolute-values-under-the-root": [(r"\.(square\(\)|pow\(2\))", ".abs()")],
    "last-dimension-only": [(r"tuple\(range\(-len\(shape\), 0\)\)", "-1")],
    "over-everything": [(r"tuple\(range\(-len\(shape\), 0\)\)", "tuple(range(x.dim()))")],
    "computed-in-half": [(WIDER, "x.half()"), (r"\bx\.(float|double)\(\)", "x.half()")],
    "weight-added": [(r"\* self\.weight\b", "+ self.weight")],
    "one-plus-weight": [(r"\* self\.weight\b(?!\.)", "* (1 + self.weight)")],
    "weight-gets-no-gradient": [(r"\* self\.weight\b(?!\.)", "* self.weight.detach()")],
    "momentum-default": [(r"momentum=0\.1", "momentum=0.9")],
    "eps-default": [(r"eps=1e-5", "eps=1e-3")],
    "biased-running-variance": [
        (r"count / \(count - 1\)", "1"),
        (r", correction=1", ", correction=0"),
        (r"(running_var.*) / \(len\(rows\) - 1\)", r"\1 / len(rows)"),
    ],
}  # fmt: skip
FUNCTIONS = {"mean", "var", "std", "sum", "square", "sqrt"}


@dataclass(frozen=True)
class Case:
    """A program before and after a mistake was made in it."""

    name: str
    mistake: Mistake
    right: str
    wrong: str

    def verdict(self, spots: tuple[Caret, ...]) -> str:
        lines = set(self.edited()) if self.has_place else set()
        if any(spot.line not in lines for spot in spots):
            return "wrong"
        return "placed" if spots else "silent" if self.has_place else "none"

    def edited(self) -> Iterator[int]:
        """Yield the edited lines, and all lines of a text that was replaced as a whole."""
        for span in changed(self.right, self.wrong):
            yield from range(span.start[0], span.end[0] + 1)
        for edit in self.mistake.edits:
            if edit.new.strip().count("\n") > 1 and self.wrong.count(edit.new.strip()) == 1:
                first = self.wrong[: self.wrong.index(edit.new.strip())].count("\n") + 1
                yield from range(first, first + edit.new.strip().count("\n") + 1)

    @property
    def has_place(self) -> bool:
        """True if the edit left anything at its place, false if it only removed lines."""
        kept = iter(line.strip() for line in self.right.splitlines())
        return not all(line in kept for line in map(str.strip, self.wrong.splitlines()) if line not in ("", "pass"))


# The cases


def cases_of(exercise: Exercise) -> Iterator[Case]:
    reference, mistakes = read_text(exercise.reference), [mistake for mistake in read_mistakes(exercise) if mistake.edits]
    for spelling, respelt in SPELLINGS.items():
        for mistake in mistakes:
            right, wrong = respelt(reference), respelt(mistake.source)
            if right != wrong:
                yield Case(spelling, mistake, right, wrong)
    for path in exercise.alternatives:
        source = read_text(path)
        for mistake in mistakes:
            if (wrong := made_in(source, reference, mistake)) is not None:
                yield Case(path.stem, mistake, source, wrong)


def made_in(source: str, reference: str, mistake: Mistake) -> str | None:
    """Return the source with the mistake's edit, or None if the edit is impossible, or possible at more than one place."""
    wrong = source
    for edit in mistake.edits:
        old = reference[edit.start : edit.end]
        if wrong.count(old) != 1:
            break
        wrong = wrong.replace(old, edit.new)
    else:
        return wrong if parses(wrong) else None
    for pattern, replacement in FORMS.get(mistake.name, []):
        wrong, count = re.subn(pattern, replacement, source)
        if count == 1 and wrong != source and parses(wrong):
            return wrong
    return None


def parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


# Other spellings of a program


class Renamed(ast.NodeTransformer):
    """A transformer that renames the local variables of every function, and the parameters of `forward` and of methods like it."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        local = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        own = set() if node.name == "__init__" else {each.arg for each in node.args.args if each.arg != "self"}
        own = own if node.name in ("forward", "track", "iterate", "unit") else set()
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and each.id in local | own:
                each.id = f"{each.id}_1"
            elif isinstance(each, ast.arg) and each.arg in own:
                each.arg = f"{each.arg}_1"
        return node


class Functions(ast.NodeTransformer):
    """A transformer that writes torch.f(x, …) for x.f(…)."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id="torch" | "self")):
                return node
            case ast.Attribute(value=value, attr=name) if name in FUNCTIONS:
                node.func = ast.Attribute(ast.Name("torch", ast.Load()), name, ast.Load())
                node.args = [value, *node.args]
        return node


class Reciprocal(ast.NodeTransformer):
    """A transformer that writes a * torch.rsqrt(b) for a / torch.sqrt(b)."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.BinOp(op=ast.Div(), right=ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="sqrt") as function)):
                function.attr = "rsqrt"
                node.op = ast.Mult()
        return node


def respelt(*transformers: type[ast.NodeTransformer]) -> Callable[[str], str]:
    def transformed(source: str) -> str:
        tree: ast.AST = ast.parse(source)
        for transformer in transformers:
            tree = transformer().visit(tree)
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"

    return transformed


SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "laid out anew": respelt(),
    "renamed": respelt(Renamed),
    "functions": respelt(Functions),
    "rsqrt": respelt(Reciprocal),
    "all at once": respelt(Renamed, Functions, Reciprocal),
}


# The measurement


def measure(exercise: Exercise, verbose: bool) -> Counter[str]:
    """Count the cases of each verdict, those in alternatives also separately. Add the slowest case, in milliseconds of processor time."""
    reference = read_text(exercise.reference)
    found: Counter[str] = Counter()
    slowest = 0.0
    for case in cases_of(exercise):
        started = time.process_time()
        spots = counterparts(reference, case.mistake.source, case.wrong)
        slowest = max(slowest, time.process_time() - started)
        verdict = case.verdict(spots)
        found[verdict] += 1
        found[f"alternatives {verdict}"] += case.name not in SPELLINGS
        if verdict == "wrong" or (verbose and verdict == "silent"):
            print(f"  {verdict}: {case.name} · {case.mistake.name}")
            for spot in spots:
                print(f"    {spot.line} | {case.wrong.splitlines()[spot.line - 1].strip()}")
    for path in exercise.alternatives:
        for mistake in read_mistakes(exercise):
            spots = counterparts(reference, mistake.source, read_text(path)) if mistake.edits else ()
            found["right programs"] += 1
            found["pointed at in right programs"] += bool(spots)
    found["slowest"] = round(slowest * 1e3)
    return found


def measure_wild(slugs: Sequence[str]) -> Counter[str]:
    """Count the verdicts on deviations of wild submissions that are edits of the reference."""
    found: Counter[str] = Counter()
    for wild in wild_submissions():
        if slugs and wild.slug not in slugs:
            continue
        exercise = Course.find().exercise(wild.slug)
        edits = {mistake.name: mistake for mistake in read_mistakes(exercise) if mistake.edits}
        for deviation in wild.deviations:
            if deviation.name in edits:
                spots = counterparts(read_text(exercise.reference), edits[deviation.name].source, wild.source)
                wrong = any(spot.line not in deviation.lines for spot in spots)
                found["wrong" if wrong else "placed" if spots else "silent"] += 1
                if wrong:
                    print(f"  wrong: {wild.slug}/{wild.name} · {deviation.name} at {[spot.line for spot in spots]}")
    return found


COLUMNS = "{:16} {:>6} {:>12} {:>18} {:>6} {:>17} {:>15} {:>8}"


def row(name: str, found: Mapping[str, int]) -> str:
    counted: defaultdict[str, int] = defaultdict(int, found)
    cases, others = (sum(counted[f"{prefix}{verdict}"] for verdict in ("placed", "silent", "wrong")) for prefix in ("", "alternatives "))
    placed = f"{counted['placed']} ({counted['placed'] / max(1, cases):.0%})"
    of_others = f"{counted['alternatives placed']} of {others} ({counted['alternatives placed'] / max(1, others):.0%})"
    right = f"{counted['pointed at in right programs']} of {counted['right programs']}"
    return COLUMNS.format(name, cases, placed, of_others, counted["wrong"], counted["none"], right, f"{counted['slowest']} ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verbose", action="store_true", help="show the cases that are not placed")
    parser.add_argument("slug", nargs="*")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    print(COLUMNS.format("exercise", "cases", "placed", "in alternatives", "wrong", "lines taken away", "right programs", "slowest"))
    for exercise in Course.find():
        if not given.slug or exercise.slug in given.slug:
            found = measure(exercise, given.verbose)
            print(row(exercise.slug, found), flush=True)
            slowest = max(total["slowest"], found["slowest"])
            total.update(found)
            total["slowest"] = slowest
    print(row("all", total))
    in_wild = measure_wild(given.slug)
    print(f"in wild submissions: {in_wild['placed']} of {in_wild.total()} placed, {in_wild['wrong']} wrong")
    cases = total["placed"] + total["silent"] + total["wrong"]
    return int(in_wild["wrong"] > 0 or total["wrong"] > 0 or total["placed"] < PLACED * cases)


if __name__ == "__main__":
    sys.exit(main())
