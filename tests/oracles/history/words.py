"""The words of lives, in plain Python: what `automaton.letters` says is a letter, and where its place is."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from angarium.history import schema
from tests.oracles.history.events import Event
from tests.oracles.history.life import Delivery, Life

MOST_DELIVERIES = 60
Word = tuple[str, bool, bool, bool]
"""Letters; whether their order is not certain, the message was sent more than once, and the life is cut."""


class Sign(NamedTuple):
    """A letter where it was seen, and whose it is: a consumer's up to its end."""

    moment: tuple[object, ...]
    clock: str
    letter: str
    who: tuple[object, ...] | None


def words(life: Life) -> Counter[Word]:
    """How often each word is there."""
    return Counter(_word(life, deliveries) for deliveries in life.of_reader.values())


def _word(life: Life, deliveries: list[Delivery]) -> Word:
    sends = life.sends.get(deliveries[0].message, [])
    signs = [sign for each in deliveries[:MOST_DELIVERIES] for sign in _of(life, each)]
    if sends:
        first = min(sends, key=lambda each: each.moment)
        signs.append(_sign(first, "x" if _in_vain(sends) else "s"))
    ordered = sorted(dict.fromkeys(signs), key=lambda each: each[:3])
    kept = [each for each in ordered if each.letter != "e" or _in_hand(each, ordered)]
    people = list(dict.fromkeys(each.who for each in kept if each.who))
    letters = [each.letter + (str(people.index(each.who) + 1) if each.who else "") for each in kept]
    late = any(each.op_name == schema.RECORDING_BEGINS and each.phase != "fail" for each in life.events)
    if not sends and (late or not life.sends):
        letters.insert(0, "s")
    invoked = sum(each.phase == "invoke" for each in sends)
    return " ".join(letters), _blurred(life, kept), invoked > 1, len(deliveries) > MOST_DELIVERIES


def _in_vain(sends: list[Event]) -> bool:
    phases = Counter(each.phase for each in sends)
    return not phases["ok"] + phases["info"] and 0 < phases["fail"] >= phases["invoke"]


def _of(life: Life, delivery: Delivery) -> list[Sign]:
    end = delivery.end
    who = (delivery.event.consumer, end and end.moment)
    acks = delivery.settled("ack")
    certain = next((each for each in acks if each.phase == "ok"), None)
    doubted = bool(acks) and end is not None and end.at <= acks[0].at + life.parameters.ack_doubt
    back = next(iter(delivery.settled("requeue", "reject", "dead_letter")), None)
    signs = [_sign(delivery.event, "d", who)]
    if certain:
        signs.append(_sign(certain, "f", who))
    elif acks:
        signs.append(_sign(acks[0], "u" if doubted else "a", who))
    if back:
        signs.append(_sign(back, "q" if back.settle == "requeue" else "j", who))
    elif end and not certain and (not acks or doubted):
        signs.append(_sign(end, "e", who))
    return signs


def _sign(event: Event, letter: str, who: tuple[object, ...] | None = None) -> Sign:
    return Sign(event.moment, event.clock_domain or "", letter, who)


def _in_hand(end: Sign, signs: list[Sign]) -> bool:
    own = [each.letter for each in signs if each.who == end.who and each.letter not in "eu"]
    later = any(each.letter == "d" and each.moment > end.moment for each in signs)
    return own[-1] == "d" and later


def _blurred(life: Life, signs: list[Sign]) -> bool:
    skew = life.parameters.clock_skew
    pairs = pairwise(signs)
    return any(one.clock != other.clock and other.moment[0] - one.moment[0] <= skew for one, other in pairs)
