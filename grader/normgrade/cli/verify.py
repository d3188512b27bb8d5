"""`normgrade verify`: prove the course."""

from __future__ import annotations

from pathlib import Path

import click

from normgrade.cli.bar import progress
from normgrade.cli.options import DETAILS, course_option, hand_over, isolation_option, report_options, whole_number, writable
from normgrade.cli.shell_words import slugs_alike
from normgrade.learner.workspace import find_course
from normgrade.report.render import renderer


@click.command("verify")
@click.argument("slugs", nargs=-1, metavar="[SLUG]…", shell_complete=slugs_alike)
@click.option(
    "--seeds", callback=whole_number(1, 1000), default="1", metavar="N", help="Prove everything on inputs of the seeds 0 to N − 1."
)
@click.option("--mutants", is_flag=True, help="Prove too that every small change of a reference fails, unless equivalent.toml accepts it.")
@click.option("--cores", callback=whole_number(1, 256), metavar="N", help="Work on so many cores at once; on all of them, unless said.")
@isolation_option
@report_options
@course_option
def verify_command(
    slugs: tuple[str, ...],
    seeds: int,
    mutants: bool,
    cores: int | None,
    required: str,
    format: str,
    output: Path | None,
    detail: str | None,
    course_folder: Path | None,
) -> int:
    """Prove the course.

    References and alternatives pass, stubs fail, every known mistake fails and is named. Where an exercise is not finished, it says what
    is missing.
    """
    renderer(format)  # before anything is graded
    writable(output)
    course = find_course(course_folder)

    from normgrade.suite.grading_options import Options, available
    from normgrade.verify.matrix import matrix
    from normgrade.verify.proofs import verify
    from normgrade.verify.unfinished import sorted_out

    exercises, unfinished = sorted_out(course, slugs)
    with progress() as watched:
        reports = verify(exercises, range(seeds), Options(required=required, progress=watched), mutants, cores or available())
    code = hand_over([*reports, *unfinished], format, output, DETAILS[detail])
    if exercises and format == "terminal" and output is None:
        click.echo("\n" + "\n".join(matrix(exercises)))
    return code
