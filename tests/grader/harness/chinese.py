"""Files of translations, as a course has them."""

from collections.abc import Mapping

from normgrade.course.translations import hash_of


def in_chinese(place: str, said: Mapping[str, str]) -> str:
    """Return the lines of a file of translations: those of English texts at one place."""
    return "".join(f'"{place}".{hash_of(english)} = "{chinese}"\n' for english, chinese in said.items())
