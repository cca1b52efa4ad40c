"""What is left of an expression behind a character, compared with Python's own matching of the rest."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, settings

from angarium.mesh.mesh import Pattern
from angarium.mesh.topics.regular import (
    ALL,
    EVERYTHING,
    NOTHING_LEFT,
    Choice,
    Letter,
    Repeat,
    Row,
    Term,
    Without,
    beginnings,
    may_be_empty,
    not_empty,
    read,
    row,
    work,
)
from tests.effort import examples
from tests.mesh.topics.test_java import expressions

NAMES = ["".join(each) for length in range(5) for each in product("ab.1", repeat=length)]
A, B = Letter(frozenset("a")), Letter(frozenset("b"))


def term(text: str) -> Term:
    return read(Pattern(text, "mirrormaker"))


def has(name: str, terms: set[Term]) -> bool:
    """Whether one of the terms has a name, by nothing but what is left behind each character."""
    for char in name:
        terms = {left for each in terms for chars, left in beginnings(each) if char in chars}
    return any(map(may_be_empty, terms))


@settings(max_examples=examples(150))
@given(expressions)
def test_a_name_leads_to_something_that_may_be_empty_if_the_expression_matches_it(text: str) -> None:
    read_once = term(text)

    assert [name for name in NAMES if has(name, {read_once})] == [
        name for name in NAMES if re.fullmatch(text, name)
    ]


@settings(max_examples=examples(100))
@given(expressions, expressions)
def test_without_has_the_names_of_one_and_not_of_the_other(text: str, never: str) -> None:
    both = Without(term(text), frozenset({term(never)}))

    assert [name for name in NAMES if has(name, {both})] == [
        name for name in NAMES if re.fullmatch(text, name) and not re.fullmatch(never, name)
    ]


@settings(max_examples=examples(100))
@given(expressions)
def test_not_empty_takes_nothing_away_but_the_empty_name(text: str) -> None:
    whole = term(text)

    smaller = not_empty(whole)

    assert not may_be_empty(smaller)
    assert [name for name in NAMES if has(name, {smaller})] == [
        name for name in NAMES if name and has(name, {whole})
    ]


def all_left(whole: Term) -> set[Term]:
    seen, waiting = {whole}, [whole]
    for each in waiting:
        new = {left for _, left in beginnings(each)} - seen
        seen |= new
        waiting += new
    return seen


@settings(max_examples=examples(100))
@given(expressions)
def test_no_more_terms_are_left_than_characters_are_written(text: str) -> None:
    written_out = text.replace("{2}", "xx").replace("{2,}", "xxx").replace("{1,2}", "xx")

    assert len(all_left(term(text))) <= 2 * len(written_out) + 1


def test_following_what_must_not_be_can_cost_much_and_is_counted_no_further_than_asked() -> None:
    few = Without(EVERYTHING, frozenset({term(".*a.{3}b.*")}))
    many = Without(EVERYTHING, frozenset({term(".*a.{30}b.*")}))

    assert work(few, 50_000) < 50_000
    assert 50_000 <= work(many, 50_000) < 200_000


def test_rows_in_rows_are_one_row() -> None:
    assert row(A, row(B, A)) == Row((A, B, A))
    assert row(NOTHING_LEFT, A) == A
    assert row(NOTHING_LEFT) == NOTHING_LEFT


@pytest.mark.parametrize(
    ("whole", "expected"),
    [
        (A, [(frozenset("a"), NOTHING_LEFT)]),
        (Letter(frozenset()), []),
        (Choice(()), []),
        (Repeat(A, 2), [(frozenset("a"), Repeat(A, 1))]),
        (Repeat(A, 1), [(frozenset("a"), NOTHING_LEFT)]),
        (Repeat(A), [(frozenset("a"), Repeat(A))]),
        (Row((Repeat(A, 1), B)), [(frozenset("a"), B), (frozenset("b"), NOTHING_LEFT)]),
        (Without(EVERYTHING, frozenset({row(A, EVERYTHING)})), [(ALL - {"a"}, EVERYTHING)]),
    ],
)
def test_what_is_left_is_as_small_as_can_be(whole: Term, expected: list[tuple[frozenset[str], Term]]) -> None:
    assert beginnings(whole) == expected
