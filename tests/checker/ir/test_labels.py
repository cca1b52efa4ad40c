"""What the values of an index are called."""

from __future__ import annotations

import pytest

from angarium.checker.ir.labels import Labels
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.errors import ModelError
from tests.models import system

BODY = """
daemons = count(Daemon, 2)
messages = count(Message, 2)
monitors = count(Monitor, 2)
up = setof(Daemon)
seen = setof(Message)
watched = setof(Monitor)

@action
def stop(self, d: Daemon) -> None:
    self.up.discard(d)
"""


def labelled(daemon: str) -> TransitionSystem:
    head = f"""
class Daemon(Index{daemon}):
    "A daemon."
class Message(Index):
    "A message."
class Monitor(Index):
    "A monitor."
"""
    return system(BODY, head=head)


def test_an_index_is_called_as_its_class_says() -> None:
    prefixes = Labels(labelled(', label="nsqd"')).prefixes
    assert [prefixes[name] for name in ("Daemon", "Message", "Monitor")] == ["nsqd", "me", "mo"]


def test_a_label_is_no_part_of_what_a_system_means() -> None:
    assert labelled(', label="nsqd"').hash == labelled("").hash


def test_others_are_told_apart_from_a_label() -> None:
    assert Labels(labelled(', label="m"')).prefixes["Message"] == "me"
    assert Labels(labelled("")).prefixes["Daemon"] == "d"


@pytest.mark.parametrize("label", ["n1", "", "a b", "1", "é!"])
def test_a_label_that_cannot_stand_before_a_number_is_refused(label: str) -> None:
    with pytest.raises(ModelError, match="cannot stand before a number"):
        labelled(f', label="{label}"')
