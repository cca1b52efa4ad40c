"""no-duplicates and duplicates-after-ack: a message comes again only if there is a cause.

Both ask about deliveries that are not the first of their message to their subscriber. Those are few, so only
messages that were delivered twice are looked at closely; of one that was delivered very often, the first
`ACKS` acknowledgements.

Most clients never hear whether the broker got their acknowledgement. One that was not confirmed counts only
if nothing can have come between: it was in time, it had time to arrive, and neither its consumer nor a broker
ended soon after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from angarium.history.checks import assignments
from angarium.history.checks.check import Check, Looks
from angarium.history.checks.facts import MESSAGE, WHEN, Facts
from angarium.history.checks.holdings import ENDS, KEY, with_ends, with_timeout
from angarium.history.checks.lists import between, listed, moment_of
from angarium.history.checks.rows import as_violations, event, tally
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ACKS = 64
"""More than these are not looked at: what comes after can only make an audit find less."""
_UNKNOWN = "the message timeout of some subscribers is not known"
_BEFORE = (*WHEN, "clock_domain", "acks", "extends", "returned", "troubles")
"""What is asked of the delivery before."""


def lacks(profile: Profile, parameters: Parameters) -> str | None:
    return profile.unsettled if profile.deliveries else "there are no deliveries"


def lacks_acks(profile: Profile, parameters: Parameters) -> str | None:
    return lacks(profile, parameters) or (None if profile.acks else "there are no acknowledgements")


def held(facts: Facts) -> DataFrame:
    """`held`: delivered again though the delivery before was neither settled nor given up."""
    from pyspark.sql import functions as f

    known = facts.parameters
    again = _repeats(facts).where(f.col("ack").isNull() & _precedes(known))
    found = again.where(~_acknowledged() & ~_caused(known))
    return as_violations(_rows(found, f.col("before")), "no-duplicates", "held")


def after_ack(facts: Facts) -> DataFrame:
    """`after-ack`: delivered again though an acknowledgement was in force."""
    from pyspark.sql import functions as f

    found = _repeats(facts).where("ack IS NOT NULL")
    return as_violations(_rows(found, f.col("ack")), "duplicates-after-ack", "after-ack")


def judged(facts: Facts) -> DataFrame:
    from pyspark.sql import functions as f

    return tally(with_timeout(facts.takers, facts), f.col("known"), _UNKNOWN, "deliveries")


def _rows(found: DataFrame, first: Column) -> DataFrame:
    from pyspark.sql import functions as f

    return found.select(
        *(*MESSAGE, "partition_id", "subscriber"),
        f.col("consumer").alias("consumer_id"),
        first.alias("first"),
        event().alias("last"),
        f.col("found_at"),
    )


def _repeats(facts: Facts) -> DataFrame:
    """Deliveries that are not the first: `before`, the one before, and `ack`, the first in force."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    rows = _troubled(facts.holdings.where("deliveries > 1 AND known"), facts)
    place = Window.partitionBy(*KEY, "subscriber").orderBy(*WHEN)
    whole = place.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    words = f.flatten(f.collect_list("words").over(whole))
    return (
        rows.withColumn("words", _words(facts.parameters))
        .withColumn("before", f.lag(f.struct(*_BEFORE)).over(place))
        .withColumn("words", f.slice(f.sort_array(words), 1, ACKS))
        .where("number > 1")
        .withColumn("ack", f.get(f.filter("words", _in_force(facts.parameters)), f.lit(0)))
        .withColumn("found_at", f.col("at") + f.lit(facts.parameters.clock_skew))
    )


def _troubled(rows: DataFrame, facts: Facts) -> DataFrame:
    """Deliveries with all that may make a broker forget who holds them: the list `troubles`.

    Ends of the consumer, changes of brokers, and new shares of the group.
    """
    from pyspark.sql import functions as f

    changes = listed(facts.broker_changes, ("run_id",), "changes", ("clock_domain",))
    moves = listed(assignments.changes(facts), assignments.GROUP, "moves", ("clock_domain",))
    nobody_ends = "closings" in facts.absent
    met = (rows if nobody_ends else with_ends(rows, facts)).join(f.broadcast(changes), "run_id", "left")
    met = met.join(f.broadcast(moves), [*assignments.GROUP], "left")
    lists = ("changes", "moves", *(() if nobody_ends else ENDS))
    troubles = f.concat(*(f.coalesce(name, f.array()) for name in lists))
    return met.withColumn("troubles", troubles).drop(*lists)


def _apart(one: Column, other: Column, parameters: Parameters) -> Column:
    """By how much the times of two clock domains may differ."""
    from pyspark.sql import functions as f

    return f.when(one.eqNullSafe(other), f.lit(0)).otherwise(f.lit(parameters.clock_skew))


def _strikes(trouble: Column, struck: Column, parameters: Parameters) -> Column:
    """Whether a trouble may have come after an event; who kills says so a little before."""
    apart = _apart(trouble["clock_domain"], struck["clock_domain"], parameters)
    return struck["at"] <= trouble["at"] + apart + parameters.grace


def _here(domain: Column, parameters: Parameters) -> Column:
    """By how much a time and that of this delivery may differ."""
    from pyspark.sql import functions as f

    return _apart(domain, f.col("clock_domain"), parameters)


# --- acknowledgements --------------------------------------------------------------------------------


def _words(parameters: Parameters) -> Column:
    """The acknowledgements of a delivery, with all that decides whether they are in force later on.

    array<struct<at, recorder, seq, clock_domain, phase, delivered, oks, timely, doubts, refusals>>
    """
    from pyspark.sql import functions as f

    oks = f.filter("acks", lambda each: each["phase"] == "ok")

    def word(ack: Column) -> Column:
        names = (*WHEN, "clock_domain", "phase")
        limit = _started(f.col("at"), f.col("extends"), moment_of(ack)) + f.col("timeout")
        return f.struct(
            *(ack[name].alias(name) for name in names),
            event().alias("delivered"),
            oks.alias("oks"),
            (f.coalesce(ack["at"] <= limit - f.lit(parameters.grace), f.lit(True)) & ~_given_back(ack)).alias(
                "timely"
            ),
            _doubts(ack, parameters).alias("doubts"),
            f.filter("refusals", lambda each: moment_of(each) > moment_of(ack)).alias("refusals"),
        )

    return f.transform("acks", word)


def _given_back(ack: Column) -> Column:
    """Whether the delivery was given back before: then the word may be meant for an earlier delivery."""
    from pyspark.sql import functions as f

    returned = f.col("returned")
    return returned.isNotNull() & (moment_of(returned) < moment_of(ack))


def _started(at: Column, extends: Column, moment: Column) -> Column:
    """When a delivery's timeout began to run: with it, or with its last extend before a moment."""
    from pyspark.sql import functions as f

    last = f.array_max(f.filter(extends, lambda each: moment_of(each) < moment))
    return f.greatest(at, last["at"])


def _doubts(ack: Column, parameters: Parameters) -> Column:
    """What happens so shortly after an acknowledgement that it may not have reached the broker."""
    from pyspark.sql import functions as f

    low = ack["at"] - (parameters.clock_skew + parameters.grace)
    high = ack["at"] + (parameters.clock_skew + parameters.ack_doubt)

    def soon(trouble: Column) -> Column:
        apart = _apart(trouble["clock_domain"], ack["clock_domain"], parameters)
        return _strikes(trouble, ack, parameters) & (
            trouble["at"] <= ack["at"] + parameters.ack_doubt + apart
        )

    return f.filter(between(f.col("troubles"), low, high), soon)


def _in_force(parameters: Parameters) -> Callable[[Column], Column]:
    """Whether an acknowledgement of an earlier delivery binds the broker at this one."""
    from pyspark.sql import functions as f

    def has_arrived(ack: Column) -> Column:
        return ack["at"] + _here(ack["clock_domain"], parameters) + parameters.grace <= f.col("at")

    def is_before(trouble: Column) -> Column:
        return trouble["at"] <= f.col("at") + _here(trouble["clock_domain"], parameters)

    def holds(word: Column) -> Column:
        refused = f.exists(word["refusals"], lambda each: moment_of(each) < event())
        unconfirmed = ~f.exists(word["oks"], has_arrived)
        beyond_doubt = word["timely"] & ~f.exists(word["doubts"], is_before) & ~refused
        said = (word["phase"] == "invoke") & unconfirmed & beyond_doubt
        return (word["delivered"] < event()) & has_arrived(word) & ((word["phase"] == "ok") | said)

    return holds


# --- causes ------------------------------------------------------------------------------------------


def _acknowledged() -> Column:
    """Whether the delivery before has an acknowledgement, however doubtful, before this one."""
    from pyspark.sql import functions as f

    return f.exists("before.acks", lambda ack: moment_of(ack) < event())


def _precedes(parameters: Parameters) -> Column:
    """Whether the delivery before certainly came before this one, as far as clocks can tell."""
    from pyspark.sql import functions as f

    apart = _here(f.col("before.clock_domain"), parameters)
    return (apart == 0) | (f.col("before.at") + apart < f.col("at"))


def _caused(parameters: Parameters) -> Column:
    """Whether the delivery before was given back or given up, or its time was up."""
    from pyspark.sql import functions as f

    before = f.col("before")

    def in_time(cause: Column) -> Column:
        return cause["at"] <= f.col("at") + _here(cause["clock_domain"], parameters)

    low = before["at"] - (parameters.clock_skew + parameters.grace)
    troubles = between(before["troubles"], low, f.col("at") + parameters.clock_skew)
    given_up = f.exists(troubles, lambda each: _strikes(each, before, parameters) & in_time(each))
    started = _started(before["at"], before["extends"], event())
    apart = _here(before["clock_domain"], parameters)
    timed_out = f.col("at") + apart >= started + f.col("timeout") - f.lit(parameters.grace)
    causes = (in_time(before["returned"]), given_up, timed_out)
    return f.greatest(*(f.coalesce(cause, f.lit(False)) for cause in causes))


NO_DUPLICATES = Check("no-duplicates", lacks, held, judged, Looks.MESSAGES)
AFTER_ACK = Check("duplicates-after-ack", lacks_acks, after_ack, judged, Looks.MESSAGES)
