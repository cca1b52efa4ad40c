"""How often a sum of random times is longer than a bound, in the low-level language: compiled, never run.

All times are whole nanoseconds. Every distribution is drawn by comparisons of random numbers alone, so the
same numbers come out on every machine: exponential variates by von Neumann's way, normal ones by Karney's
(Sampling exactly from the normal distribution, 2016). The random numbers are SplitMix64, with a beginning
that depends on the seed and the number of the stream.
"""

from __future__ import annotations

from angarium.native.lowlevel import Words, offset, words

SEED, STREAM, COUNT, BOUND, PARTS, TABLE, RANDOM, GAMMA = range(8)
"""Of a job: how many sums, the bound, how many parts each has, and where the parts are."""
SIZE = 8
KIND, FIRST, SECOND, PART = 0, 1, 2, 3
"""Of a part, and how many words it has. Uniform: the least, and how much more; normal: mean and deviation."""
IS_UNIFORM, IS_EXPONENTIAL, IS_NORMAL = 1, 2, 3

GOLDEN = 0x9E3779B97F4A7C15
FIRST_FACTOR = 0xBF58476D1CE4E5B9
SECOND_FACTOR = 0x94D049BB133111EB
HALF = 0xFFFFFFFF
LOW_BITS = 0x1FFFFF
A_HALF = 1 << 63
"""1/2, in 2^-64."""


def late(job: Words) -> int:
    """How many of the sums are longer than the bound."""
    job[RANDOM] = mix(mix(job[SEED] + GOLDEN) ^ mix(job[STREAM]))
    job[GAMMA] = mix(job[RANDOM] + GOLDEN) | 1
    count = 0
    for _number in range(job[COUNT]):
        count += longer(job)
    return count


def longer(job: Words) -> int:
    """Whether one sum is longer than the bound."""
    total = 0
    for number in range(job[PARTS]):
        total += time(job, offset(words(job[TABLE]), number * PART))
        if total > job[BOUND]:
            return 1
    return 0


def time(job: Words, part: Words) -> int:
    """How long a part takes this time."""
    if part[KIND] == IS_UNIFORM:
        return part[FIRST] + share_of(draw(job) >> 32, part[SECOND])
    if part[KIND] == IS_EXPONENTIAL:
        return times(exponential(job), part[FIRST])
    return normal(job, part[FIRST], part[SECOND])


def normal(job: Words, mean: int, deviation: int) -> int:
    """What is below 0 is drawn again."""
    while 1:
        away = times(half_normal(job), deviation)
        if draw(job) & 1:
            return mean + away
        if away <= mean:
            return mean - away
    return 0


def half_normal(job: Words) -> int:
    """How far a standard normal variate is from 0, in 2^-32.

    The whole part is k as often as exp(-k/2) says, and kept with the chance exp(-k (k - 1) / 2); together
    that is exp(-k²/2). A fraction x is then kept with the chance exp(-x (2 k + x) / 2).
    """
    while 1:
        whole = 0
        while survives(job, A_HALF):
            whole += 1
        if all_survive(job, A_HALF, whole * (whole - 1) if whole else 0):
            part = draw(job)
            square = (part >> 32) * (part >> 32)
            if all_survive(job, part, whole) and survives(job, square >> 1):
                return (whole << 32) + (part >> 32)
    return 0


def all_survive(job: Words, rate: int, count: int) -> int:
    """Whether so many all survive."""
    for _number in range(count):
        if not survives(job, rate):
            return 0
    return 1


def survives(job: Words, rate: int) -> int:
    """Yes, with the chance exp(-rate), for a rate below 1, in 2^-64: a falling run has an even length."""
    last = rate
    while 1:
        following = draw(job)
        if following >= last:
            return 1
        last = draw(job)
        if last >= following:
            return 0
    return 0


def exponential(job: Words) -> int:
    """With the mean 1, in 2^-32; as in `simulate.walk_core`."""
    whole = 0
    while 1:
        first = draw(job)
        last = first
        while 1:
            following = draw(job)
            if following >= last:
                return (whole << 32) + (first >> 32)
            last = draw(job)
            if last >= following:
                break
        whole += 1
    return 0


def times(factor: int, amount: int) -> int:
    """An amount of up to 53 bits times a factor in 2^-32."""
    return (factor >> 32) * amount + share_of(factor & HALF, amount)


def share_of(share: int, amount: int) -> int:
    """A share, in 2^-32, of an amount of up to 53 bits."""
    return ((share * (amount >> 21)) >> 11) + ((share * (amount & LOW_BITS)) >> 32)


def draw(job: Words) -> int:
    job[RANDOM] = job[RANDOM] + job[GAMMA]
    return mix(job[RANDOM])


def mix(word: int) -> int:
    mixed = (word ^ (word >> 30)) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> 27)) * SECOND_FACTOR
    return mixed ^ (mixed >> 31)
