"""Terms for the peer of `kafka-security`, and what an intruder can make of them, in plain Python.

A term is a tuple: a kind, an atom's name or a key, and parts.
"""

from __future__ import annotations

from functools import cache
from typing import Any

Term = tuple[str, Any, tuple[Any, ...]]
PRODUCER, CONSUMER, INTRUDER, BROKER = "producer", "consumer", "intruder", "broker"


def atom(*name: object) -> Term:
    return ("atom", name, ())


def of(kind: str, key: Term | None, *parts: Term) -> Term:
    return (kind, key, parts)


def session(user: str, start: int) -> Term:
    return atom("session", user, start)


def tgs_session(user: str, start: int) -> Term:
    return atom("tgs session", user, start)


def tgt(user: str, start: int) -> Term:
    return of("cipher", atom("key", "tgs"), atom(user), atom(start), tgs_session(user, start))


def as_reply(user: str, start: int) -> Term:
    return of("cipher", atom("password", user), tgt(user, start), tgs_session(user, start))


def tgs_request(user: str, start: int) -> Term:
    proves = of("cipher", tgs_session(user, start), atom(user), atom(start))
    return of("pair", None, tgt(user, start), proves)


def ticket(user: str, start: int) -> Term:
    return of("cipher", atom("key", BROKER), atom(user), atom(start), session(user, start))


def granted(user: str, start: int) -> Term:
    return of("cipher", tgs_session(user, start), session(user, start))


def tgs_reply(user: str, start: int) -> Term:
    return of("pair", None, granted(user, start), ticket(user, start))


def login(user: str, start: int, stamp: int, claimed: str) -> Term:
    shown = of("cipher", session(user, start), atom(claimed), atom(stamp))
    return of("pair", None, ticket(user, start), shown)


def hello(user: str, start: int) -> Term:
    return of("sealed", atom("key", BROKER), atom(user), session(user, start))


def signed_hello(user: str, start: int) -> Term:
    return of("signed", atom("private", user), hello(user, start))


def proof(user: str, start: int) -> Term:
    return of("cipher", session(user, start), atom(BROKER), atom(start))


# --- what the intruder can do -----------------------------------------------------------------------


def can_make(term: Term, known: frozenset[Term]) -> bool:
    kind, key, parts = term
    if term in known:
        return True
    if kind == "atom" or (kind in ("cipher", "signed") and not can_make(key, known)):
        return False
    return all(can_make(part, known) for part in parts)


@cache
def learn(known: frozenset[Term], heard: Term) -> frozenset[Term]:
    """Take apart what can be taken apart, and forget what can be put together again."""
    parts = set(known) | {heard}
    while True:
        inside = {
            part
            for kind, key, within in parts
            for part in within
            if kind in ("pair", "signed") or can_make(key, frozenset(parts))
        }
        if inside <= parts:
            break
        parts |= inside
    return frozenset(t for t in parts if t[0] == "atom" or not can_make(t, frozenset(parts - {t})))


@cache
def knows(known: frozenset[Term], term: Term) -> bool:
    return can_make(term, known)
