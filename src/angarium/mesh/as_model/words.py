"""Names of a mesh as words of a model.

Names come from other people's files and may be anything; a word of a model is an identifier of Python. Each
name gets a word that looks like it, no two the same, and the name itself is kept as a text beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from keyword import iskeyword, issoftkeyword

LONGEST = 40
"""Characters of a word: what is longer is cut, and numbered if that makes two words the same."""
_TAKEN = frozenset({"name", "value", "mro", "self"})
"""What would mean something else as a member of an enumeration."""


def words(names: Iterable[str], letter: str) -> dict[str, str]:
    """A word for each name, in order; `letter` is put before what would begin with none."""
    given = tuple(dict.fromkeys(names))
    return dict(zip(given, distinct(word_for(name, letter) for name in given), strict=True))


def distinct(wishes: Iterable[str]) -> list[str]:
    """Each wish, with a number behind it if it has been wished before."""
    found: dict[str, None] = {}
    for wish in wishes:
        word, number = wish, 1
        while word in found:
            number += 1
            word = f"{wish}_{number}"
        found[word] = None
    return list(found)


def word_for(name: str, letter: str) -> str:
    """A word that looks like a name; another name may get the same."""
    plain = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")[:LONGEST]
    if not plain or not plain[0].isalpha():
        plain = f"{letter}{plain}"
    odd = iskeyword(plain) or issoftkeyword(plain) or plain in _TAKEN
    return f"{plain}_" if odd else plain


def enumeration(kind: str, about: str, members: Mapping[str, str]) -> str:
    """A class with one member for each name."""
    lines = [f"    {word} = {name!a}" for name, word in members.items()]
    return "\n".join([f"class {kind}(Enum):", f'    """{about}"""', "", *lines])


def either(kind: str, members: Iterable[str]) -> str:
    """Some members of an enumeration, as what `in` looks into."""
    listed = [f"{kind}.{member}" for member in members]
    return f"({', '.join(listed)}{',' if len(listed) == 1 else ''})"
