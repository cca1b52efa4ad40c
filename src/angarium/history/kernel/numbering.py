"""What numbers stand for within the kernel, and a batch's rows in such numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from angarium.history.kernel.interning import Interned, Pairs

Truths = NDArray[np.bool_]


@dataclass
class Tables:
    """What numbers stand for."""

    names: Interned = field(default_factory=Interned)
    runs: Interned = field(default_factory=Interned)
    """Histories: of clients, and of a broker."""
    recorders: Interned = field(default_factory=lambda: Interned([""], {"": 0}))
    domains: Interned = field(default_factory=Interned)
    """Clock domains; none is one, too, and has the number 0 in an event."""
    places: Pairs = field(default_factory=Pairs)
    """Run and destination."""
    people: Pairs = field(default_factory=Pairs)
    """Run and name: a client, a consumer or a recorder."""
    groups: Pairs = field(default_factory=Pairs)
    """Run and consumer group."""
    subscribers: Pairs = field(default_factory=Pairs)
    """Place and name."""
    channels: Pairs = field(default_factory=Pairs)
    """Consumer group and subscription."""
    readers: Pairs = field(default_factory=Pairs)
    """Place and channel."""
    sources: Pairs = field(default_factory=Pairs)
    """Run, as both sides of it call it, and recorder."""

    def subscriber_of(self, reader: int) -> int:
        """The subscriber that a reader is."""
        place, channel = self.readers.values[reader]
        group, subscription = self.channels.values[channel]
        name = next(each for each in (group, subscription, self.places.values[place][1]) if each >= 0)
        return self.subscribers.of(place, name)
