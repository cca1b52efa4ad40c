"""Flat JSON lines as columns: one pass over the bytes, for lines that are as simple as most are.

A line is simple if it is one object of texts, whole numbers, truths and nulls, without an escape, and if
every value is of its column's type. Whoever calls looks with care at all others. Every column of texts has a
table of its names, which is found by hashing; a name is compared with the one before it first.
"""

from __future__ import annotations

from angarium.native.hash_core import hash_bytes
from angarium.native.lowlevel import Words, address_of, byte, half, offset, put_byte, put_half, words

KEYS, KEY_MASK, KEY_TEXT, KEY_ENDS, FIELDS, SLOW, SLOWS, STRICT, LONGEST, HERE, NUMBER, READING = range(12)
"""Words of a reader: a table of the columns' names by their hashes (hash, number and one more), its size less
one, the names behind each other and where each ends, the columns, the lines that are not simple, how many
these are, whether only ASCII is, the longest line, and where it goes on: which byte, and which line."""
F_KIND, F_OUT, F_DATA, F_ENDS, F_SLOTS, F_HASHES, F_MASK, F_NAMES, F_LAST, F_SEEN, F_ROOM, FIELD = range(12)
"""Words of a column: what it has, where its values go (codes are halves of words, truths bytes); of texts the
names behind each other, where they end, slots, hashes, the number of slots less one, how many names there
are, and the last one (one more); whether there was a value; for how many names there is room."""
A_TEXT, A_LONG, AN_INT, A_TRUTH, A_RIDDLE = range(5)
"""What a column has; the last is looked at with care."""
OF_NOBODY = 1 << 20
"""A name that is no column's."""
SEED_OF_KEYS, SEED_OF_NAMES = 3, 7
FEW = 256
"""Slots of a table that is empty."""
SLOW_LINE, L_ROW, L_START, L_END, L_NUMBER = 4, 0, 1, 2, 3
"""A line that is not simple: its row, where it starts and ends, and which line it is."""
NOTHING = 0xFFFF_FFFF
NO_NUMBER = 1 << 63


# --- names ----------------------------------------------------------------------------------------------


def same(one: Words, other: Words, length: int) -> int:
    """Whether some bytes are the same."""
    place = 0
    while place + 4 <= length:
        if half(words(address_of(one) + place), 0) != half(words(address_of(other) + place), 0):
            return 0
        place += 4
    while place < length:
        if byte(one, place) != byte(other, place):
            return 0
        place += 1
    return 1


def is_name(field: Words, number: int, text: Words, length: int) -> int:
    """Whether a name of a column is a text."""
    ends = words(field[F_ENDS])
    start = half(ends, number)
    if half(ends, number + 1) - start != length:
        return 0
    return same(words(field[F_DATA] + start), text, length)


def code_of(field: Words, text: Words, length: int) -> int:
    """The number of a name; a new one is entered. `NOTHING` if there is no room: a line may name a column
    more than once."""
    if field[F_LAST] != 0 and is_name(field, field[F_LAST] - 1, text, length) != 0:
        return field[F_LAST] - 1
    hashed, slots = hash_bytes(text, length, SEED_OF_NAMES), words(field[F_SLOTS])
    place = hashed & field[F_MASK]
    while slots[place] != 0:
        if slots[place] >> 32 == hashed >> 32:
            number = (slots[place] & NOTHING) - 1
            if is_name(field, number, text, length) != 0:
                field[F_LAST] = number + 1
                return number
        place = (place + 1) & field[F_MASK]
    if field[F_NAMES] == field[F_ROOM]:
        return NOTHING
    return enter(field, text, length, hashed, place)


def enter(field: Words, text: Words, length: int, hashed: int, place: int) -> int:
    """Give a name a number."""
    number, ends, hashes = field[F_NAMES], words(field[F_ENDS]), words(field[F_HASHES])
    start = half(ends, number)
    data = words(field[F_DATA] + start)
    for each in range(length):
        put_byte(data, each, byte(text, each))
    put_half(ends, number + 1, start + length)
    hashes[number] = hashed
    slots = words(field[F_SLOTS])
    slots[place] = ((hashed >> 32) << 32) | (number + 1)
    field[F_NAMES] = number + 1
    field[F_LAST] = number + 1
    if 2 * (number + 1) > field[F_MASK]:
        grow(field)
    return number


def grow(field: Words) -> None:
    """Four times as many slots."""
    field[F_MASK] = 4 * (field[F_MASK] + 1) - 1
    slots, hashes = words(field[F_SLOTS]), words(field[F_HASHES])
    for place in range(field[F_MASK] + 1):
        slots[place] = 0
    for number in range(field[F_NAMES]):
        place = hashes[number] & field[F_MASK]
        while slots[place] != 0:
            place = (place + 1) & field[F_MASK]
        slots[place] = ((hashes[number] >> 32) << 32) | (number + 1)


def column_of(reader: Words, text: Words, length: int) -> int:
    """The column of a name."""
    hashed, keys = hash_bytes(text, length, SEED_OF_KEYS), words(reader[KEYS])
    ends = words(reader[KEY_ENDS])
    place = hashed & reader[KEY_MASK]
    while keys[2 * place + 1] != 0:
        if keys[2 * place] == hashed:
            number = keys[2 * place + 1] - 1
            start = half(ends, number)
            if half(ends, number + 1) - start == length:
                if same(words(reader[KEY_TEXT] + start), text, length) != 0:
                    return number
        place = (place + 1) & reader[KEY_MASK]
    return OF_NOBODY


# --- a line ---------------------------------------------------------------------------------------------


def skipped(text: Words, here: int, end: int) -> int:
    """Where something stands behind blanks."""
    while here < end and (byte(text, here) == 32 or byte(text, here) == 9):
        here += 1
    return here


def quoted(text: Words, here: int, end: int, strict: int) -> int:
    """Where a text without escapes ends; the end if it does not."""
    while here < end:
        each = byte(text, here)
        if each == 34:
            return here
        if each < 32 or each == 92 or (strict != 0 and each >= 128):
            return end
        here += 1
    return end


def digits(text: Words, here: int, end: int) -> int:
    """Where digits end."""
    while here < end and byte(text, here) >= 48 and byte(text, here) <= 57:
        here += 1
    return here


def put_number(field: Words, row: int, text: Words, start: int, end: int) -> int:
    """A whole number, from its text; 0 if it is not simple."""
    negative = 1 if start < end and byte(text, start) == 45 else 0
    here = start + negative
    if here == end or end - here > 19 or digits(text, here, end) != end:
        return 0
    value = 0
    for place in range(here, end):
        value = 10 * value + byte(text, place) - 48
    if value >= NO_NUMBER or (field[F_KIND] == AN_INT and value >= 1 << 31):
        return 0
    out = words(field[F_OUT])
    out[row] = 0 - value if negative != 0 else value
    field[F_SEEN] = 1
    return 1


def put_text(field: Words, row: int, text: Words, start: int, end: int) -> int:
    """A name; 0 if there is no room for it."""
    code = code_of(field, words(address_of(text) + start), end - start)
    put_half(words(field[F_OUT]), row, code)
    field[F_SEEN] = 1
    return 1 if code != NOTHING else 0


def put_nothing(field: Words, row: int) -> None:
    """No value."""
    if field[F_KIND] == A_TEXT:
        put_half(words(field[F_OUT]), row, NOTHING)
    elif field[F_KIND] == A_TRUTH:
        put_byte(words(field[F_OUT]), row, 255)
    elif field[F_KIND] != A_RIDDLE:
        out = words(field[F_OUT])
        out[row] = NO_NUMBER


def begins(text: Words, here: int, end: int, first: int, second: int) -> int:
    """Whether four bytes and one more are there (0: no more)."""
    if here + 4 > end or half(words(address_of(text) + here), 0) != first:
        return 0
    if second == 0:
        return 1
    return 1 if here + 5 <= end and byte(text, here + 4) == second else 0


TRUE, FALS, NULL_ = 0x65757274, 0x736C6166, 0x6C6C756E
"""The bytes of `true`, `fals` and `null`."""


def literal(field: Words, row: int, text: Words, here: int, end: int) -> int:
    """`true`, `false` or `null`: where it ends; 0 if it is not simple."""
    if begins(text, here, end, NULL_, 0) != 0:
        if address_of(field) != 0:
            put_nothing(field, row)
        return here + 4
    truth = begins(text, here, end, TRUE, 0)
    if truth == 0 and begins(text, here, end, FALS, 101) == 0:
        return 0
    if address_of(field) != 0:
        if field[F_KIND] != A_TRUTH:
            return 0
        put_byte(words(field[F_OUT]), row, truth)
        field[F_SEEN] = 1
    return here + 5 - truth


def number_at(field: Words, row: int, text: Words, here: int, end: int) -> int:
    """A number: where it ends; 0 if it is not simple, as one with a point is not. A column of texts has it as
    it is written."""
    start = here + 1 if byte(text, here) == 45 else here
    stop = digits(text, start, end)
    if stop == start or stop >= end or (byte(text, start) == 48 and stop > start + 1):
        return 0
    if byte(text, stop) == 46 or byte(text, stop) == 101 or byte(text, stop) == 69:
        return 0
    if address_of(field) == 0:
        return stop
    if field[F_KIND] == A_TEXT:
        if start != here or put_text(field, row, text, here, stop) == 0:
            return 0
        return stop
    if field[F_KIND] > AN_INT or put_number(field, row, text, here, stop) == 0:
        return 0
    return stop


def value_at(field: Words, row: int, text: Words, here: int, end: int, strict: int) -> int:
    """A value: where it ends; 0 if it is not simple."""
    first = byte(text, here)
    if first == 34:
        stop = quoted(text, here + 1, end, strict)
        if stop == end:
            return 0
        if address_of(field) == 0:
            return stop + 1
        if field[F_KIND] == A_TEXT:
            return stop + 1 if put_text(field, row, text, here + 1, stop) != 0 else 0
        if field[F_KIND] > AN_INT or put_number(field, row, text, here + 1, stop) == 0:
            return 0
        return stop + 1
    if first == 45 or (first >= 48 and first <= 57):
        return number_at(field, row, text, here, end)
    return literal(field, row, text, here, end)


def member(reader: Words, row: int, text: Words, here: int, end: int) -> int:
    """A name and its value: where the comma or the brace behind them is; 0 if they are not simple."""
    here = skipped(text, here, end)
    if here == end or byte(text, here) != 34:
        return 0
    stop = quoted(text, here + 1, end, reader[STRICT])
    if stop == end:
        return 0
    column = column_of(reader, words(address_of(text) + here + 1), stop - here - 1)
    here = skipped(text, stop + 1, end)
    if here == end or byte(text, here) != 58:
        return 0
    here = skipped(text, here + 1, end)
    if here == end:
        return 0
    field = offset(words(reader[FIELDS]), column * FIELD) if column != OF_NOBODY else words(0)
    here = value_at(field, row, text, here, end, reader[STRICT])
    if here == 0:
        return 0
    here = skipped(text, here, end)
    return here if here < end and (byte(text, here) == 44 or byte(text, here) == 125) else 0


def simple(reader: Words, row: int, text: Words, here: int, end: int) -> int:
    """Take a line; 0 if it is not simple."""
    here = skipped(text, here, end)
    if here == end or byte(text, here) != 123:
        return 0
    here = member(reader, row, text, here + 1, end)
    while here != 0 and byte(text, here) == 44:
        here = member(reader, row, text, here + 1, end)
    return 1 if here != 0 and skipped(text, here + 1, end) == end else 0


def is_blank(text: Words, here: int, end: int) -> int:
    return 1 if skipped(text, here, end) == end else 0


def end_of_line(text: Words, here: int, end: int) -> int:
    while here < end and byte(text, here) != 10 and byte(text, here) != 13:
        here += 1
    return here


def read_lines(reader: Words, fields: int, text: Words, length: int, most: int) -> int:
    """Take lines, from where it goes on, up to so many rows. How many rows there are; those of lines that are
    not simple are empty."""
    here, row, number = reader[HERE], 0, reader[NUMBER]
    while here < length and row < most:
        end = end_of_line(text, here, length)
        if is_blank(text, here, end) == 0:
            if end - here > reader[LONGEST] or simple(reader, row, text, here, end) == 0:
                for column in range(fields):
                    put_nothing(offset(words(reader[FIELDS]), column * FIELD), row)
                slow = offset(words(reader[SLOW]), reader[SLOWS] * SLOW_LINE)
                slow[L_ROW] = row
                slow[L_START] = here
                slow[L_END] = end
                slow[L_NUMBER] = number
                reader[SLOWS] += 1
            row += 1
        here = end + 1
        if end + 1 < length and byte(text, end) == 13 and byte(text, end + 1) == 10:
            here += 1
        number += 1
    reader[HERE] = here
    reader[NUMBER] = number
    return row
