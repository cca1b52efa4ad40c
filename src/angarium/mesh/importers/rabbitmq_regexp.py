"""Whether a policy's pattern is found in a name, in time that is bounded whatever the pattern.

RabbitMQ searches names by Perl's regular expressions, anchored only where they say so. Python's `re` goes
back and tries again, which takes for ever on a pattern made for that. Here a part of a pattern is a
function from the places where it may begin to those where it may then end; a set of places has at most as
many members as the name has letters, so no part is tried twice at a place. Understood are letters,
classes, groups, alternatives, repetitions, anchors, and looking ahead or behind; what needs memory (back
references) is not.

RabbitMQ compares bytes: a letter beyond ASCII is several of them, and `.` is one. Which of these are letters
of words or have another case depends on Erlang's tables; a pattern that asks for that is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

LONGEST_PATTERN = 1000
DEEPEST = 20
MOST_REPEATS = 255
"""Names have at most 255 bytes."""

MOST_STEPS = 1_000_000
"""Looking ahead within looking ahead is all that comes near."""
_SINCE_10_43 = re.compile(r"[ \t]*,[ \t]*[0-9]+[ \t]*|(?=.*[ \t])[ \t]*[0-9]+[ \t]*(?:,[ \t]*[0-9]*[ \t]*)?")
"""What of braces repeats only in newer versions of PCRE."""

Places = frozenset[int]
Letters = Callable[[str], bool]


def ascii_only(fits: Letters) -> Letters:
    """What is only known of bytes that are a character."""

    def asked(c: str) -> bool:
        if not c.isascii():
            raise PatternError("it asks what kind of letter one beyond ASCII is")
        return fits(c)

    return asked


CLASSES: dict[str, Letters] = {
    "d": lambda c: c.isascii() and c.isdigit(),
    "w": ascii_only(lambda c: c == "_" or c.isalnum()),
    "s": ascii_only(lambda c: c in " \t\n\r\f\v"),
}
CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "e": "\x1b"}
NAMED: dict[str, Letters] = {
    "alpha": ascii_only(str.isalpha),
    "digit": CLASSES["d"],
    "alnum": ascii_only(str.isalnum),
    "upper": ascii_only(str.isupper),
    "lower": ascii_only(str.islower),
    "space": CLASSES["s"],
    "word": CLASSES["w"],
    "punct": ascii_only(lambda c: c.isprintable() and not c.isalnum() and c != " "),
}


class PatternError(Exception):
    """The pattern is no regular expression, or one that needs more than is understood here."""


@dataclass(slots=True)
class Name:
    """A name that is searched, and what that has taken so far."""

    text: str
    steps: int = 0

    def step(self, starts: Places) -> None:
        self.steps += 1 + len(starts)
        if self.steps > MOST_STEPS:
            raise PatternError("it takes too long")


Part = Callable[[Name, Places], Places]


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Part:
    if len(pattern) > LONGEST_PATTERN:
        raise PatternError(f"it has more than {LONGEST_PATTERN} characters")
    return Parser(pattern).whole()


def found(pattern: str, name: str) -> bool:
    """Whether the pattern matches anywhere in the name."""
    return searched(pattern, name)[0]


def searched(pattern: str, name: str) -> tuple[bool, int]:
    """The same, and how many steps it took."""
    subject = Name(_bytes(name))
    places = compiled(_bytes(pattern))(subject, everywhere(subject.text))
    return bool(places), subject.steps + 1


def _bytes(text: str) -> str:
    """The bytes of a text, each as a character."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def everywhere(text: str) -> Places:
    return frozenset(range(len(text) + 1))


def nothing(name: Name, starts: Places) -> Places:
    return starts


def letter(fits: Letters) -> Part:
    def follow(name: Name, starts: Places) -> Places:
        name.step(starts)
        text = name.text
        return frozenset(i + 1 for i in starts if i < len(text) and fits(text[i]))

    return follow


def sequence(parts: list[Part]) -> Part:
    def follow(name: Name, starts: Places) -> Places:
        for part in parts:
            if not starts:
                break
            starts = part(name, starts)
        return starts

    return follow


def either(parts: list[Part]) -> Part:
    return lambda name, starts: frozenset().union(*(part(name, starts) for part in parts))


def repeated(part: Part, least: int, most: int | None) -> Part:
    def follow(name: Name, starts: Places) -> Places:
        for _ in range(least):
            name.step(starts)
            before, starts = starts, part(name, starts)
            if before == starts:
                break
        reached = fresh = starts
        for _ in range(MOST_REPEATS + 1 if most is None else most - least):
            name.step(fresh)
            fresh = part(name, fresh) - reached
            if not fresh:
                break
            reached |= fresh
        return reached

    return follow


def only(test: Callable[[str, int], bool]) -> Part:
    """Takes no letter, but stands only where the test says so."""
    return lambda name, starts: frozenset(i for i in starts if test(name.text, i))


def ahead(part: Part, wanted: bool) -> Part:
    return lambda name, starts: frozenset(i for i in starts if bool(part(name, frozenset({i}))) == wanted)


def behind(part: Part, wanted: bool) -> Part:
    """A part never ends before it begins, so what ends here from anywhere ends here from before."""
    return lambda name, starts: frozenset(
        i for i in starts if (i in part(name, everywhere(name.text))) == wanted
    )


def at_edge(text: str, i: int) -> bool:
    before, after = i > 0 and CLASSES["w"](text[i - 1]), i < len(text) and CLASSES["w"](text[i])
    return before != after


def at_end(text: str, i: int) -> bool:
    return i == len(text) or (i == len(text) - 1 and text[i] == "\n")


ANCHORS: dict[str, Part] = {
    "A": only(lambda text, i: i == 0),
    "z": only(lambda text, i: i == len(text)),
    "Z": only(at_end),
    "b": only(at_edge),
    "B": only(lambda text, i: not at_edge(text, i)),
}
GROUPS: dict[str, Callable[[Part], Part]] = {
    "?:": lambda part: part,
    "?=": lambda part: ahead(part, True),
    "?!": lambda part: ahead(part, False),
    "?<=": lambda part: behind(part, True),
    "?<!": lambda part: behind(part, False),
}


@dataclass(slots=True)
class Parser:
    """Reads a pattern from left to right."""

    text: str
    at: int = 0
    depth: int = 0
    any_case: bool = field(default=False)
    fixed: int = 0
    """How many groups around look behind."""

    def whole(self) -> Part:
        self.any_case = self.takes("(?i)")
        part = self.alternatives()
        if self.at < len(self.text):
            raise PatternError("a ) closes nothing")
        return part

    def takes(self, word: str) -> bool:
        if not self.text.startswith(word, self.at):
            return False
        self.at += len(word)
        return True

    def next(self) -> str:
        if self.at >= len(self.text):
            raise PatternError("it ends too early")
        self.at += 1
        return self.text[self.at - 1]

    def alternatives(self) -> Part:
        parts = [self.one_after_the_other()]
        while self.takes("|"):
            parts.append(self.one_after_the_other())
        return either(parts) if len(parts) > 1 else parts[0]

    def one_after_the_other(self) -> Part:
        parts = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            if self.counts() is not None:
                raise PatternError("a repetition of nothing")
            parts.append(self.repetitions(self.atom()))
        return sequence(parts) if parts else nothing

    def repetitions(self, part: Part) -> Part:
        bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        sign = self.text[self.at : self.at + 1]
        if sign in bounds and sign:
            self.at += 1
            least, most = bounds[sign]
        elif (counted := self.counts()) is not None:
            least, most = counted
        else:
            return part
        if part in ANCHORS.values():
            raise PatternError("a repeated anchor")
        if most is not None and least > most:
            raise PatternError(f"at least {least} and at most {most} repetitions")
        if self.fixed and least != most:
            raise PatternError("looking behind for what has no length of its own")
        lazy = self.takes("?")
        if self.text[self.at : self.at + 1] in {"+", "*", "?"} or self.counts() is not None:
            raise PatternError("a lazy repetition is repeated" if lazy else "a repetition of a repetition")
        return repeated(part, least, most)

    def counts(self) -> tuple[int, int | None] | None:
        """`{2}`, `{2,}` or `{2,5}`; anything else in braces is letters.

        But `{,5}` and `{ 2 }` are letters up to PCRE2 10.42, and repeat from 10.43 on: Erlang has either.
        """
        end = self.text.find("}", self.at)
        if not self.text.startswith("{", self.at) or end < 0:
            return None
        within = self.text[self.at + 1 : end]
        if _SINCE_10_43.fullmatch(within):
            raise PatternError(f"{{{within}}}, which repeats or not, as PCRE is new or old")
        least, comma, most = within.partition(",")
        if not (least.isascii() and least.isdigit() and (not most or (most.isascii() and most.isdigit()))):
            return None
        if len(least) > 3 or len(most) > 3 or max(int(least), int(most or 0)) > MOST_REPEATS:
            raise PatternError(f"more than {MOST_REPEATS} repetitions")
        self.at = end + 1
        return int(least), (int(most) if most else None) if comma else int(least)

    def atom(self) -> Part:
        sign = self.next()
        match sign:
            case "(":
                return self.group()
            case "[":
                return letter(self.letters())
            case ".":
                return letter(lambda c: c != "\n")
            case "^":
                return ANCHORS["A"]
            case "$":
                return ANCHORS["Z"]
            case "\\":
                return self.escaped()
            case "*" | "+" | "?":
                raise PatternError(f"{sign} repeats nothing")
            case _:
                return letter(self.cased(lambda c: c == sign))

    def cased(self, fits: Letters) -> Letters:
        return ascii_only(lambda c: fits(c.lower()) or fits(c.upper())) if self.any_case else fits

    def group(self) -> Part:
        self.depth += 1
        if self.depth > DEEPEST:
            raise PatternError(f"groups are nested more than {DEEPEST} deep")
        kind = next((kind for kind in ("?:", "?=", "?!", "?<=", "?<!") if self.takes(kind)), "?:")
        if self.text.startswith("?", self.at):
            raise PatternError(f"a group ({self.text[self.at : self.at + 3]}")
        self.fixed += kind.startswith("?<")
        part = self.alternatives()
        if not self.takes(")"):
            raise PatternError("a ( is never closed")
        self.fixed -= kind.startswith("?<")
        self.depth -= 1
        return GROUPS[kind](part)

    def escaped(self) -> Part:
        sign = self.next()
        if sign in ANCHORS:
            return ANCHORS[sign]
        return letter(self.cased(self.escaped_letter(sign)))

    @staticmethod
    def escaped_letter(sign: str) -> Letters:
        if sign in CLASSES:
            return CLASSES[sign]
        if sign.lower() in CLASSES:
            other = CLASSES[sign.lower()]
            return lambda c: not other(c)
        meant = CONTROLS.get(sign, sign)
        if meant == sign and sign.isascii() and sign.isalnum():
            raise PatternError(f"\\{sign}")
        return lambda c: c == meant

    def letters(self) -> Letters:
        """A class in brackets, behind its `[`; what it leaves out, it leaves out in any case."""
        sign = self.text[self.at : self.at + 1]
        if sign and sign in ".:=" and self.text.find(f"{sign}]", self.at + 1) > 0:
            raise PatternError(f"a class [{sign} outside of a class")
        negated, fits, first = self.takes("^"), list[Letters](), True
        while first or not self.text.startswith("]", self.at):
            fits.append(self.cased(self.letter_or_range()))
            first = False
        self.at += 1
        return lambda c: any(fit(c) for fit in fits) != negated

    def letter_or_range(self) -> Letters:
        if self.takes("[:"):
            return self.named_class()
        if self.text.startswith(("[.", "[="), self.at):
            raise PatternError(self.text[self.at : self.at + 5])
        low, fits = self.class_letter()
        if self.text[self.at : self.at + 1] != "-" or self.text[self.at + 1 : self.at + 2] in {"]", ""}:
            return fits
        self.at += 1
        high, _ = self.class_letter()
        if low is None or high is None or low > high:
            raise PatternError(f"a range {low or 'of a class'}-{high or 'of a class'}")
        return lambda c: low <= c <= high

    def class_letter(self) -> tuple[str | None, Letters]:
        """A letter between brackets, if it is a single one, and what it fits."""
        sign = self.next()
        if sign != "\\":
            if sign == "[" and self.text.startswith(":", self.at):
                raise PatternError("a range of a class")
            return sign, lambda c: c == sign
        sign = self.next()
        fits = self.escaped_letter(sign)
        return (None if sign.lower() in CLASSES else CONTROLS.get(sign, sign)), fits

    def named_class(self) -> Letters:
        name, _, _ = self.text[self.at :].partition(":]")
        if name not in NAMED:
            raise PatternError(f"[:{name[:10]}:]")
        self.at += len(name) + 2
        if self.text.startswith("-", self.at) and not self.text.startswith("-]", self.at):
            raise PatternError("a range of a class")
        return NAMED[name]
