"""HTML and SVG as trees: every text is escaped by the library that writes it, so that what a learner wrote stays text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from xml.etree.ElementTree import Element, tostring

from normgrade.report.render.wording import printable

Child = Element | str | None


def tag(name: str, /, *children: Child, **attributes: object) -> Element:
    """An element. `class_` is written class, `aria_label` aria-label; an attribute that is None or False is left out."""
    element = Element(name)
    for key, value in attributes.items():
        if value is not None and value is not False:
            element.set(key.rstrip("_").replace("_", "-"), "" if value is True else printable(str(value)))
    for child in children:
        put(element, child)
    return element


def put(element: Element, child: Child) -> None:
    """Put an element or a text at the end of another one."""
    if isinstance(child, Element):
        element.append(child)
    elif child is not None:
        text = printable(child)
        if len(element):
            element[-1].tail = (element[-1].tail or "") + text
        else:
            element.text = (element.text or "") + text


def as_html(element: Element) -> str:
    """The element as HTML: scripts and styles as they are, everything else escaped."""
    return tostring(element, encoding="unicode", method="html")


def prose(text: str) -> Iterator[Element | str]:
    """What stands between backticks is code."""
    for number, part in enumerate(text.split("`")):
        yield tag("code", part) if number % 2 else part


def joined(elements: Iterable[Element]) -> Iterator[Element | str]:
    for number, element in enumerate(elements):
        if number:
            yield ", "
        yield element


def table(columns: Sequence[str], rows: Sequence[Element], label: str) -> Element:
    """A table that scrolls on a narrow screen, with the keyboard too."""
    numeric = [{cell.get("class") for cell in cells} == {"number"} for cells in zip(*rows, strict=True)] if rows else [False] * len(columns)
    cells = [
        tag("th", column, scope="col", class_="number" if right else None) if column else tag("td")
        for column, right in zip(columns, numeric, strict=True)
    ]
    head = tag("thead", tag("tr", *cells))
    return tag("div", tag("table", head, tag("tbody", *rows)), class_="scroll", role="group", aria_label=label, tabindex=0)
