"""The steps of the two models, as an operator would tell them."""

from __future__ import annotations

from angarium.core.result import Step, Story

PHRASES = {
    "send": "the producer sends {m}",
    "resend": "the producer sends {m} again",
    "lose_request": "the request with {m} is lost",
    "time_out": "the request with {m} gets no answer",
    "receive": "broker {b} receives {m}",
    "acknowledge": "message {m} is acknowledged",
    "refuse_late": "an error comes for {m}, though it is in the log",
    "lose_acknowledgement": "the acknowledgement of {m} is lost",
    "fetch": "follower {b} fetches from leader {lead}",
    "shrink": "leader {lead} takes {b} out of the in-sync replicas",
    "expand": "leader {lead} takes {b} into the in-sync replicas",
    "fall_behind": "follower {b} falls behind and is out of sync",
    "elect": "broker {b} is elected leader",
    "elect_unclean": "broker {b} is elected leader although it is not in sync",
    "crash_broker": "broker {b} crashes",
    "lose_disk": "broker {b} crashes and loses its disk",
    "restart_broker": "broker {b} comes back",
    "isolate_leader": "leader {b} is cut off from its followers",
    "cut_off_leader": "leader {b} is cut off from followers and controller",
    "heal": "the network is whole again",
    "read": "the reader processes {m}",
    "begin_generation": "all members have joined",
    "expire": "the session of consumer {c} times out",
    "assign": "consumer {leader} assigns the partitions",
    "join": "consumer {c} joins the group",
    "join_again": "consumer {c} joins again",
    "sync": "consumer {c} gets its partitions",
    "crash": "consumer {c} crashes",
    "pause": "consumer {c} is too slow and is put out of the group",
    "poll": "consumer {c} polls {p}",
    "process": "consumer {c} processes a record of {p}",
    "commit_offsets": "consumer {c} commits",
}


def phrase(step: Step) -> str:
    """A step in words."""
    return PHRASES[step.action].format(**step.arguments)


def retell(story: Story) -> str:
    """A story in one breath."""
    return "; ".join(phrase(step) for step in story.steps)
