"""Formulas as text: `[] (published -> <> delivered)`, as they are given on the command line.

    precedence, loosest first       written
    equivalence, implication        <->  ->  implies  leads_to  ~>     (to the right)
    or, and                         ||  \\/  or      &&  /\\  and
    until, weak until, release      U until  W weak_until  R V release (to the right)
    not, next, always, eventually   !  ~  not   X next   [] G always   <> F eventually
    in CTL                          AX AF AG EX EF EG   A[p U q]  E[p U q]  (also W and R)

Everything else is an atom: Python, in the words of the model. The names of the model's state, parameters and
functions stand for themselves (no `self`), and values by their labels: `len(waiting[q1]) > 2`, `started(a1)`.
A parenthesis groups unless it is part of an atom, as in `(x + 1) * 2 == y` or `started(a1)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from angarium.checker.frontend.temporal import leads_to
from angarium.checker.ir.formula import (
    Conjunction,
    Disjunction,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    TimeOp,
)
from angarium.core.errors import ModelError, Place

Meaning = Callable[[ast.expr], Formula]
"""What an atom means; the positions of its nodes are columns of the whole text."""
DEEPEST = 60
"""Deeper nesting than this is refused before Python's own limit would."""

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<operator>\[\]|<>|<->|->|~>|&&|\|\||/\\|\\/|!(?!=)|~)
  | (?P<name>[^\W\d]\w*)
  | (?P<open>[(\[{]) | (?P<close>[)\]}])
  | (?P<other>\d\w*|'[^']*'|"[^"]*"|\*\*|//|[<>=!]=|[-+*/%<>=.,:|&^@])
    )""",
    re.VERBOSE,
)
_UNTIL: dict[str, TimeOp] = {
    "U": "U", "until": "U", "W": "W", "weak_until": "W", "R": "R", "V": "R", "release": "R",
}  # fmt: skip
_LEVELS: tuple[Mapping[str, str], ...] = (
    {"<->": "iff", "->": "implies", "implies": "implies", "~>": "leads_to", "leads_to": "leads_to"},
    {"||": "or", "\\/": "or", "or": "or"},
    {"&&": "and", "/\\": "and", "and": "and"},
    _UNTIL,
)
"""Words between two formulas, from the loosest."""
_PREFIXES: dict[str, TimeOp] = {
    "X": "X", "next": "X", "[]": "G", "G": "G", "always": "G", "<>": "F", "F": "F", "eventually": "F",
}  # fmt: skip
_NOT = ("!", "~", "not")
_QUANTIFIED: tuple[TimeOp, ...] = ("X", "F", "G")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text."""

    text: str
    start: int
    kind: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(slots=True)
class Parser:
    """Reads one formula."""

    text: str
    source: str
    """What the text was given as, for messages: --ltl."""
    branching: bool
    meaning: Meaning
    tokens: list[Token] = field(default_factory=list)
    at: int = 0
    depth: int = 0

    def formula(self) -> Formula:
        """The whole text."""
        self.tokens = list(self._tokens())
        found = self._level(0)
        if self.at < len(self.tokens):
            raise self._expected("the end, or a word between two formulas")
        return found

    # --- tokens ---------------------------------------------------------------------------------------

    def _tokens(self) -> list[Token]:
        found: list[Token] = []
        position = 0
        while self.text[position:].strip():
            match = _TOKEN.match(self.text, position)
            if match is None:
                start = position + len(self.text[position:]) - len(self.text[position:].lstrip())
                raise self.error(start, f"{self.text[start]!r} cannot stand in a formula")
            kind = match.lastgroup or ""
            found.append(Token(match[kind], match.start(kind), kind))
            position = match.end()
        return found

    @property
    def _token(self) -> Token:
        if self.at < len(self.tokens):
            return self.tokens[self.at]
        return Token("", len(self.text.rstrip()), "end")

    def _take(self) -> Token:
        token = self._token
        self.at += 1
        return token

    # --- formulas -------------------------------------------------------------------------------------

    def _level(self, level: int) -> Formula:
        if level == len(_LEVELS):
            return self._prefixed()
        left = self._level(level + 1)
        word = _LEVELS[level].get(self._token.text)
        if word is None or (_LEVELS[level] is _UNTIL and self.branching):
            return left
        joined = (left, *self._rest(level, word)) if word in ("and", "or") else (left, self._right(level))
        return self._joined(word, joined)

    def _rest(self, level: int, word: str) -> list[Formula]:
        found = []
        while _LEVELS[level].get(self._token.text) == word:
            self._take()
            found.append(self._level(level + 1))
        return found

    def _right(self, level: int) -> Formula:
        """What stands behind a word that binds to the right."""
        self._take()
        return self._deeper(lambda: self._level(level))

    def _joined(self, word: str, parts: tuple[Formula, ...]) -> Formula:
        match word:
            case "and":
                return Conjunction(parts)
            case "or":
                return Disjunction(parts)
            case "implies":
                left, right = parts
                return Implies(left, right)
            case "iff":
                left, right = parts
                neither = Conjunction((Negation(left), Negation(right)))
                return Disjunction((Conjunction((left, right)), neither))
            case "leads_to":
                return leads_to(*parts, branching=self.branching)
            case "U" | "W" | "R":
                return Over(word, parts)
        raise AssertionError(word)

    def _prefixed(self) -> Formula:
        token = self._token
        if token.text in _NOT:
            self._take()
            return Negation(self._deeper(self._prefixed))
        quantified = self._quantified(token)
        if quantified is not None:
            return quantified
        op = _PREFIXES.get(token.text)
        if op is None:
            return self._primary()
        if self.branching:
            raise self.error(token.start, f"{token.text} is a word of LTL", "write AG or EG, AF or EF")
        self._take()
        return Over(op, (self._deeper(self._prefixed),))

    def _deeper(self, read: Callable[[], Formula]) -> Formula:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(self._token.start, f"more than {DEEPEST} levels of nesting")
        found = read()
        self.depth -= 1
        return found

    def _quantified(self, token: Token) -> Formula | None:
        """AG p, E[p U q]."""
        quantifier: Literal["A", "E"] = "A" if token.text[:1] == "A" else "E"
        if token.text in {f"{quantifier}{op}" for op in _QUANTIFIED}:
            if not self.branching:
                raise self.error(token.start, f"{token.text} is a word of CTL", "give it with --ctl")
            self._take()
            op = next(each for each in _QUANTIFIED if token.text == f"{quantifier}{each}")
            return Quantified(quantifier, op, (self._deeper(self._prefixed),))
        following = self.tokens[self.at + 1].text if self.at + 1 < len(self.tokens) else ""
        if self.branching and token.text == quantifier and following in ("[", "("):
            self.at += 2
            return self._between(quantifier, _CLOSING[following])
        return None

    def _between(self, quantifier: Literal["A", "E"], closing: str) -> Formula:
        left = self._deeper(lambda: self._level(0))
        op = _UNTIL.get(self._token.text)
        if op is None:
            raise self._expected("U, W or R")
        self._take()
        right = self._deeper(lambda: self._level(0))
        if self._take().text != closing:
            self.at -= 1
            raise self._expected(closing)
        return Quantified(quantifier, op, (left, right))

    # --- atoms ----------------------------------------------------------------------------------------

    def _primary(self) -> Formula:
        if self._token.text == "(" and self._is_group():
            self._take()
            found = self._deeper(lambda: self._level(0))
            if self._take().text != ")":
                self.at -= 1
                raise self._expected(")")
            return found
        return self._atom()

    def _is_group(self) -> bool:
        """Whether a parenthesis holds a formula; else an atom begins with it."""
        end = self._closing(self.at)
        inside = self.tokens[self.at + 1 : end]
        last = end + 1 == len(self.tokens)
        return last or self._ends_atom(end + 1) or any(_is_operator(each) for each in inside)

    def _closing(self, at: int) -> int:
        """Where the bracket that opens at a token is closed."""
        expected: list[Token] = []
        for position in range(at, len(self.tokens)):
            token = self.tokens[position]
            if token.kind == "open":
                expected.append(token)
            elif token.kind == "close":
                needed = _CLOSING[expected.pop().text]
                if needed != token.text:
                    raise self.error(token.start, f"{token.text} where {needed} is needed")
                if not expected:
                    return position
        raise self.error(expected[-1].start, f"{expected[-1].text} is not closed")

    def _ends_atom(self, position: int) -> bool:
        token = self.tokens[position]
        if token.text == "not" and self._is_part_of_comparison(position):
            return False
        between = any(token.text in level for level in _LEVELS)
        return between or token.kind == "close" or _is_operator(token)

    def _is_part_of_comparison(self, position: int) -> bool:
        """Whether a `not` is that of `not in` or `is not`."""
        around = self.tokens[position - 1 : position] + self.tokens[position + 1 : position + 2]
        return [each.text in ("is", "in") for each in around] in ([True], [True, False], [False, True])

    def _atom(self) -> Formula:
        first = self.at
        while self.at < len(self.tokens) and not self._ends_atom(self.at):
            self.at = self._closing(self.at) + 1 if self._token.kind == "open" else self.at + 1
        if self.at == first:
            raise self._expected("a condition")
        start, end = self.tokens[first].start, self.tokens[self.at - 1].end
        return self.meaning(self._python(start, end))

    def _python(self, start: int, end: int) -> ast.expr:
        try:
            node = ast.parse(self.text[start:end], mode="eval").body
        except (SyntaxError, ValueError) as problem:
            column = start + (getattr(problem, "offset", None) or 1) - 1
            raise self.error(min(column, end - 1), "this is not a condition") from None
        for each in ast.walk(node):
            if hasattr(each, "col_offset"):
                each.col_offset += start
        return node

    # --- errors ---------------------------------------------------------------------------------------

    def _expected(self, what: str) -> ModelError:
        token = self._token
        found = f"{token.text} stands here" if token.text else "the formula ends here"
        return self.error(token.start, f"{found}, where {what} is needed")

    def error(self, column: int, what: str, remedy: str = "") -> ModelError:
        """An error that points into the text."""
        place = Place(self.source, 1, column + 1, self.text)
        return ModelError("ANG110", what, possible=GRAMMAR, remedy=remedy, place=place)


GRAMMAR = "possible: [] <> X U W R, -> && || !, parentheses, and conditions in the words of the model"


def _is_operator(token: Token) -> bool:
    return token.kind == "operator" or token.text in _PREFIXES or token.text in _NOT
