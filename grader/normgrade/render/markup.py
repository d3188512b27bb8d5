"""HTML and SVG as trees: every text is escaped by the library that writes it, so that what a learner wrote stays text."""

from __future__ import annotations

from xml.etree.ElementTree import Element, tostring

from normgrade.render.wording import printable

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
