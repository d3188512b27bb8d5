"""Examples of how to call each command, for its `--help`."""

from __future__ import annotations

from normgrade.language import N_, _

EXAMPLES = (  # each with its command, and in words
    ("normgrade", "normgrade init my-norms", N_("create a workspace")),
    ("normgrade", "normgrade", N_("show the next step, in my-norms")),
    ("normgrade", "normgrade check", N_("grade started exercises")),
    ("init", "normgrade init my-norms", N_("create a workspace in a new folder")),
    ("init", "normgrade init", N_("use this folder, or add new exercises")),
    ("list", "normgrade list", N_("show exercises, points and your progress")),
    ("show", "normgrade show layer_norm", N_("show the task")),
    ("show", "normgrade show layer_norm --answers", N_("show the answers too")),
    ("show", "normgrade show layer_norm --stub > layer_norm.py", N_("start without a workspace")),
    ("show", "normgrade show rules", N_("show the common rules")),
    ("check", "normgrade check layer_norm", N_("grade layer_norm.py")),
    ("check", "normgrade check", N_("grade started exercises")),
    ("check", "normgrade check -v layer_norm", N_("show every difference")),
    ("check", "normgrade check --seed random layer_norm", N_("grade on new inputs")),
    ("check", "normgrade check try.py --exercise layer_norm", N_("grade another file")),
    ("check", "normgrade check --format html --output report.html", N_("write an HTML page")),
    ("check", "normgrade check --format github layer_norm", N_("annotate lines on GitHub")),
    ("lab", "normgrade lab layer_norm", N_("show the curves in the terminal")),
    ("lab", "normgrade lab layer_norm --file try.py", N_("use another file")),
    ("try", 'normgrade try layer_norm "LayerNorm(4)" "[[1, 2, 3, 6]]"', N_("compare both outputs")),
    ("try", 'normgrade try batch_norm "BatchNorm(2)" "[[1, 2]]" --eval', N_("in evaluation mode")),
    ("try", 'normgrade try softmax "softmax(dim=0)" "[[1, 2], [3, inf]]"', N_("call a function")),
    ("watch", "normgrade watch", N_("watch the next exercise")),
    ("watch", "normgrade watch layer_norm", N_("watch another exercise")),
    ("hint", "normgrade hint layer_norm", N_("show one hint, and how many are left")),
    ("solution", "normgrade solution layer_norm", N_("show it beside yours")),
    ("solution", "normgrade solution layer_norm einsum_statistics", N_("show another right way")),
    ("solution", "normgrade solution layer_norm --spoil", N_("show it before you pass")),
    ("reset", "normgrade reset layer_norm", N_("start again; your file is kept")),
    ("progress", "normgrade progress", N_("show attempts, mistakes and the next step")),
    ("review", "normgrade review", N_("review a mistake that is due")),
    ("review", "normgrade review --all", N_("review one that is not due, too")),
    ("interview", "normgrade interview", N_("start or continue")),
    ("interview", "normgrade interview --minutes 60 --level 2", N_("longer and easier")),
    ("interview", "normgrade interview --end", N_("end it, and show the result")),
    ("explain", "normgrade explain unbiased-variance", N_("compare the numbers")),
    ("explain", "normgrade explain eps-missing --exercise rms_norm", N_("choose the exercise")),
    ("repro", "normgrade repro layer_norm", N_("reproduce the first failed check")),
    ("repro", "normgrade repro layer_norm test_gradients", N_("reproduce this check")),
    ("repro", "python -m pdb repro_layer_norm.py", N_("step through the script")),
    ("verify", "normgrade verify", N_("the whole course")),
    ("verify", "normgrade verify --changed", N_("only what has changed")),
    ("verify", "normgrade verify layer_norm --seeds 20", N_("use twenty seeds")),
    ("verify", "normgrade verify --mutants", N_("test every small change too")),
    ("verify", "normgrade verify --habits", N_("test every bad habit too")),
    ("verify", "normgrade verify rms_norm --mistake eps-missing", N_("show one mistake in full")),
    ("verify", "normgrade verify rms_norm --only test_eps", N_("run only one check")),
    ("verify", "normgrade verify --course my-course", N_("prove your own course")),
    ("new", 'normgrade new weight_norm "WeightNorm(weight, dim=0)"', N_("add a layer to this course")),
    ("new", 'normgrade new softmax "softmax(x, dim=-1)" --course my-course', N_("add a function to your own course")),
    ("new", "normgrade new layer_norm_backward --numpy", N_("forward and backward in NumPy")),
    ("warm", "normgrade warm", N_("the whole course")),
    ("warm", "normgrade warm layer_norm rms_norm", N_("two exercises")),
    ("warm", "normgrade warm --cores 2", N_("use only two cores")),
    ("warm", "normgrade warm --seed 7 layer_norm", N_("for inputs of another seed")),
    ("export", "normgrade export gradescope layer_norm", N_("an autograder to upload")),
    ("export", "normgrade export gradescope layer_norm rms_norm -o week3.zip", N_("two exercises")),
    ("export", "normgrade export github layer_norm -o template", N_("a workflow to commit")),
    ("grade", "normgrade grade class.zip", N_("a download from Moodle, say")),
    ("grade", "normgrade grade submitted --dry-run", N_("grade nothing yet")),
    ("grade", "normgrade grade hw3 --exercise rms_norm", N_("files of other names")),
    ("grade", "normgrade grade class.zip --roster class.csv", N_("also name the absent")),
    ("grade", "normgrade grade class.zip --dry-run --sources sources", N_("write the code for JPlag")),
    ("gradebook", "normgrade gradebook export --output marks.csv", N_("write the marks as CSV")),
    ("gradebook", "normgrade gradebook show", N_("show all marks")),
    ("gradebook show", 'normgrade gradebook show "Anna Li"', N_("show the results of a student")),
    ("gradebook show", 'normgrade gradebook show "Anna Li" layer_norm', N_("show the whole report")),
    ("gradebook export", "normgrade gradebook export --output marks.csv --bom", N_("for Excel")),
    ("gradebook export", 'normgrade gradebook export --format canvas --title rms_norm="RMS (4711)"', N_("for Canvas")),
    ("gradebook feedback", "normgrade gradebook feedback feedback", N_("write a page for each student")),
    ("gradebook page", "normgrade gradebook page class-page", N_("write a page about the class")),
    ("gradebook override", 'normgrade gradebook override "Anna Li" rms_norm 18 --why "oral exam"', N_("set a mark")),
    ("gradebook override", 'normgrade gradebook override "Anna Li" rms_norm none --why mistaken', N_("end that")),
    ("gradebook forget", 'normgrade gradebook forget "Anna Li"', N_("delete all about her")),
    ("doctor", "normgrade doctor", N_("show which walls hold, and why")),
)
LONGEST = 50  # columns; below a longer command its explanation takes a line of its own


def examples(command: str) -> str:
    """Return the examples of a command, a line each, in a block that click does not wrap; "" for a command without examples."""
    lines = [(line, does) for name, line, does in EXAMPLES if name == command]
    if not lines:
        return ""
    width = max((len(line) for line, _does in lines if len(line) <= LONGEST), default=0)
    said = (f"  {line:{width}}  {_(does)}" if len(line) <= LONGEST else f"  {line}\n  {'':{width}}  {_(does)}" for line, does in lines)
    return "\n".join(["\b", _("Examples:"), *said])
