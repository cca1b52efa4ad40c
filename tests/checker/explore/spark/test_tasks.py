"""What an owner does in a round, also when attempts at it fail, repeat or meet."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from angarium.checker.explore.graph import Wish
from angarium.checker.explore.spark import search, visited
from angarium.checker.explore.spark.job import Job
from angarium.checker.explore.spark.levels import Levels
from angarium.checker.explore.spark.tasks import Letter, Note, absorb, expand
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.errors import SparkError
from tests.checker.backend.systems import counters
from tests.checker.explore.graphs import wide
from tests.checker.explore.spark.jobs import as_set, job_of, search_of

NARROW, WIDE = counters(3, 9), wide(3, 9)
SYSTEMS = {"one word": (NARROW, None), "three words": (WIDE, None), "numbered": (NARROW, Wish())}
every_kind = pytest.mark.parametrize(("system", "wish"), SYSTEMS.values(), ids=SYSTEMS)


def begun(system: TransitionSystem, wish: Wish | None, place: Path, rounds_made: int = 4) -> Job:
    """A search after some rounds."""
    job = job_of(system, place, wish=wish)
    search_of(job)
    for level in range(rounds_made):
        search.here(job, level)
    return job


def letters_for(job: Job, level: int, owner: int) -> list[Letter]:
    return [
        (source, memoryview(bytes(records)))
        for source in range(job.owners)
        for target, records in expand(job, level, source, Note(source))
        if target == owner
    ]


def level_of(job: Job, level: int) -> set[tuple[int, ...]]:
    parts = (Levels(job.folder).part(level, owner) for owner in range(job.owners))
    return set().union(*(as_set(part.states) for part in parts if part.count))


@every_kind
def test_an_owner_keeps_what_is_new_and_nothing_twice(
    system: TransitionSystem, wish: Wish | None, tmp_path: Path
) -> None:
    job = begun(system, wish, tmp_path)

    sizes = [len(level_of(job, level)) for level in range(5)]
    seen = set().union(*(level_of(job, level) for level in range(5)))

    assert sizes == [1, 3, 6, 10, 15]
    assert len(seen) == sum(sizes)


@every_kind
def test_a_second_attempt_finds_what_the_first_has_done(
    system: TransitionSystem, wish: Wish | None, tmp_path: Path
) -> None:
    job = begun(system, wish, tmp_path)
    part = Levels(job.folder).part(4, 0)
    before, note = part.attempt, Note(0)

    absorb(job, 4, 0, letters_for(job, 3, 0), note)

    assert part.attempt == before
    assert note.states == part.count > 0


@every_kind
def test_an_attempt_that_died_leaves_nothing_behind(
    system: TransitionSystem, wish: Wish | None, tmp_path: Path
) -> None:
    job = begun(system, wish, tmp_path)
    expected = as_set(Levels(job.folder).part(4, 0).states)
    shutil.rmtree(Levels(job.folder).part(4, 0).folder)
    letters = letters_for(job, 3, 0)

    def dies() -> Iterator[Letter]:
        yield from letters
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        absorb(job, 4, 0, dies(), Note(0))
    absorb(job, 4, 0, letters, Note(0))

    assert as_set(Levels(job.folder).part(4, 0).states) == expected
    assert [each for each in job.folder.rglob(".*") if "part" in each.name] == []


@every_kind
def test_of_two_attempts_at_once_one_wins_and_both_say_the_same(
    system: TransitionSystem, wish: Wish | None, tmp_path: Path
) -> None:
    """The slower one works with a table of its own, as on another machine."""
    job = begun(system, wish, tmp_path, rounds_made=3)
    elsewhere = replace(job, name="elsewhere", own=tmp_path / "elsewhere")
    letters = letters_for(job, 3, 0)
    slow, quick = Note(0), Note(0)

    def overtaken() -> Iterator[Letter]:
        yield from reversed(letters)
        absorb(job, 4, 0, letters, quick)

    absorb(elsewhere, 4, 0, overtaken(), slow)

    assert slow.states == quick.states == Levels(job.folder).part(4, 0).count > 0
    # Whoever lost must not go on with its own order of states.
    assert not (elsewhere.scratch / "owner-0000.json").exists()
    assert json.loads((job.scratch / "owner-0000.json").read_text())["level"] == 4


@every_kind
@pytest.mark.parametrize("damage", ["gone", "behind", "ahead", "unfinished"])
def test_a_table_that_is_not_what_it_should_be_is_made_anew(
    system: TransitionSystem, wish: Wish | None, damage: str, tmp_path: Path
) -> None:
    job = begun(system, wish, tmp_path)
    expected = [as_set(Levels(job.folder).part(4, owner).states) for owner in range(2)]
    note = job.scratch / "owner-0000.json"
    if damage == "gone":
        shutil.rmtree(job.scratch)
    elif damage == "unfinished":
        note.unlink()
    elif damage == "behind":
        other = replace(job, name="other", own=tmp_path / "other")
        with visited.visited(other, 0, 1):
            pass
        job = other
    # "ahead" needs nothing: the table has level 4 already.
    shutil.rmtree(Levels(job.folder).part(4, 0).folder)

    absorb(job, 4, 0, letters_for(job, 3, 0), Note(0))

    assert as_set(Levels(job.folder).part(4, 0).states) == expected[0]


@every_kind
def test_a_table_that_another_process_made_anew_is_not_used_as_it_was(
    wish: Wish | None, system: TransitionSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = begun(system, wish, tmp_path)
    letters = letters_for(job, 4, 0)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(visited, "_known", {})
        (job.scratch / "owner-0000.json").unlink()
        absorb(job, 5, 0, letters, Note(0))

    with visited.visited(job, 0, 5) as known:
        before = known.states
        for _, letter in letters:
            known.take(letter)

    assert known.states == before


def test_a_part_that_is_not_there_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    job = begun(NARROW, None, tmp_path)
    shutil.rmtree(Levels(job.folder).part(2, 0).folder)
    elsewhere = replace(job, name="elsewhere", own=tmp_path / "elsewhere")

    with pytest.raises(SparkError, match="does not find a part of the search") as error:
        list(expand(job, 2, 0, Note(0)))
    assert error.value.code == "ANG075"
    with pytest.raises(SparkError, match="does not find"), visited.visited(elsewhere, 0, 3):
        pass


@pytest.mark.parametrize(
    "kept", [[], [Note(0, expanded=1)], [Note(0), Note(1)]], ids=["none", "one", "empty"]
)
def test_a_round_that_lost_states_is_no_round(
    kept: list[Note], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = search_of(job_of(NARROW, tmp_path))
    monkeypatch.setattr("angarium.checker.explore.spark.search.here", lambda job, level: kept)

    with pytest.raises(RuntimeError, match="owners expanded"):
        search.explore()


@every_kind
def test_a_table_grows(
    system: TransitionSystem, wish: Wish | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visited, "SMALLEST_BITS", 3)
    monkeypatch.setattr(visited, "CHUNK", 2)
    job = job_of(system, tmp_path, owners=1, wish=wish)
    search = search_of(job)

    search.explore()

    assert search.outcome().coverage.states == 1000
    assert len(list(job.scratch.glob("owner-0000.table-*"))) == 1


def test_tables_of_another_search_are_forgotten(tmp_path: Path) -> None:
    for name in ("one", "two"):
        begun(NARROW, None, tmp_path / name)

    assert {known for known, _ in visited._known} == {"two"}
