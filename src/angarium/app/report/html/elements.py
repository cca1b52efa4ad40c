"""HTML, element by element. Text is escaped unless it is HTML already, so nothing can be forgotten.

Verdicts and outcomes as words with a sign, so that colour is never all that tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from angarium.app.report.job import AS_EXPECTED, FAILED, UNDECIDED, UNEXPECTED
from angarium.app.report.layout import printable


class Html(str):
    """Text that is HTML: made by the functions here, or by our own pictures."""

    __slots__ = ()


Part = str | Html | None
"""What stands in an element: text, HTML, or nothing."""


def element(name: str, *parts: Part, **attributes: str | None) -> Html:
    """`<name attribute="value">parts</name>`; `_` in an attribute's name is `-`, and `class_` is `class`."""
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    words = "".join(f' {key}="{_escaped(value)}"' for key, value in given.items() if value is not None)
    return Html(f"<{name}{words}>{joined(*parts)}</{name}>")


def joined(*parts: Part) -> Html:
    """Parts one behind the other."""
    return Html("".join(part if isinstance(part, Html) else _escaped(part) for part in parts if part))


def several(parts: Iterable[Part]) -> Html:
    """The same, of a collection."""
    return joined(*parts)


def folded(title: Part, *parts: Part, is_open: bool = False) -> Html:
    """What can be folded away."""
    head = element("summary", title)
    return element("details", head, *parts, open="" if is_open else None)


def scrolling(*parts: Part, label: str) -> Html:
    """What may be wider than the page: it scrolls in a box of its own, which the keyboard reaches too."""
    return element("div", *parts, class_="wide", tabindex="0", role="region", aria_label=label)


def table(
    caption: str, heads: Sequence[Part], rows: Iterable[Sequence[Part]], *, numbers: Collection[int] = ()
) -> Html:
    """A table; the first cell of a row is its head. `numbers` are the places of columns with numbers."""
    kinds = ["number" if place in numbers else None for place in range(len(heads))]
    head = [element("th", each, scope="col", class_=kind) for each, kind in zip(heads, kinds, strict=True)]
    body = [element("tr", *_cells(row, kinds)) for row in rows]
    inside = [
        element("caption", caption),
        element("thead", element("tr", *head)),
        element("tbody", *body),
    ]
    return scrolling(element("table", *inside), label=caption)


def _cells(row: Sequence[Part], kinds: Sequence[str | None]) -> Iterable[Html]:
    for place, (cell, kind) in enumerate(zip(row, kinds, strict=True)):
        yield element("td", cell, class_=kind) if place else element("th", cell, scope="row", class_=kind)


def facts(pairs: Mapping[str, Part]) -> Html | None:
    """Names with what is known of them; those without anything are left out."""
    told = {name: value for name, value in pairs.items() if value}
    parts = [element("div", element("dt", name), element("dd", value)) for name, value in told.items()]
    return element("dl", *parts) if parts else None


def listed(parts: Iterable[Part]) -> Html | None:
    """A list; nothing if there is nothing in it."""
    items = [element("li", part) for part in parts if part]
    return element("ul", *items) if items else None


def code(text: str) -> Html:
    """Something to copy."""
    return element("code", text)


def slug(text: str, number: int) -> str:
    """A name for a link: the number keeps two alike apart."""
    words = re.sub(r"[^a-z0-9]+", "-", printable(text).lower()).strip("-")
    return f"{words or 'claim'}-{number}"


def _escaped(text: str) -> str:
    return escape(printable(text))


def parameter(value: Any) -> str:  # noqa: ANN401 (a parameter, or a symbol of a state)
    """A value as one would write it."""
    match value:
        case None:
            return "not set"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return ", ".join(map(parameter, value)) or "none"
        case _:
            return str(value) or "empty"


def assigned(values: Mapping[str, Any]) -> str:
    """`queues=3, stops=true`."""
    return ", ".join(f"{name}={parameter(value)}" for name, value in values.items())


# --- signs ----------------------------------------------------------------------------------------


SIGNS = {
    "holds": "✓",
    "violated": "✗",
    "unknown": "?",
    "noticed": "✓",
    "survived": "✗",
    AS_EXPECTED: "✓",
    UNEXPECTED: "✗",
    FAILED: "!",
    UNDECIDED: "?",
}
_KINDS = {"✓": "good", "✗": "bad", "!": "bad", "?": "open"}


def plain(verdict: str) -> Html:
    """A verdict in a table: its word is coloured, but says by itself what it means."""
    return element("span", f"{sign_of(verdict)} {verdict}", class_=f"verdict {kind_of(verdict)}")


def badge(outcome: str) -> Html:
    """An outcome, to be seen from afar."""
    return element("span", f"{sign_of(outcome)} {outcome}", class_=f"badge {kind_of(outcome)}")


def sign_of(word: str) -> str:
    """One letter for a verdict or an outcome."""
    return SIGNS.get(word, "?")


def kind_of(word: str) -> str:
    """Whether it is good, bad or open: the class that gives it its colour."""
    return _KINDS[sign_of(word)]
