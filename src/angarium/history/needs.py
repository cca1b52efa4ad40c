"""What each guarantee needs of a run: without it nobody can judge, and a fixed sentence says why.

Beside it is said why some of a run was not judged, where the rest was.

Findings are never taken back. `found_at` is the time of the history at which a violation can be known, and
an audit of the events up to a time finds just those violations of the whole history that have a `found_at`
up to then. That is why the same rules serve a history that has ended and one that is being written. Only
`no-loss` waits for the end: a message may always still come.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from angarium.core.errors import UsageError, did_you_mean
from angarium.history import schema
from angarium.history.guarantees import COMPLETE_LOG, NAMES
from angarium.history.parameters import Parameters
from angarium.history.profile import Profile

NO_DELIVERIES = "there are no deliveries"
UNCOMMITTED = "no event says what consumers commit, and what a group has committed does not come again"


def chosen(only: Collection[str] | None) -> list[str]:
    """The guarantees that are asked for. UsageError if there is no such guarantee."""
    for name in only or ():
        if name not in NAMES:
            raise UsageError("ANG012", f"there is no guarantee {name!r}", possible=did_you_mean(name, NAMES))
    return [name for name in LACKS if not only or name in only]


def lacks(guarantee: str, profile: Profile, parameters: Parameters) -> str | None:
    """Why a guarantee cannot be judged of a run; None if it can."""
    return LACKS[guarantee](profile, parameters)


def _no_loss(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.confirmed:
        return "no send is confirmed"
    if not profile.deliveries and not profile.subscriptions:
        return "there are neither deliveries nor subscriptions"
    return None


def _no_phantom(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.sends:
        return "there are no sends"
    return None if profile.deliveries else NO_DELIVERIES


def _no_duplicates(profile: Profile, parameters: Parameters) -> str | None:
    return profile.unsettled if profile.deliveries else NO_DELIVERIES


def _duplicates_after_ack(profile: Profile, parameters: Parameters) -> str | None:
    lacking = _no_duplicates(profile, parameters)
    return lacking or (None if profile.acks else "there are no acknowledgements")


def _order(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.deliveries:
        return NO_DELIVERIES
    if not profile.sequenced:
        return "no message has a producer_seq"
    if profile.systems and set(profile.systems) <= set(schema.UNORDERED):
        return f"{' and '.join(profile.systems)}: no order is promised"
    return None if profile.sends else "there are no sends, so nobody knows the producers"


def _consistent_offsets(profile: Profile, parameters: Parameters) -> str | None:
    return None if profile.placed else "no send and no delivery has an offset"


def _one_active_consumer(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.deliveries:
        return NO_DELIVERIES
    if profile.grouped or profile.single_actives or parameters.single_active:
        return None
    return "no queue is said to have a single active consumer, and no group reads a partition"


def _ownership(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.shares:
        return "there are no assignments of partitions"
    return None if profile.grouped else "no group got messages of a partition"


def _flow_control(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.deliveries:
        return NO_DELIVERIES
    if profile.unsettled:
        return profile.unsettled
    if not profile.credits:
        return "no event gives a credit or a prefetch"
    timed = parameters.message_timeout is not None or profile.timeouts
    return None if timed or profile.timerless else "the message timeout is not known"


def _bounded_retries(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.deliveries:
        return NO_DELIVERIES
    if parameters.retry_limit is None and not profile.retry_limits:
        return "nothing says how often a message may be delivered (max_deliveries, or --retry-limit)"
    return None


def _redelivery_time(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.deliveries:
        return NO_DELIVERIES
    if profile.unsettled:
        return profile.unsettled
    if not profile.settles:
        return UNCOMMITTED
    if parameters.message_timeout is not None or profile.closings or profile.requeues or profile.timeouts:
        return None
    return "no consumer ends, nothing is requeued, and no message timeout is known"


def _balance(profile: Profile, parameters: Parameters) -> str | None:
    return None if profile.assignments else "there are no assignments of partitions with a generation"


def _acks_all(profile: Profile, parameters: Parameters) -> str | None:
    if not profile.confirmed:
        return "no send is confirmed"
    if not profile.stores:
        return "there are no stores of replicas"
    return None if profile.isrs else "no event says which replicas are in step (isr)"


def _complete_log(profile: Profile, parameters: Parameters) -> str | None:
    return None if profile.numbered else "no event has a seq"


def _latency(profile: Profile, parameters: Parameters) -> str | None:
    if profile.confirmed or (profile.sends and profile.deliveries) or (profile.acks and profile.deliveries):
        return None
    return "there are no two events of one message"


LACKS: Mapping[str, Callable[[Profile, Parameters], str | None]] = {
    "no-loss": _no_loss,
    "no-phantom": _no_phantom,
    "no-duplicates": _no_duplicates,
    "duplicates-after-ack": _duplicates_after_ack,
    "order": _order,
    "consistent-offsets": _consistent_offsets,
    "one-active-consumer": _one_active_consumer,
    "ownership": _ownership,
    "flow-control": _flow_control,
    "bounded-retries": _bounded_retries,
    "redelivery-time": _redelivery_time,
    "balance": _balance,
    "acks-all": _acks_all,
    COMPLETE_LOG: _complete_log,
    "latency": _latency,
}
"""By guarantee, in their order."""

_TIMEOUTS = "the message timeout of some subscribers is not known"
UNJUDGED = {
    "no-loss": "messages confirmed shortly before the end may still be on their way",
    "no-phantom": "messages may have been on their way when the recorder attached",
    "no-duplicates": _TIMEOUTS,
    "duplicates-after-ack": _TIMEOUTS,
    "order": "some messages have no producer_seq or no send, were sent twice, or are promised no order",
    "consistent-offsets": "some sends or deliveries have no offset",
    "one-active-consumer": "some queues may have many active consumers, or some deliveries of partitions "
    "have no generation",
    "ownership": "some assignments have no generation: whether the partition was another's by then is not "
    "known",
    "flow-control": "some deliveries have no limit, or their message timeout is not known",
    "bounded-retries": "some subscribers have no retry limit",
    "redelivery-time": "some redeliveries may still come after the end of the history",
    "balance": "some assignments did not stand long enough",
    "acks-all": "of some sends nobody knows the replicas in step",
    COMPLETE_LOG: "some events have no seq",
}
"""Why some of a run was not judged."""
