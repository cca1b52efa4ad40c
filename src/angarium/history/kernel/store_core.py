"""Records in parts that fit into a cache: put there, gathered, grouped by key, and sorted by moment.

A history is too large to be sorted at once, and what belongs together lies far apart in it. So records are
scattered by a hash of their key into parts, each a list of chunks. A part is then looked at as a whole: its
records are grouped by key with a table of chains, and each group, mostly a few records, is sorted.
"""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.native.lowlevel import Words, address_of, byte, offset, words

# --- putting ------------------------------------------------------------------------------------


def part_of(store: Words, key: int) -> int:
    """The part of a key: the highest bits of its hash."""
    return (key * 0x9E3779B97F4A7C15) >> (64 - store[at.PARTS_BITS]) if store[at.PARTS_BITS] > 0 else 0


def slot(store: Words, part: int) -> Words:
    """Where the next record of a part goes; 0, and the store is full, if there is no room."""
    chunks = words(store[at.CHUNKS])
    tails = words(store[at.TAILS])
    last = tails[part]
    chunk = offset(chunks, (last - 1) * at.CHUNK * at.RECORD)
    if last == 0 or chunk[0] == at.CHUNK - 1:
        if store[at.USED] == store[at.ROOM]:
            store[at.FULL] = 1
            return words(0)
        store[at.USED] += 1
        fresh = store[at.USED]
        if last == 0:
            heads = words(store[at.HEADS])
            heads[part] = fresh
        else:
            chunk[1] = fresh
        tails[part] = fresh
        chunk = offset(chunks, (fresh - 1) * at.CHUNK * at.RECORD)
        chunk[0] = 0
        chunk[1] = 0
    chunk[0] += 1
    return offset(chunk, chunk[0] * at.RECORD)


def scatter(store: Words, count: int, columns: Words, chosen: Words) -> int:
    """Put the chosen rows of eight columns into a store; how many they were."""
    keys = words(columns[0])
    put = 0
    for row in range(count):
        if byte(chosen, row) != 0:
            record = slot(store, part_of(store, keys[row]))
            for column in range(at.RECORD):
                values = words(columns[column])
                record[column] = values[row]
            put += 1
    return put


# --- gathering ----------------------------------------------------------------------------------


def count_of(stores: Words, many: int, part: int) -> int:
    """How many records of a part some stores have."""
    count = 0
    for number in range(many):
        store = words(stores[number])
        heads = words(store[at.HEADS])
        chunks = words(store[at.CHUNKS])
        here = heads[part]
        while here != 0:
            chunk = offset(chunks, (here - 1) * at.CHUNK * at.RECORD)
            count += chunk[0]
            here = chunk[1]
    return count


def gather(stores: Words, many: int, part: int, addresses: Words) -> int:
    """The addresses of all records of a part."""
    count = 0
    for number in range(many):
        store = words(stores[number])
        heads = words(store[at.HEADS])
        chunks = words(store[at.CHUNKS])
        here = heads[part]
        while here != 0:
            chunk = offset(chunks, (here - 1) * at.CHUNK * at.RECORD)
            for place in range(chunk[0]):
                record = offset(chunk, (place + 1) * at.RECORD)
                addresses[count] = address_of(record)
                count += 1
            here = chunk[1]
    return count


def export(store: Words, part: int, count: int, columns: Words) -> int:
    """Copy the records of a part, column by column."""
    heads = words(store[at.HEADS])
    chunks = words(store[at.CHUNKS])
    here, row = heads[part], 0
    while here != 0:
        chunk = offset(chunks, (here - 1) * at.CHUNK * at.RECORD)
        for place in range(chunk[0]):
            record = offset(chunk, (place + 1) * at.RECORD)
            for column in range(at.RECORD):
                columns[column * count + row] = record[column]
            row += 1
        here = chunk[1]
    return row


def group(thread: Words, count: int) -> int:
    """Chains of the gathered records with the same key, in `FIRSTS`, `LASTS` and `NEXTS`; how many."""
    addresses, table = words(thread[at.ADDRESSES]), words(thread[at.TABLE])
    firsts, lasts, nexts = words(thread[at.FIRSTS]), words(thread[at.LASTS]), words(thread[at.NEXTS])
    size = 16
    while size < 2 * count:
        size *= 2
    for place in range(size):
        table[place] = 0
    groups = 0
    for number in range(count):
        record = words(addresses[number])
        key = record[at.KEY]
        nexts[number] = 0
        place = (key * 0xD6E8FEB86659FD93 >> 20) & (size - 1)
        while table[place] != 0:
            head = words(addresses[firsts[table[place] - 1]])
            if head[at.KEY] == key:
                break
            place = (place + 1) & (size - 1)
        if table[place] == 0:
            firsts[groups] = number
            lasts[groups] = number
            groups += 1
            table[place] = groups
        else:
            chain = table[place] - 1
            nexts[lasts[chain]] = number + 1
            lasts[chain] = number
    return groups


# --- sorting ------------------------------------------------------------------------------------


def rank(context: Words, who: int) -> int:
    """The place of a record's recorder in the order of names."""
    ranks = words(context[at.RANKS])
    return ranks[who >> 32]


def precedes(context: Words, one: Words, other: Words, base: int) -> int:
    """Whether a moment (three words from `base`: time, number, recorder) is before another."""
    if one[base] != other[base]:
        return 1 if one[base] < other[base] else 0
    first, second = rank(context, one[base + 2]), rank(context, other[base + 2])
    if first != second:
        return 1 if first < second else 0
    return 1 if one[base + 1] < other[base + 1] else 0


def before(context: Words, one: Words, other: Words) -> int:
    """Whether an event is before another in the order of the history."""
    return precedes(context, one, other, at.AT)


def goes_first(context: Words, time: int, one: int, other_time: int, other: int, base: int) -> int:
    """Whether a record goes before another: by moment, and of the same moment as they were read."""
    if time != other_time:
        return 1 if time < other_time else 0
    first, second = words(one), words(other)
    if precedes(context, first, second, base) != 0:
        return 1
    if precedes(context, second, first, base) != 0:
        return 0
    return 1 if first[at.WHO] & at.ROW < second[at.WHO] & at.ROW else 0


def chained(thread: Words, group_number: int, base: int) -> int:
    """A group's records as pairs of a time and an address, unsorted; how many."""
    addresses, pairs = words(thread[at.ADDRESSES]), words(thread[at.PAIRS])
    firsts, nexts = words(thread[at.FIRSTS]), words(thread[at.NEXTS])
    count = 0
    here = firsts[group_number] + 1
    while here != 0:
        record = words(addresses[here - 1])
        pairs[2 * count] = record[base]
        pairs[2 * count + 1] = addresses[here - 1]
        count += 1
        here = nexts[here - 1]
    return count


def sort(context: Words, pairs: Words, spare: Words, count: int, base: int) -> None:
    """Sort pairs by moment: runs of eight by insertion, which are then merged."""
    start = 0
    while start < count:
        end = start + 8 if start + 8 < count else count
        for number in range(start + 1, end):
            time, record = pairs[2 * number], pairs[2 * number + 1]
            place = number
            while place > start and (
                goes_first(context, time, record, pairs[2 * place - 2], pairs[2 * place - 1], base) != 0
            ):
                pairs[2 * place] = pairs[2 * place - 2]
                pairs[2 * place + 1] = pairs[2 * place - 1]
                place -= 1
            pairs[2 * place] = time
            pairs[2 * place + 1] = record
        start = end
    width = 8
    while width < count:
        merge_all(context, pairs, spare, count, width, base)
        width *= 2


def merge_all(context: Words, pairs: Words, spare: Words, count: int, width: int, base: int) -> None:
    """Merge neighbouring runs of a width."""
    start = 0
    while start + width < count:
        middle = start + width
        end = middle + width if middle + width < count else count
        last = 2 * middle - 2
        time, record = pairs[2 * middle], pairs[2 * middle + 1]
        if goes_first(context, time, record, pairs[last], pairs[last + 1], base) != 0:
            for word in range(2 * start, 2 * middle):
                spare[word] = pairs[word]
            one, other, to = start, middle, start
            while one < middle:
                if other < end and (
                    goes_first(
                        context,
                        pairs[2 * other],
                        pairs[2 * other + 1],
                        spare[2 * one],
                        spare[2 * one + 1],
                        base,
                    )
                    != 0
                ):
                    pairs[2 * to] = pairs[2 * other]
                    pairs[2 * to + 1] = pairs[2 * other + 1]
                    other += 1
                else:
                    pairs[2 * to] = spare[2 * one]
                    pairs[2 * to + 1] = spare[2 * one + 1]
                    one += 1
                to += 1
        start = end


def sorted_group(context: Words, thread: Words, group_number: int) -> int:
    """A group's records, sorted, in `PAIRS`; how many."""
    count = chained(thread, group_number, at.AT)
    sort(context, words(thread[at.PAIRS]), words(thread[at.SPARE]), count, at.AT)
    return count
