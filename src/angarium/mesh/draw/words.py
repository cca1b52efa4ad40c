"""What a drawing says about the parts of a mesh, and how names are made fit to be shown.

Names come from files that anybody may have written. What is no letter is dropped before it gets anywhere:
control characters, half characters, and marks that turn the direction of writing, with which one name can
look like another. Long names are cut in the middle, since those of one mesh often begin alike; the tooltip
has them whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from unicodedata import category, combining, east_asian_width

from angarium.mesh.draw.drawing import KINDS, Client, Drawing, Mark, Strand
from angarium.mesh.mesh import Broker, Link, Pattern, Publisher, Subscriber

_DROPPED = {"Cc", "Cf", "Cn", "Co", "Cs"}
_LISTED = 12
"""How many things a tooltip lists."""
_ROOM = 44
"""How many characters fit beside a line."""
_LONGEST = 1000
"""How many characters of a name a tooltip has."""
_WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!`", 0.31),
    **dict.fromkeys('frtI()[]{}/\\- "*', 0.41),
    **dict.fromkeys("mwMW@%", 0.97),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&#=+<>~…→", 0.76),
}
_USUAL, _FULL = 0.62, 1.05
"""How wide a letter is, in heights of a font that is rather wide."""


def clean(text: str) -> str:
    """The text without anything that is not to be seen, in one line."""
    spaced = (" " if letter.isspace() else letter for letter in text)
    return "".join(letter for letter in spaced if category(letter) not in _DROPPED).strip()


def cut(text: str, letters: int) -> str:
    """The text, without its middle if it has more letters than this."""
    text = clean(text)
    if len(text) <= letters:
        return text or "?"
    ending = (letters - 1) // 2
    return f"{text[: letters - 1 - ending].rstrip()}…{text[len(text) - ending :].lstrip()}"


def width(text: str, size: float) -> float:
    """How much room a line of text takes, at most."""
    return size * sum(_width(letter) for letter in text)


def _width(letter: str) -> float:
    if combining(letter):
        return 0.0
    return _WIDTHS.get(letter) or (_FULL if east_asian_width(letter) in "WF" else _USUAL)


def count(number: int, what: str) -> str:
    """`1 broker`, `2 brokers`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def whole(name: str) -> str:
    """A name for a tooltip."""
    return cut(name, _LONGEST)


def some(lines: Sequence[str]) -> list[str]:
    """As many lines as a tooltip can have, and how many are left out."""
    rest = len(lines) - _LISTED
    return list(lines) if rest <= 1 else [*lines[:_LISTED], f"+ {rest} more"]


# --- brokers --------------------------------------------------------------------------------


def of_broker(broker: Broker, drawing: Drawing) -> str:
    """The tooltip of a broker: all that is known about it."""
    facts = [
        f"broker {whole(broker.name)}",
        "dead" if broker.name in drawing.dead.brokers else "",
        f"topics as in {clean(broker.dialect)}" if broker.dialect != "plain" else "",
        f"latency {broker.latency:g} ms" if broker.latency else "",
        f"known as {whole(broker.identity)}" if broker.identity else "",
        f"if it dies, {whole(broker.substitute)} takes over" if broker.substitute else "",
        *some([of_client(client) for client in drawing.clients[broker.name]]),
        *some([f"within itself: {of_link(link)}" for link in drawing.within[broker.name]]),
    ]
    return "\n".join(filter(None, facts))


def of_client(client: Client) -> str:
    """The tooltip of a publisher or subscriber."""
    does = "publishes" if isinstance(client, Publisher) else "wants"
    topics = ", ".join(some([whole(topic.text) for topic in client.topics])) or "nothing"
    bound = client.latency_bound if isinstance(client, Subscriber) else None
    within = f" within {bound:g} ms" if bound is not None else ""
    return f"{whole(client.name)} {does} {topics}{within}"


# --- links ----------------------------------------------------------------------------------


def of_strand(strand: Strand, drawing: Drawing) -> str:
    """The tooltip of a line: what it is, and each of its links."""
    arrow = "↔" if strand.both_ways else "→"
    head = f"{whole(strand.cable)}: {whole(strand.first)} {arrow} {whole(strand.second)}"
    dead = "\ndead" if drawing.is_dead(strand) else ""
    return "\n".join([head + dead, *some([of_link(link) for link in strand.links])])


def of_link(link: Link) -> str:
    """Everything about a link, in a line."""
    ends = f"{whole(link.name)}: {whole(link.source)} → {whole(link.target)}"
    kept = "" if link.buffering == "kept" else f"while it is down, messages are {_kept(link.buffering)}"
    return ", ".join(filter(None, [ends, *_rules(link, letters=_LONGEST), kept]))


def _kept(buffering: str) -> str:
    return "lost" if buffering == "lost" else f"kept for {whole(buffering)}"


def short_labels(strand: Strand) -> list[str]:
    """What stands beside a line: what is not as usual, said once if it is the same there and back."""
    there, back = (_gathered(links) for links in (strand.there, strand.back))
    if not strand.both_ways or there == back:
        return [text for text in (there or back,) if text]
    directions = ((there, strand.second), (back, strand.first))
    return [f"to {cut(target, 14)}: {text}" for text, target in directions if text]


def _gathered(links: Sequence[Link]) -> str:
    """What is special about all these links; if it is not the same, only how many they are."""
    texts = list(dict.fromkeys(_joined(_rules(link, letters=18)) for link in links))
    return texts[0] if len(texts) == 1 else count(len(links), "link") if texts else ""


def _joined(facts: Sequence[str]) -> str:
    """As many facts as there is room for beside a line."""
    lengths = accumulate(len(fact) + 3 for fact in facts)
    shown = sum(length <= _ROOM for length in lengths)
    return " · ".join([*facts[:shown], *["…"][: len(facts) - shown]])


def _rules(link: Link, letters: int) -> list[str]:
    """What a link does that a plain one does not."""
    facts = (
        f"cost {link.cost}" if link.cost != 1 else "",
        f"{link.latency:g} ms" if link.latency else "",
        f"stands by: {link.rank}" if link.rank else "",
        f"at most {count(link.hop_limit, 'hop')}" if link.hop_limit is not None else "",
        _patterns(link.accepts, letters),
        f"not {_patterns(link.refuses, letters)}" if link.refuses else "",
        _renaming(link, letters),
    )
    return [fact for fact in facts if fact]


def _patterns(patterns: Sequence[Pattern], letters: int) -> str:
    if not patterns:
        return ""
    first = cut(patterns[0].text, letters)
    return first if len(patterns) == 1 else f"{first} + {len(patterns) - 1} more"


def _renaming(link: Link, letters: int) -> str:
    if link.rename is None:
        return ""
    if link.rename.whole is not None:
        return f"renamed {cut(link.rename.whole, letters)}"
    taken = f"strips {cut(link.rename.strip, letters)}" if link.rename.strip else ""
    added = f"adds {cut(link.rename.add, letters)}" if link.rename.add else ""
    return ", ".join(filter(None, (taken, added)))


def of_mark(mark: Mark, letters: str = "") -> str:
    """Why a path is marked."""
    caption = whole(mark.caption) if clean(mark.caption) else KINDS[mark.kind].meaning
    return f"{letters}: {mark.kind}: {caption}" if letters else f"{mark.kind}: {caption}"


# --- the whole ------------------------------------------------------------------------------


def title(drawing: Drawing) -> str:
    return clean(drawing.title or drawing.mesh.name) or "mesh"


def summary(drawing: Drawing) -> str:
    """How much of what the drawing shows."""
    mesh = drawing.mesh
    counted = ((mesh.brokers, "broker"), (drawing.strands, "link"))
    clients = ((mesh.publishers, "publisher"), (mesh.subscribers, "subscriber"))
    parts = [count(len(each), what) for each, what in counted]
    parts += [count(len(each), what) for each, what in clients if each]
    dead = f". Dead: {_names(drawing.dead.brokers, drawing.dead.cables)}" if drawing.dead else ""
    return ", ".join(parts) + dead


def _names(brokers: Iterable[str], cables: Iterable[str]) -> str:
    names = [f"broker {cut(name, 30)}" for name in sorted(brokers)]
    return ", ".join(some(names + [f"link {cut(name, 30)}" for name in sorted(cables)]))
