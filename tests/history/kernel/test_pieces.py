"""A history that is read in pieces by nobody who knows of the others is the same history."""

from __future__ import annotations

import pickle
import random
from itertools import pairwise

import numpy as np
import pytest

from angarium.history.intake.batch import batch_of
from angarium.history.intake.source import Kept
from angarium.history.kernel import layout as at
from angarium.history.kernel.blocks import Block, blocks_of, store_of
from angarium.history.kernel.encoding import Encoder
from angarium.history.kernel.memory import Store, bits_for
from angarium.history.kernel.noted import Noted
from angarium.history.kernel.process import audit
from angarium.history.kernel.tally import Watched
from angarium.history.parameters import Parameters
from tests.history.every import Row, rows


def encoded(given: list[Row]) -> Encoder:
    found = Encoder(Store(len(given), bits_for(len(given))), Store(len(given), 0))
    found.add(batch_of(given))
    return found


def events(encoder: Encoder) -> Block:
    blocks = [Block.unpacked(block.packed()) for _, block in blocks_of(encoder.store)]
    return Block.joined(blocks)


def sorted_rows(columns: list[np.ndarray]) -> list[tuple[int, ...]]:
    return sorted(zip(*(each.tolist() for each in columns), strict=True), key=lambda row: row[at.WHO])


def test_pieces_put_together_are_the_whole() -> None:
    """Numbers are given anew, so they are compared by what they stand for: by being read in one piece."""
    given = rows(1, 30)
    cuts = [0, 1, 700, 2500, len(given)]
    pieces = [encoded(given[low:high]) for low, high in pairwise(cuts)]
    whole, one = Noted(), Noted()
    moved = []
    for piece in pieces:
        translation = whole.add(pickle.loads(pickle.dumps(piece.noted)))
        moved.append(translation.moved(events(piece).columns))
    alone = encoded(given)
    expected = one.add(alone.noted).moved(events(alone).columns)
    columns = [np.concatenate([each[column] for each in moved]) for column in range(at.RECORD)]
    keyed = [column for column in range(at.RECORD) if column not in (at.TAKER, at.PLACE, at.KIND, at.WHO)]
    found, wanted = sorted_rows(columns), sorted_rows(expected)
    assert len(found) == len(wanted) > 1000
    rows_found = sorted([row[at.WHO] & at.ROW, *(row[each] for each in keyed)] for row in found)
    rows_wanted = sorted([row[at.WHO] & at.ROW, *(row[each] for each in keyed)] for row in wanted)
    assert rows_found == rows_wanted
    assert whole.others == one.others
    assert whole.facts(Parameters()).profiles.values() is not None
    assert [*whole.facts(Parameters()).profiles.values()] == [*one.facts(Parameters()).profiles.values()]


def test_a_store_comes_back_from_its_blocks() -> None:
    encoder = encoded(rows(1, 30))
    block = events(encoder)
    again = Block.joined([each for _, each in blocks_of(store_of(block, encoder.store.bits))])
    assert sorted_rows(list(again.columns)) == sorted_rows(list(block.columns))


@pytest.mark.parametrize("seed", range(5))
def test_recorders_that_count_on_are_known_however_they_are_cut(seed: int) -> None:
    """Events of one time may be in any order, also over the end of a piece."""
    chance = random.Random(seed)
    numbers = [(number, 1000 + number // 6) for number in range(400)]
    shuffled = sorted(numbers, key=lambda each: (each[1], chance.random()))
    assert odd_in(shuffled, chance) == []
    holed = [each for each in shuffled if each[0] != 200]
    twice = [*shuffled[:300], shuffled[250], *shuffled[300:]]
    back = [(number, time - 50 * (number == 300)) for number, time in numbers]
    for wrong in (holed, twice, back):
        assert odd_in(wrong, chance) == [0]


def odd_in(numbers: list[tuple[int, int]], chance: random.Random) -> list[int]:
    """The sources that are odd when some numbers are watched in pieces."""
    whole = Watched()
    cuts = sorted({0, len(numbers), *(chance.randrange(len(numbers)) for _ in range(4))})
    for low, high in pairwise(cuts):
        piece = Watched()
        seq, time = (np.array(each, np.int64) for each in zip(*numbers[low:high], strict=True))
        piece.watch(np.zeros(len(seq), np.int64), seq, time, np.ones(len(seq), np.bool_))
        whole.add(pickle.loads(pickle.dumps(piece)), np.zeros(16, np.int64))
    return whole.not_in_order()


def test_violations_come_in_one_order(  # whoever has found them
) -> None:
    given = rows(1, 40)
    one = audit(Kept([batch_of(given)]), Parameters(), mend=False)
    many = audit(
        Kept([batch_of(given[low : low + 97], low) for low in range(0, len(given), 97)]),
        Parameters(), mend=False, threads=2,
    )  # fmt: skip
    assert one.violations == many.violations
