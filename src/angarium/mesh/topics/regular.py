r"""Regular expressions over the characters of Kafka's topic names, and Java's, which are read into them.

They are taken apart letter by letter. The partial derivatives of a term (Antimirov, 1996) are what can be
left of it when one character has been read. There are no more of them, in all, than characters are written in
the expression, and they are the states of an automaton: whatever the expression, matching is linear and
nothing can run away. Only what must not come next is followed all at once, as a set of terms, and such sets
can be many; `work` says how many.

Java's expressions are read as far as they say which names match. MirrorMaker matches whole names, so greedy
and reluctant repetition are the same, groups only group, and `^` and `$` say nothing at the ends. `(?!eu\.)`
outside of groups takes names away: those whose rest begins so. What else looks beyond what it matches (other
look-around, back references, possessive repetition, flags) is refused with its column. Nothing here is given
to a backtracking matcher.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_letters, digits

from angarium.core.errors import MeshError
from angarium.mesh.mesh import Pattern

LETTERS = ascii_letters + digits + "._-"
"""The characters that a topic's name may have, the most readable first."""
ALL = frozenset(LETTERS)
RANK = {letter: rank for rank, letter in enumerate(LETTERS)}


@dataclass(frozen=True, slots=True)
class Letter:
    """One character of these."""

    chars: frozenset[str]


@dataclass(frozen=True, slots=True)
class Row:
    """One behind the other; without parts: the empty name."""

    parts: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Any of them."""

    parts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """One behind the other, `most` of them or fewer; None: any number."""

    part: Term
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Without:
    """The names of a term, but for those that one of `never` has too."""

    part: Term
    never: frozenset[Term]


Term = Letter | Row | Choice | Repeat | Without
NOTHING_LEFT = Row()
EVERYTHING = Repeat(Letter(ALL))


def row(first: Term, *rest: Term) -> Term:
    """One behind the other, without rows in rows."""
    parts = tuple(
        each for part in (first, *rest) for each in (part.parts if isinstance(part, Row) else (part,))
    )
    return parts[0] if len(parts) == 1 else Row(parts)


def may_be_empty(term: Term) -> bool:
    """Whether the empty name is one of its names."""
    match term:
        case Letter():
            return False
        case Row(parts):
            return all(map(may_be_empty, parts))
        case Choice(parts):
            return any(map(may_be_empty, parts))
        case Repeat():
            return True
        case Without(part, never):
            return may_be_empty(part) and not any(map(may_be_empty, never))


Beginnings = list[tuple[frozenset[str], Term]]


def beginnings(term: Term) -> Beginnings:
    """Which characters it can begin with, and what is left behind them."""
    match term:
        case Letter(chars):
            return [(chars, NOTHING_LEFT)] if chars else []
        case Choice(parts):
            return [each for part in parts for each in beginnings(part)]
        case Repeat(part, most):
            again = term if most is None else Repeat(part, most - 1) if most > 1 else NOTHING_LEFT
            return [(chars, row(left, again)) for chars, left in beginnings(part)]
        case Row(parts):
            return _beginnings_of_row(parts)
        case Without(part, never):
            return _beginnings_without(part, never)


def _beginnings_of_row(parts: tuple[Term, ...]) -> Beginnings:
    return [
        (chars, row(left, *parts[index + 1 :]))
        for index, part in enumerate(_first(parts))
        for chars, left in beginnings(part)
    ]


def _first(parts: tuple[Term, ...]) -> tuple[Term, ...]:
    """The parts of a row with which it can begin: all up to one that is not empty."""
    full = (index for index, part in enumerate(parts) if not may_be_empty(part))
    return parts[: next(full, len(parts)) + 1]


def _beginnings_without(part: Term, never: frozenset[Term]) -> Beginnings:
    """Characters are distinguished by what is left behind them of what must not be."""
    groups: dict[frozenset[Term], frozenset[str]] = {frozenset(): ALL}
    for chars, left in (each for term in never for each in beginnings(term)):
        groups = _told_apart(groups, chars, left)
    return [
        (chars & among, Without(after, left) if left else after)
        for chars, after in beginnings(part)
        for left, among in groups.items()
        if chars & among and EVERYTHING not in left
    ]


def _told_apart(
    groups: dict[frozenset[Term], frozenset[str]], chars: frozenset[str], left: Term
) -> dict[frozenset[Term], frozenset[str]]:
    found: dict[frozenset[Term], frozenset[str]] = {}
    for terms, among in groups.items():
        for more, some in ((terms | {left}, among & chars), (terms, among - chars)):
            if some:
                found[more] = found.get(more, frozenset()) | some
    return found


def not_empty(term: Term) -> Term:
    """The names of a term, but for the empty one."""
    if not may_be_empty(term):
        return term
    options = tuple(row(Letter(chars), left) for chars, left in beginnings(term))
    return options[0] if len(options) == 1 else Choice(options)


def work(term: Term, most: int) -> int:
    """What it costs to follow all that can be left of a term; counted until there are `most`."""
    seen, waiting, count = {term}, [term], 0
    while waiting and count < most:
        each = waiting.pop()
        count += _cost(each)
        new = {left for _, left in beginnings(each)} - seen if count < most else set()
        seen |= new
        waiting += new
    return count


def _cost(term: Term) -> int:
    """About how many terms are made when its beginnings are asked for, each as often as it has parts."""
    match term:
        case Letter():
            return 1
        case Row(parts):
            return 1 + len(parts) * sum(map(_cost, _first(parts)))
        case Choice(parts):
            return 1 + sum(map(_cost, parts))
        case Repeat(part):
            return 1 + _cost(part)
        case Without(part, never):
            return _cost(part) + sum(map(_cost, never))


LONGEST = 4096
"""Characters of an expression."""
LARGEST = 2000
"""Characters of an expression when its repetitions are written out."""
DEEPEST = 50
"""Groups within groups."""
MOST_WORK = 4_000_000
"""What it may cost to follow an expression character by character: about a second."""
SMALL = 150
"""Characters that never cost so much without a look-ahead: at most their third power."""
MOST_LOOK_AHEADS = 20

_WORD = frozenset(ascii_letters + digits + "_")
_DIGIT = frozenset(digits)
_NAMED: Mapping[str, frozenset[str]] = {
    "d": _DIGIT,
    "D": ALL - _DIGIT,
    "w": _WORD,
    "W": ALL - _WORD,
    "s": frozenset(),
    "S": ALL,
}
_POSSIBLE = (
    "possible: characters, ., [a-z], [^a-z], \\d \\w \\s \\D \\W \\S, \\Q…\\E, (…), (?:…), |, * + ? {n} {n,m}"
    ", (?!…) outside of groups"
)


class _Reader:
    """Reads one expression from left to right; `at` is what it looks at."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern, self.text, self.at = pattern, pattern.text, 0
        self.depth = self.size = 0
        self.look_aheads = 0
        self.within_look_ahead = False

    def refuse(
        self, why: str, remedy: str = "say it in another way, or list the topics by name"
    ) -> MeshError:
        what = f"mirrormaker: {self.text[:200]!r}, character {self.at + 1}: {why}"
        return MeshError("ANG124", what, possible=_POSSIBLE, remedy=remedy, place=self.pattern.place)

    def ahead(self, words: str) -> bool:
        return self.text.startswith(words, self.at)

    def take(self, words: str) -> bool:
        """Goes on behind the words, if they are next."""
        found = self.ahead(words)
        self.at += len(words) if found else 0
        return found

    def done(self) -> bool:
        return self.at >= len(self.text)

    def whole(self) -> Term:
        term = self.choice()
        if not self.done():
            raise self.refuse("there is no group that this ) closes", "remove it, or write \\)")
        if (self.look_aheads or self.size > SMALL) and work(term, MOST_WORK) >= MOST_WORK:
            raise self.refuse(
                "the expression is too involved to be followed character by character",
                "make several patterns of it; what (?!…) keeps out can be refused instead: topics.exclude",
            )
        return term

    def choice(self) -> Term:
        options = [self.sequence()]
        while self.take("|"):
            options.append(self.sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self) -> Term:
        if self.depth == 0:
            self.take("^")
        return self.rest()

    def rest(self) -> Term:
        """What comes up to the end of the sequence."""
        parts: list[Term] = []
        while not self.done() and not self.ahead("|") and not self.ahead(")"):
            if self.ahead("$") and self.depth == 0 and self.text[self.at + 1 : self.at + 2] in ("", "|"):
                self.at += 1
            elif self.depth == 0 and self.take("(?!"):
                never = self.never()
                parts.append(Without(self.rest(), never))
            elif self.ends_look_ahead():
                break
            else:
                parts += self.repeated()
        return row(NOTHING_LEFT, *parts)

    def ends_look_ahead(self) -> bool:
        """Whether a $ is next that says that the name ends where the look-ahead does."""
        inside = self.depth == 1 and self.within_look_ahead
        return inside and self.ahead("$") and self.text[self.at + 1 : self.at + 2] in ("|", ")")

    def never(self) -> frozenset[Term]:
        """What must not come next: the rest of a name that begins so, or with $ is so."""
        self.look_aheads += 1
        if self.look_aheads > MOST_LOOK_AHEADS:
            raise self.refuse(f"there are more than {MOST_LOOK_AHEADS} look-aheads", "write (?!a|b) for two")
        self.depth, self.within_look_ahead = 1, True
        found = {self.beginning()}
        while self.take("|"):
            found.add(self.beginning())
        self.depth, self.within_look_ahead = 0, False
        if not self.take(")"):
            raise self.refuse("a look-ahead is not closed", "add )")
        return frozenset(found)

    def beginning(self) -> Term:
        term = self.sequence()
        return term if self.take("$") else row(term, EVERYTHING)

    def repeated(self) -> list[Term]:
        """What comes next, and how often."""
        if self.take("\\Q"):
            return self.quoted()
        before = self.size
        term = self.single()
        bounds = self.bounds()
        return [term if bounds is None else self.times(term, *bounds, size=self.size - before)]

    def quoted(self) -> list[Term]:
        end = self.text.find("\\E", self.at)
        end = len(self.text) if end < 0 else end
        inside = self.text[self.at : end]
        self.at = end + 2
        return [self.letter(frozenset(char)) for char in inside]

    def single(self) -> Term:
        char = self.text[self.at]
        if char in "*+?{":
            raise self.refuse(
                f"there is nothing that {char} could repeat", f"write \\{char}, or what is repeated"
            )
        if char in "^$":
            raise self.refuse(f"{char} can only be at the ends of a whole name", f"leave {char} out")
        self.at += 1
        match char:
            case "(":
                return self.group()
            case "[":
                return self.letter(self.one_of())
            case "\\":
                return self.letter(self.escaped())
            case ".":
                return self.letter(ALL)
        return self.letter(frozenset(char))

    def letter(self, chars: frozenset[str]) -> Term:
        self.grow(1)
        return Letter(chars & ALL)

    def grow(self, more: int) -> None:
        self.size += more
        if self.size > LARGEST:
            raise self.refuse(
                f"written out, the expression is longer than {LARGEST} characters", "repeat less"
            )

    def group(self) -> Term:
        if self.ahead("?") and not self.take("?:"):
            raise self.unknown_group()
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.refuse(f"groups are nested more than {DEEPEST} deep")
        term = self.choice()
        self.depth -= 1
        if not self.take(")"):
            raise self.refuse("a group is not closed", "add )")
        return term

    def unknown_group(self) -> MeshError:
        looks = self.text[self.at + 1 : self.at + 3].strip("<")[:1] in ("=", "!")
        if looks:
            return self.refuse(
                "(? begins look-around, which is understood only as (?!…) outside of groups",
                "write what must not match as a pattern that is refused: topics.exclude",
            )
        return self.refuse("(? begins a named group or a flag, which is not understood", "write (?:…)")

    def escaped(self) -> frozenset[str]:
        if self.done():
            raise self.refuse("there is nothing behind the last \\", "remove it, or write \\\\")
        char = self.text[self.at]
        self.at += 1
        if char in _NAMED:
            return _NAMED[char]
        if char.isalnum():
            self.at -= 1
            kind = "a back reference" if char.isdigit() else "an escape"
            raise self.refuse(f"\\{char} is {kind} that is not understood")
        return frozenset(char)

    def one_of(self) -> frozenset[str]:
        """What stands in brackets; the first of them has been read."""
        start, negated, chars = self.at, self.take("^"), frozenset[str]()
        if self.ahead("]"):
            raise self.refuse("there is nothing between [ and ]", "write \\], or what may stand there")
        while not self.take("]"):
            if self.done():
                self.at = start - 1
                raise self.refuse("[ is not closed", "add ]")
            if self.ahead("[") or self.ahead("&&"):
                raise self.refuse(
                    f"{self.text[self.at]} within brackets is not understood", "write it behind a \\"
                )
            chars |= self.range()
        return ALL - chars if negated else chars

    def range(self) -> frozenset[str]:
        first = self.member()
        if not self.ahead("-") or self.text[self.at + 1 : self.at + 2] in ("]", "") or len(first) != 1:
            return first
        self.at += 1
        last = self.member()
        (low,), ends = first, sorted(last)
        if len(ends) != 1 or ends[0] < low:
            raise self.refuse("a range in brackets goes backwards, or to more than one character")
        return frozenset(char for char in ALL if low <= char <= ends[0])

    def member(self) -> frozenset[str]:
        char = self.text[self.at]
        self.at += 1
        return self.escaped() if char == "\\" and not self.done() else frozenset(char)

    def bounds(self) -> tuple[int, int | None] | None:
        """How often at least and at most; None if nothing is repeated here."""
        simple: Mapping[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        char = self.text[self.at : self.at + 1]
        if char == "{":
            found = self.counted()
        elif char and char in simple:
            found = simple[char]
            self.at += 1
        else:
            return None
        if self.ahead("+"):
            raise self.refuse("possessive repetition is not understood", "leave the second + out")
        self.take("?")
        return found

    def counted(self) -> tuple[int, int | None]:
        end = self.text.find("}", self.at)
        low, comma, high = self.text[self.at + 1 : max(end, 0)].partition(",")
        numbers = [low, *([high] if high else [])]
        if end < 0 or not all(n.isascii() and n.isdigit() and len(n) <= 4 for n in numbers):
            raise self.refuse(
                "{ does not begin a repetition such as {2} or {2,5}", "write \\{, or the numbers"
            )
        self.at = end + 1
        least, most = int(low), (int(high) if high else None if comma else int(low))
        if most is not None and most < least:
            raise self.refuse(f"{{{least},{most}}} ends before it begins")
        return least, most

    def times(self, term: Term, least: int, most: int | None, size: int) -> Term:
        """The repetition; what must be there is written out."""
        self.grow(size * max((least if most is None else most) - 1, 0))
        may = NOTHING_LEFT if most == least else Repeat(term, None if most is None else most - least)
        return row(NOTHING_LEFT, *[term] * least, may)


def read(pattern: Pattern) -> Term:
    """The names that the expression matches, as a term."""
    if len(pattern.text) > LONGEST:
        what = f"mirrormaker: {pattern.text[:40]!r}… is longer than {LONGEST} characters"
        raise MeshError("ANG124", what, remedy="make several patterns of it", place=pattern.place)
    return _Reader(pattern).whole()
