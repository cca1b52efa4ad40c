"""A page as a browser sees it: strict about what is closed, generous about nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "br", "hr", "img", "link", "input"}
_Attributes = list[tuple[str, str | None]]


@dataclass(slots=True)
class Element:
    """An element with all text inside."""

    name: str
    attributes: dict[str, str]
    text: str = ""
    inside: list[Element] = field(default_factory=list)

    def all(self, name: str, kind: str = "") -> list[Element]:
        """Every element of this name inside, from above to below; only those of a class, if one is given."""
        found = [self] if self.name == name and (not kind or kind in self.kinds) else []
        return [*found, *(each for child in self.inside for each in child.all(name, kind))]

    @property
    def kinds(self) -> list[str]:
        return self.attributes.get("class", "").split()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.path = [Element("page", {})]

    def handle_starttag(self, tag: str, attrs: _Attributes) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.path[-1].inside.append(element)
        if tag not in _VOID:
            self.path.append(element)

    def handle_startendtag(self, tag: str, attrs: _Attributes) -> None:
        self.path[-1].inside.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.path[-1].name == tag, f"</{tag}> closes <{self.path[-1].name}>"
        self.path.pop()

    def handle_data(self, data: str) -> None:
        for element in self.path:
            element.text += data


def read(page: str) -> Element:
    """The page as a tree; every element that is opened is closed."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    (root,) = reader.path
    return root


def section(root: Element, title: str) -> Element:
    """The section of a claim."""
    return next(each for each in root.all("section") if each.all("h3")[0].text.startswith(f"{title} "))


def rows(root: Element, caption: str) -> list[list[str]]:
    """The rows of a table, as text."""
    found = next(each for each in root.all("table") if each.all("caption")[0].text == caption)
    body = found.all("tbody")[0].all("tr")
    return [[cell.text for cell in row.inside] for row in body]
