"""The words for an intruder: terms, how they are made, and what somebody knows.

Like all words of the language they are read, not run. What they mean is said in
`angarium.checker.frontend.universe`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, NoReturn, TypeVar


def _compiled_only(word: str) -> NoReturn:
    raise RuntimeError(f"{word} is part of a model: models are compiled, not called")


X = TypeVar("X")


class _Terms(type):
    """Lets `for fact in Fact` type-check."""

    def __iter__(cls: type[X]) -> Iterator[X]:
        _compiled_only("iteration over terms")


class Term(metaclass=_Terms):
    """What can be said or known: `class Fact(Term): "Everything that goes over the wire."`

    Its values are made by functions of the same file that return the class, with a body that says how:
    `def ticket(user: User) -> Fact: return encrypted(key(), name(user))`. There is one term for each
    combination of arguments, which are indices, enumeration members and bools. What stands inside a term
    are terms of the same class, made by functions that do not come back to this one.
    """


def atom() -> NoReturn:
    """A term that has no parts: a name, a key, a secret. Who was not told it cannot make it."""
    _compiled_only("atom")


def paired(part: Term, *parts: Term) -> NoReturn:
    """Terms side by side: everybody can take it apart, and put it together who has the parts."""
    _compiled_only("paired")


def encrypted(key: Term, part: Term, *parts: Term) -> NoReturn:
    """Terms under a shared key: who has the key can take it apart; who has key and parts can make it."""
    _compiled_only("encrypted")


def sealed(key: Term, part: Term, *parts: Term) -> NoReturn:
    """Terms under the public half of a key: who has the parts can make it; only `key` opens it."""
    _compiled_only("sealed")


def signed(key: Term, part: Term, *parts: Term) -> NoReturn:
    """Terms with a signature: everybody can read the parts; only who has the key can make it."""
    _compiled_only("signed")


class Knowledge(Generic[X]):
    """What somebody knows: all terms that can be derived from what was heard.

    `fact in self.knows` says whether a term can be derived. Stories leave out what can be made from the rest.
    """

    def hear(self, term: X) -> None:
        """Learn a term, and all that follows from it and from what was known."""

    def __contains__(self, term: X) -> bool: ...  # type: ignore[empty-body]
    def __iter__(self) -> Iterator[X]: ...  # type: ignore[empty-body]
    def __len__(self) -> int: ...  # type: ignore[empty-body]


class _Declared:
    """What a declaration of knowledge is at run time: nothing that can be used."""

    def __repr__(self) -> str:
        return "<knowledge of a model>"


def knowledge(terms: type[X]) -> Knowledge[X]:
    """What somebody knows of a kind of terms; starts empty.

    With `channel(Fact, intruder=knows)` an intruder who knows it sits on the channel: it hears whatever is
    sent, may hold it back from the receiver, and may give a receiver any term that it can derive.
    """
    knowledge: Knowledge[X] = _Declared()  # type: ignore[assignment]
    return knowledge
