"""How your function is called, where a single call does not tell."""


def row_by_row(impl, x):
    """Call it on every row alone."""
    return {f"row {number}": impl.rms(row) for number, row in enumerate(x, 1)}
