"""What the kernel looks up and what it tells: facts by number, counts, findings, and times."""

from __future__ import annotations

from angarium.history.kernel import layout as at
from angarium.history.kernel.life_core import consumer_of, domain_of, row_of
from angarium.history.kernel.store_core import precedes
from angarium.native.lowlevel import Words, offset, words


def reader_of(context: Words, event: Words) -> Words:
    """What is known of who reads: its run, place, subscriber and group."""
    return offset(words(context[at.READERS]), (event[at.PLACE] >> 32) * at.READER)


def of_run(context: Words, run: int) -> Words:
    return offset(words(context[at.RUNS]), run * at.RUN)


def location_of(context: Words, event: Words) -> Words:
    places, reader = words(context[at.PLACES]), reader_of(context, event)
    return offset(places, reader[at.R_PLACE] * at.LOCATION)


def of_subscriber(context: Words, subscriber: int) -> Words:
    return offset(words(context[at.SUBSCRIBERS]), subscriber * at.SUBSCRIBER)


def count_judged(thread: Words, run: int, guarantee: int, judged: int, count: int) -> None:
    """So many more were judged, or were not."""
    counts = words(thread[at.JUDGED])
    counts[2 * (run * at.COUNTED + guarantee) + (0 if judged != 0 else 1)] += count


def finding(thread: Words, kind: int, run: int, first: int, event: Words, found_at: int) -> Words:
    """A finding about an event, proved by that and by the one in a row; the rest is filled in."""
    place = thread[at.FOUND] if thread[at.FOUND] < thread[at.FINDINGS_ROOM] else thread[at.FINDINGS_ROOM]
    found = offset(words(thread[at.FINDINGS]), place * at.FINDING)
    thread[at.FOUND] += 1
    found[at.X_KIND] = kind
    found[at.X_RUN] = run
    found[at.X_FIRST] = first
    found[at.X_LAST] = row_of(event)
    found[at.X_ABOUT] = row_of(event)
    found[at.X_SUBSCRIBER] = 0
    found[at.X_CONSUMER] = 0
    found[at.X_FOUND_AT] = found_at
    found[at.X_MEASURE] = 0
    found[at.X_BOUND] = 0
    found[at.X_KEY] = event[at.KEY]
    found[at.X_DUE] = 0
    return found


def delivered_finding(
    thread: Words, kind: int, run: int, first: int, delivery: Words, found_at: int
) -> Words:
    """A finding that a delivery is: to its subscriber and consumer."""
    event = words(delivery[at.D_EVENT])
    found = finding(thread, kind, run, first, event, found_at)
    reader = words(delivery[at.D_REACHED])
    found[at.X_SUBSCRIBER] = reader[at.E_SUBSCRIBER]
    found[at.X_CONSUMER] = consumer_of(event) + 1
    return found


# --- times ------------------------------------------------------------------------------------------


def clocked(context: Words, thread: Words, run: int, span: int, begin: Words, end: Words) -> None:
    """Count the time between two events, if they have one clock."""
    if domain_of(begin) == domain_of(end) and end[at.AT] >= begin[at.AT]:
        time, least = end[at.AT] - begin[at.AT], words(context[at.LEAST_TIMES])
        low, high = 0, context[at.BUCKETS]
        while low + 1 < high:
            middle = (low + high) >> 1
            if least[middle] <= time:
                low = middle
            else:
                high = middle
        place = ((run * at.SPANS + span) * context[at.BUCKETS] + low) * at.BUCKET
        bucket = offset(words(thread[at.HISTOGRAM]), place)
        if bucket[0] == 0 or time < bucket[1]:
            bucket[1] = time
        if time > bucket[2]:
            bucket[2] = time
        bucket[0] += 1


def seen_first(context: Words, moments: Words, subscriber: int, event: Words) -> None:
    """Note an event if it is the first of a subscriber."""
    moment = offset(moments, subscriber * at.MOMENT)
    if moment[at.M_AT] == 0 or precedes(context, offset(event, at.AT), moment, at.M_AT) != 0:
        moment[at.M_AT] = event[at.AT]
        moment[at.M_SEQ] = event[at.SEQ]
        moment[at.M_WHO] = event[at.WHO]
        moment[at.M_DOMAIN] = domain_of(event)
