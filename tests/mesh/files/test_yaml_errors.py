"""Every mistake in a mesh file is an error at its line and column."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import InputError, MeshError, UsageError
from angarium.mesh.files import nodes
from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.yaml_file import mesh_of, read_mesh
from tests.effort import examples
from tests.mesh.files.texts import refusal

MESHES = Path(__file__).parents[3] / "examples" / "meshes"
THREE = "brokers: [b1, b2, b3]\n"
LINK = THREE + "links:\n  - "

MISTAKES = {
    "": "ANG120 1:1 the file is empty: it has no mesh",
    "# nothing\n": "ANG120 1:1 the file is empty: it has no mesh",
    "---\n": "ANG120 1:1 the file is empty: it has no mesh",
    f"{THREE}---\n{THREE}": "ANG120 2:1 a second document begins here, and a mesh is one document",
    "a: [1\n": (
        "ANG120 2:1 the file is not YAML: while parsing a flow sequence, did not find expected ',' or ']'"
    ),
    f"{THREE}mesh: !!python/object:os.system x\n": (
        "ANG120 2:7 the tag tag:yaml.org,2002:python/object:os.system is not used in mesh files"
    ),
    f"{THREE}mesh: *x\n": "ANG120 2:7 the alias *x stands for nothing, or for what it is a part of",
    f"{THREE}mesh: &x [*x]\n": "ANG120 2:11 the alias *x stands for nothing, or for what it is a part of",
    f"{THREE}mesh: é\x07b\n": "ANG120 2:8 the file is not YAML: it has the character '\\x07'",
    "[" * 40: "ANG125 1:33 the file is nested more than 32 deep",
    "brokers: [b1]\nbrokers: [b2]\n": "ANG122 2:1 brokers is given twice, first in line 1",
    f"{THREE}? [a]\n: b\n": "ANG121 2:3 a list or table is used as a key",
    "- b1\n": "ANG121 1:1 a mesh file must be a table, not a list",
    "hello\n": "ANG121 1:1 a mesh file must be a table, not 'hello'",
    "brokres: [b1]\n": "ANG121 1:1 a mesh file has no entry 'brokres'",
    "mesh: x\n": "ANG121 1:1 a mesh file does not say 'brokers'",
    f"{THREE}mesh: [x]\n": "ANG121 2:7 mesh must be a text, not a list",
    f"{THREE}mesh:\n": "ANG121 2:6 mesh must be a text, not nothing",
    "brokers: []\n": "ANG121 1:10 a mesh needs a broker",
    "brokers: b1\n": "ANG121 1:10 brokers must be a list or a table, not 'b1'",
    "brokers: [b1, [b2]]\n": "ANG121 1:15 the name of a broker cannot be a list",
    "brokers: [b1, b1]\n": "ANG122 1:15 there are two brokers b1, the first in line 1",
    "brokers: {b1: {}, b1: {}}\n": "ANG122 1:19 b1 is given twice, first in line 1",
    "brokers: ['']\n": "ANG121 1:11 the name of a broker must be a name of printable characters, not ''",
    "brokers: {b1: 3}\n": "ANG121 1:15 the broker b1 must be a table, not '3'",
    "brokers: {b1: {latncy: 2 ms}}\n": "ANG121 1:16 the broker b1 has no entry 'latncy'",
    "brokers: {b1: {latency: fast}}\n": "ANG121 1:25 latency of the broker b1 cannot be 'fast'",
    "brokers: {b1: {latency: -1 ms}}\n": "ANG121 1:25 latency of the broker b1 cannot be '-1 ms'",
    "brokers: {b1: {dialect: mqt}}\n": "ANG121 1:25 dialect cannot be 'mqt'",
    "brokers: {b1: {substitute: b2}}\n": (
        "ANG123 1:28 the substitute of b1 is b2, and there is no such broker"
    ),
    "brokers: {b1: {substitute: b1}}\n": "ANG121 1:28 b1 cannot be its own substitute",
    f"dialect: kafka\n{THREE}": "ANG121 1:10 dialect cannot be 'kafka'",
    f"{THREE}routing: fast\n": "ANG121 2:10 routing cannot be 'fast'",
    f"{THREE}routing: {{rerouted: true}}\n": "ANG121 2:10 routing does not say 'kind'",
    f"{THREE}routing: {{kind: shortest, rerouted: perhaps}}\n": "ANG121 2:37 rerouted cannot be 'perhaps'",
    f"{THREE}routing: {{kind: shortest, hop-limit: -1}}\n": "ANG121 2:38 hop-limit cannot be '-1'",
    f"{THREE}routing: tables\n": "ANG121 2:10 routing is by tables, and the file has no tables",
    f"{THREE}routing: shortest\ntables: {{}}\n": "ANG121 2:10 the file has tables, and routing is shortest",
    f"{LINK}b1-b2": "ANG121 3:5 a link cannot be 'b1-b2'",
    f"{LINK}b1 - b2 - b3": "ANG121 3:5 a link cannot be 'b1 - b2 - b3'",
    f"{LINK}b1 - b4": "ANG123 3:10 an end of the link b1 - b4 is b4, and there is no such broker",
    f"{LINK}'b4 -> b1'": "ANG123 3:5 an end of the link b4 -> b1 is b4, and there is no such broker",
    f"{LINK}b1 - b2\n  - b1 - b2": "ANG122 4:5 there are two links b1-b2, the first in line 3",
    f"{LINK}b1 - b2\n  - b2 - b1": "ANG122 4:5 there are two links b2->b1, the first in line 3",
    f"{LINK}b1 - b1": "ANG121 3:5 a link both ways cannot join b1 with itself",
    f"{LINK}{{cost: 3}}": "ANG121 3:5 a link does not say which brokers it joins",
    f"{LINK}[b1, b2]": "ANG121 3:5 a link does not say which brokers it joins",
    f"{LINK}{{between: [b1]}}": "ANG121 3:15 a link is between two brokers, not 1",
    f"{LINK}{{between: [b1, b2], cost: -3}}": "ANG121 3:31 cost of a link cannot be '-3'",
    f"{LINK}{{between: [b1, b2], cost: 0}}": "ANG121 3:31 cost of a link cannot be '0'",
    f"{LINK}{{between: [b1, b2], rename: {{add: x}}}}": (
        "ANG121 3:33 a link that renames topics leads one way"
    ),
    f"{LINK}{{from: b1}}": "ANG121 3:5 a link one way does not say 'to'",
    f"{LINK}{{from: b1, to: b9}}": "ANG123 3:20 the target of the link is b9, and there is no such broker",
    f"{LINK}{{from: b9, to: b1}}": "ANG123 3:12 the source of the link is b9, and there is no such broker",
    f"{LINK}{{from: b1, to: b2, hop-limt: 2}}": "ANG121 3:24 a link one way has no entry 'hop-limt'",
    f"{LINK}{{from: b1, to: b2, buffering: some}}": "ANG121 3:35 buffering of a link cannot be 'some'",
    f"{LINK}{{from: b1, to: b2, avoids-visited: [no]}}": (
        "ANG121 3:40 avoids-visited of a link cannot be a list"
    ),
    f"{LINK}{{from: b1, to: b2, rename: x}}": "ANG121 3:32 rename must be a table, not 'x'",
    f"{LINK}{{from: b1, to: b2, name: l}}\n  - {{from: b2, to: b1, name: l}}": (
        "ANG122 4:30 there are two links l, the first in line 3"
    ),
    f"{LINK}{{from: b1, to: b2, accepts: [{{patern: x}}]}}": (
        "ANG121 3:35 what a link accepts has no entry 'patern'"
    ),
    f"{LINK}{{from: b1, to: b2, accepts: [{{scope: x}}]}}": (
        "ANG121 3:34 what a link accepts does not say 'pattern'"
    ),
    f"dialect: mqtt\n{LINK}{{from: b1, to: b2, accepts: [a/#, a/#/b]}}": (
        "ANG124 4:39 mqtt: 'a/#/b': # is level 2 and not the last"
    ),
    f"{THREE}publishers: [p]\n": "ANG121 2:13 publishers must be a table, not a list",
    f"{THREE}publishers: {{p: {{topics: a}}}}\n": "ANG121 2:17 p does not say 'at'",
    f"{THREE}publishers: {{p: {{at: b1}}}}\n": "ANG121 2:17 p does not say 'topics'",
    f"{THREE}publishers: {{p: {{at: b1, topic: a}}}}\n": "ANG121 2:26 the publisher p has no entry 'topic'",
    f"{THREE}publishers: {{p: {{at: b7, topics: a}}}}\n": (
        "ANG123 2:22 the broker of p is b7, and there is no such broker"
    ),
    f"{THREE}subscribers: {{s: {{at: b1, topics: a, within: soon}}}}\n": (
        "ANG121 2:46 within cannot be 'soon'"
    ),
    f"{THREE}topics: {{A: {{from: b1, to: [b2, b2]}}}}\n": (
        "ANG122 2:33 there are two subscribers A at b2, the first in line 2"
    ),
    f"{THREE}topics: {{A: {{form: b1}}}}\n": "ANG121 2:14 the topic A has no entry 'form'",
    f"{THREE}topics: {{A: [b1, b2]}}\n": "ANG121 2:13 the topic A must be a table, not a list",
    f"{THREE}topics: {{A: {{from: b8}}}}\n": (
        "ANG123 2:20 an end of the topic A is b8, and there is no such broker"
    ),
    f"{THREE}tables: {{b1: {{b2: b7}}}}\n": (
        "ANG123 2:19 the next broker from b1 to b2 is b7, and there is no such broker"
    ),
    f"{THREE}tables: {{b9: {{b2: b2}}}}\n": (
        "ANG123 2:10 the broker of a table is b9, and there is no such broker"
    ),
    f"{THREE}tables: {{b1: b2}}\n": "ANG121 2:14 b1 must be a table, not 'b2'",
    f"{THREE}shared-risks: [duct]\n": "ANG121 2:15 shared-risks must be a table, not a list",
    f"{THREE}shared-risks: {{duct: {{}}}}\n": "ANG121 2:22 the shared risk duct has no parts",
    f"{THREE}shared-risks: {{duct: {{cables: x}}}}\n": (
        "ANG121 2:23 the shared risk duct has no entry 'cables'"
    ),
    f"{THREE}shared-risks: {{duct: {{brokers: b7}}}}\n": (
        "ANG123 2:32 a broker of the shared risk duct is b7, and there is no such broker"
    ),
    f"{THREE}shared-risks: {{duct: {{links: [b1-b9]}}}}\n": (
        "ANG123 2:31 a link of the shared risk duct is b1-b9, and there is no such link"
    ),
    f"{THREE}shared-risks: {{duct: {{brokers: b1}}, duct: {{brokers: b2}}}}\n": (
        "ANG122 2:37 duct is given twice, first in line 2"
    ),
    f"{THREE}remarks: [{{kind: note}}]\n": "ANG121 2:11 a remark does not say 'what'",
    f"{THREE}remarks: [{{kind: note, what: x, at: there}}]\n": "ANG121 2:37 at of a remark cannot be 'there'",
}


def in_short(error: InputError) -> str:
    assert error.place is not None
    return f"{error.code} {error.place.line}:{error.place.column} {error.what}"


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_named_where_it_is(text: str) -> None:
    error = refusal(text)

    assert in_short(error) == MISTAKES[text]
    assert error.remedy
    assert error.exit_code == 2


def test_an_error_says_where_what_what_was_possible_and_what_to_do() -> None:
    assert str(refusal(f"{LINK}{{from: b1, to: b2, hop-limt: 2}}")) == (
        "mesh.yaml:3:24: a link one way has no entry 'hop-limt'\n"
        "      3 |   - {from: b1, to: b2, hop-limt: 2}\n"
        "        |                        ^\n"
        "  did you mean hop-limit? possible: accepts, avoids-visited, buffering, cable, capacity, "
        "connection, cost, counts, failover, from, hop-limit, kind, latency, mtbf, mttr, name, not-after, "
        "rank, rate, refuses, rename, shares, takes-over, to\n"
        "  correct the key, or take it out"
    )


def test_a_tab_is_called_a_tab() -> None:
    error = refusal("brokers:\n\t- b1\n")

    assert in_short(error).startswith("ANG120 2:1 the file is not YAML")
    assert error.remedy == "indent with spaces, not with tabs"


def test_of_many_brokers_only_some_are_listed_but_the_nearest_is_found_among_all() -> None:
    error = refusal(
        f"brokers: [{', '.join(f'broker{n}' for n in range(1000))}]\nlinks: [broker1 - brokr999]\n"
    )

    assert error.possible.startswith("did you mean broker999? possible: broker0,")
    assert len(error.possible) < 300


def test_a_very_long_line_is_not_shown() -> None:
    error = refusal(f"brokers: [{', '.join(f'broker{n}' for n in range(1000))}]\nlinks: [{'x' * 1000}]\n")

    assert error.place is not None
    assert (error.place.line, error.place.source) == (2, "")


def test_aliases_that_stand_for_billions_of_entries_are_refused() -> None:
    levels = [f"a{n}: &a{n} [{', '.join(f'*a{n - 1}' for _ in range(10))}]" for n in range(1, 10)]

    error = refusal("\n".join(["a0: &a0 [x, x]", *levels]))

    assert in_short(error).startswith("ANG125 7:")
    assert "more than 2,000,000 entries" in error.what


def test_a_file_that_is_not_utf8_is_refused_at_the_byte(tmp_path: Path) -> None:
    file = tmp_path / "latin.yaml"
    file.write_bytes("brokers:\n  - Zürich\n".encode("latin-1"))

    with pytest.raises(MeshError) as caught:
        read_mesh(str(file))

    assert str(caught.value).startswith(f"{file}:2:6: the file is not UTF-8: byte 0xfc is no character")


def test_a_file_that_is_too_long_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "long.yaml"
    file.write_bytes(b"#" * (1024 * 1024 + 1))

    with pytest.raises(MeshError, match="is longer than 1 MiB") as caught:
        nodes.opened(str(file), longest=1024 * 1024)

    assert caught.value.code == "ANG125"


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file") as caught:
        read_mesh(str(tmp_path / "none.yaml"))

    assert caught.value.code == "ANG010"


EXAMPLES = [path.read_text(encoding="utf-8") for path in sorted(MESHES.glob("[r-t]*.yaml"))]
PIECES = [
    "[",
    "]",
    "{",
    "}",
    ":",
    "- ",
    "&a ",
    "*a",
    "<<: *a",
    "!!x ",
    "b1",
    "-1",
    "''",
    '"',
    "\n",
    "\t",
    "|",
    "#",
]


@settings(max_examples=examples(200))
@given(st.sampled_from(EXAMPLES), st.data())
def test_a_broken_file_is_refused_and_nothing_worse_happens(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(PIECES)) + text[at + data.draw(st.integers(0, 9)) :]

    with suppress(MeshError):
        assert mesh_of(source_of("mesh.yaml", text)).brokers
