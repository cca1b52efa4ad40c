"""Regular expressions in Java's way, compared with Python's on all short names."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.mesh import Pattern
from angarium.mesh.topics.dialects import matcher
from tests.effort import examples

NAMES = ["".join(each) for length in range(1, 5) for each in product("ab.1", repeat=length)]
atoms = st.sampled_from(["a", "b", ".", "\\.", "[ab]", "[^a]", "[a-b1]", "\\d", "\\w", "\\D", "1"])
repeats = st.sampled_from(["", "", "*", "+", "?", "*?", "+?", "{2}", "{1,2}", "{0,1}", "{2,}"])


def larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    grouped = st.builds("({}){}".format, smaller, repeats) | st.builds("(?:{}){}".format, smaller, repeats)
    return grouped | st.builds("{}|{}".format, smaller, smaller) | st.builds("{}{}".format, smaller, smaller)


expressions = st.recursive(st.builds("{}{}".format, atoms, repeats), larger, max_leaves=5)


@settings(max_examples=examples(150))
@given(expressions)
def test_an_expression_matches_the_names_that_python_says(text: str) -> None:
    matches = matcher((Pattern(text, "mirrormaker"),))

    assert [name for name in NAMES if matches(("", *name))] == [
        name for name in NAMES if re.fullmatch(text, name)
    ]


@settings(max_examples=examples(150))
@given(expressions, expressions, expressions, st.sampled_from(["", "$"]))
def test_an_expression_may_say_what_must_not_come_next(before: str, never: str, text: str, end: str) -> None:
    whole = f"(?:{before})(?!(?:{never}){end}){text.replace('|', '')}"

    matches = matcher((Pattern(whole, "mirrormaker"),))

    expected = [name for name in NAMES if re.fullmatch(whole, name)]
    assert [name for name in NAMES if matches(("", *name))] == expected


@pytest.mark.parametrize(
    ("text", "name", "other"),
    [
        ("^orders$|^payments$", "orders", "orderspayments"),
        ("\\Qa.b\\E.*", "a.bc", "axbc"),
        ("[.\\-_]x", "-x", "ax"),
        ("[a-]", "-", "b"),
        (".*[ab]", "cca", "ac"),
        ("x.*(a|b)c", "xxbc", "xbx"),
        ("^(?!eu\\.).*", "us.a", "eu.a"),
        ("(?!eu\\.|ap$).*", "apx", "ap"),
        ("a(?!.*b)(?!.*c).*", "ad", "adc"),
        ("a{1,249}", "a" * 249, "a" * 250),
    ],
)
def test_what_java_means_is_understood(text: str, name: str, other: str) -> None:
    matches = matcher((Pattern(text, "mirrormaker"),))

    assert matches(("", *name))
    assert not matches(("", *other))


REFUSED = [
    ("a(?=b)", 3, "(? begins look-around, which is understood only as (?!…) outside of groups"),
    ("(?<!a)b", 2, "(? begins look-around, which is understood only as (?!…) outside of groups"),
    ("((?!a)b)", 3, "(? begins look-around, which is understood only as (?!…) outside of groups"),
    ("(?!a", 5, "a look-ahead is not closed"),
    ("a(?!b)^c", 7, "^ can only be at the ends of a whole name"),
    ("(?!a)*b", 6, "there is nothing that * could repeat"),
    ("(?!.*a.{30}b).*", 16, "the expression is too involved to be followed character by character"),
    ("(?!a)" * 21 + ".*", 104, "there are more than 20 look-aheads"),
    ("(b?c?){400}", 12, "the expression is too involved to be followed character by character"),
    ("(?i)a", 2, "(? begins a named group or a flag, which is not understood"),
    ("(?<n>a)", 2, "(? begins a named group or a flag, which is not understood"),
    ("(a)\\1", 5, "\\1 is a back reference that is not understood"),
    ("\\pL", 2, "\\p is an escape that is not understood"),
    ("a*+", 3, "possessive repetition is not understood"),
    ("a**", 3, "there is nothing that * could repeat"),
    ("+a", 1, "there is nothing that + could repeat"),
    ("a^b", 2, "^ can only be at the ends of a whole name"),
    ("a$b", 2, "$ can only be at the ends of a whole name"),
    ("(a", 3, "a group is not closed"),
    ("a)", 2, "there is no group that this ) closes"),
    ("[a", 1, "[ is not closed"),
    ("[]", 2, "there is nothing between [ and ]"),
    ("[a&&b]", 3, "& within brackets is not understood"),
    ("[b-a]", 5, "a range in brackets goes backwards, or to more than one character"),
    ("a{x}", 2, "{ does not begin a repetition such as {2} or {2,5}"),
    ("a{3,2}", 7, "{3,2} ends before it begins"),
    ("a\\", 3, "there is nothing behind the last \\"),
    ("(a{50}){50}", 12, "written out, the expression is longer than 2000 characters"),
    ("(" * 60 + "a" + ")" * 60, 52, "groups are nested more than 50 deep"),
]


@pytest.mark.parametrize(("text", "column", "why"), REFUSED)
def test_what_is_not_understood_is_refused_with_its_column(
    text: str, column: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # so that it is seen soon how involved an expression is
    monkeypatch.setattr("angarium.mesh.topics.regular.MOST_WORK", 200_000)

    with pytest.raises(MeshError) as refused:
        matcher((Pattern(text, "mirrormaker"),))

    assert refused.value.what == f"mirrormaker: {text!r}, character {column}: {why}"
    assert refused.value.code == "ANG124"


def test_an_expression_that_would_make_others_run_for_ever_is_answered() -> None:
    matches = matcher((Pattern("(a+)+b", "mirrormaker"),))

    assert not matches(("", *"a" * 200))
