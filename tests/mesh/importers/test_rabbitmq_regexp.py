"""Patterns of RabbitMQ's policies, compared with Python's own search where both understand them."""

from __future__ import annotations

import re

import pcre2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.importers.rabbitmq_regexp import PatternError, found
from tests.effort import examples

ATOMS = st.sampled_from(
    ["a", "b", "\\.", ".", "[ab]", "[^a]", "[a-c.]", "\\d", "\\w", "\\W", "^", "$", "\\b", "x"]
)
LOOKING = ["(?=%s)", "(?!%s)", "(%s)", "(?:%s)"]


def combined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{}{}".format, parts, parts),
        st.builds("{}|{}".format, parts, parts),
        st.builds(lambda form, part: form % part.replace("%", ""), st.sampled_from(LOOKING), parts),
        st.builds("(?:{}){}".format, parts, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}", "*?"])),
    )


PATTERNS = st.recursive(ATOMS, combined, max_leaves=6)
NAMES = st.text("abcx.1 ", max_size=8)


@given(PATTERNS, NAMES)
@settings(max_examples=examples(500))
def test_a_pattern_is_found_where_python_finds_it(pattern: str, name: str) -> None:
    assert found(pattern, name) == bool(re.search(pattern, name, re.ASCII))


@pytest.mark.parametrize(
    ("pattern", "name", "is_found"),
    [
        ("", "", True),
        ("^fed\\.", "fed.orders", True),
        ("^fed\\.", "my.fed.orders", False),
        ("orders", "fed.orders.eu", True),
        ("^(?!amq\\.).*", "amq.topic", False),
        ("^(?!amq\\.).*", "orders", True),
        ("(?<=eu\\.)x", "eu.x", True),
        ("(?<!eu\\.)x$", "eu.x", False),
        ("(?i)FED", "fed.orders", True),
        ("^[[:alpha:]]+$", "abc", True),
        ("[]a]", "]", True),
        ("[a\\]]", "]", True),
        ("\\Aa\\z", "a", True),
    ],
)
def test_patterns_as_operators_write_them(pattern: str, name: str, is_found: bool) -> None:
    assert found(pattern, name) is is_found


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "^(a|a)*$", "(.*)*b", "((a?){200}){200}b", "(" * 19 + "a?" + "){99}" * 19 + "b"]
)
def test_patterns_that_take_others_for_ever_are_searched_at_once(pattern: str) -> None:
    assert not found(pattern, "a" * 250 + "c")


@pytest.mark.parametrize(
    "pattern",
    [
        "(", ")", "a)", "[a", "*", "a**", "a++", "(?P<x>a)", "\\1", "\\x41", "a{999}", "[[:what:]]", "\\",
        "(?>a)", "(" * 25 + ")" * 25, "a" * 1001, "(?=.*" * 12 + "c" + ")" * 12,
    ],
)  # fmt: skip
def test_what_is_not_understood_is_said(pattern: str) -> None:
    with pytest.raises(PatternError) as error:
        found(pattern, "ab" * 100)

    assert str(error.value)


# --- compared with PCRE, which RabbitMQ asks ------------------------------------------------------------

LETTERS_OF_PATTERNS = st.sampled_from([*list("aAbBzZ019_.,-+:# "), "\\.", "\\-", "\\+", "\\\\", "\\]"])
BETWEEN_BRACKETS = st.one_of(
    LETTERS_OF_PATTERNS.filter(lambda text: text != "-"),
    st.builds("{}-{}".format, LETTERS_OF_PATTERNS, LETTERS_OF_PATTERNS),
    st.sampled_from(["\\d", "\\W", "\\s", "[:upper:]", "[:punct:]", "-"]),
)
BRACKETS = st.builds(
    lambda sign, parts: f"[{sign}{''.join(parts)}]",
    st.sampled_from(["", "^"]),
    st.lists(BETWEEN_BRACKETS, min_size=1, max_size=3),
)
OTHER_ATOMS = st.one_of(ATOMS, BRACKETS, LETTERS_OF_PATTERNS, st.sampled_from(["{", "}", "]", "{2}", "\\B"]))
BEHIND = st.builds(
    "(?<{}{})".format, st.sampled_from("=!"), st.sampled_from(["a", "[^a]b", "ab|b", "\\w", ""])
)
PERL = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", "(?i)"]),
    st.recursive(st.one_of(OTHER_ATOMS, OTHER_ATOMS, BEHIND), combined, max_leaves=6),
)
NAMES_OF_ALL = st.text("aAbBzZ019_.,-+:# {}]\\\n", max_size=8)


def in_pcre(pattern: str, name: str) -> bool | None:
    """Whether PCRE finds a pattern; None: it is none."""
    try:
        return pcre2.compile(pattern.encode()).search(name.encode()) is not None
    except pcre2.PatternError:
        return None


@given(PERL, NAMES_OF_ALL)
@settings(max_examples=examples(5_000))
def test_a_pattern_is_found_where_pcre_finds_it(pattern: str, name: str) -> None:
    try:
        is_found = found(pattern, name)
    except PatternError:
        return

    assert is_found == in_pcre(pattern, name)


@pytest.mark.parametrize(
    ("pattern", "name", "is_found"),
    [
        ("(?i)[^A]", "a", False),
        ("(?i)[^A]", "b", True),
        ("[\\+-\\.]", ",", True),
        ("[\\+-\\.]", "/", False),
        ("(?i)[[:upper:]]", "a", True),
        ("(?i)[^[:lower:]]", "A", False),
        ("[\\d-]", "-", True),
        ("^.$", "é", False),
        ("^é$", "é", True),
        ("^..$", "é", True),
    ],
)
def test_patterns_that_were_misunderstood(pattern: str, name: str, is_found: bool) -> None:
    assert found(pattern, name) is is_found
    assert in_pcre(pattern, name) is is_found


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("a{2}{3}", "a"),
        ("a{,2}", "a"),
        ("a{ 2 }", "aa"),
        ("a{1, 2}", "aa"),
        ("a{3,2}", "a"),
        ("(?<=a+)b", "ab"),
        ("[z-a]", "z"),
        ("[a-\\d]", "a"),
        ("[[:alpha:]-z]", "a"),
        ("[[.a.]]", "a"),
        ("\\w", "é"),
        ("(?i)x", "é"),
        ("a++", "a"),
        ("(?P<x>a)", "a"),
    ],
)
def test_what_is_not_understood_stays_refused(pattern: str, name: str) -> None:
    with pytest.raises(PatternError):
        found(pattern, name)
