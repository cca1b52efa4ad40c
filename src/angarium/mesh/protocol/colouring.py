"""The colour: a pure function of the link state.

A broker looks at the dead pairs from where it stands:

1. Its *component* are the brokers that living pairs lead to.
2. Pairs with both ends outside the component do not matter: nothing gets there, and what was last heard of
   them may be old.
3. The colour is the first one whose failures kill just the pairs that are dead at this component. So a broker
   that has died has the colour of its death as soon as all its neighbours have noticed, although nobody can
   tell it from a broker all of whose links have died; and a broker that cuts the mesh in two has it as well,
   although each side sees only its own half of the links.

All brokers of a component that have the same link state see the same component and the same dead pairs, so
they have the same colour. Its tables are right for them: a path between two of them uses only pairs that
touch the component, and of these just the living ones live in that colour.

A failure may have no colour because nothing was calculated for it. Then `colour` is None, the tables are
calculated at once from the same dead pairs, and the status says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from angarium.mesh.mesh import Failures
from angarium.mesh.protocol.link_state import Chart, Pair, Pairs
from angarium.mesh.protocol.messages import Codec
from angarium.mesh.recovery.tables import HEALTHY, Colours


@dataclass(frozen=True, slots=True)
class View:
    """What a broker sees of the mesh."""

    component: frozenset[str]
    dead: Pairs
    """At the component."""
    failures: Failures
    """Those of the colour; where there is none, the links of the dead pairs."""
    colour: int | None
    """None if no tables were calculated for these failures."""


@dataclass(frozen=True)
class Colouring:
    """What all brokers agree on before anything happens: who is joined with whom, and the colours."""

    chart: Chart
    colours: Colours
    fingerprint: int = 0
    """Of what the tables were made from; who has another one is not listened to."""

    @cached_property
    def codec(self) -> Codec:
        """How they write to each other."""
        return Codec(self.chart, self.fingerprint)

    @cached_property
    def killed(self) -> tuple[Pairs, ...]:
        """The pairs that each colour kills."""
        return tuple(self.chart.killed(failures) for failures in self.colours.failures)

    @cached_property
    def _colours_of_pair(self) -> dict[Pair, list[int]]:
        found: dict[Pair, list[int]] = defaultdict(list)
        for colour, pairs in zip(self.colours, self.killed, strict=True):
            for pair in pairs:
                found[pair].append(colour)
        return found

    def prepare(self) -> None:
        """Make ready what the first failure would otherwise have to wait for."""
        _ = self._colours_of_pair

    def killed_by(self, colour: int) -> Pairs:
        """The pairs that are dead in a colour."""
        return self.killed[colour - HEALTHY]

    def view(self, broker: str, dead: Pairs) -> View:
        """What a broker sees if these pairs are dead."""
        dead = self.chart.killed(self.chart.cables_of(dead))
        component = self.chart.reached(broker, dead)
        dead = _touching(component, dead)
        colour = self._colour(component, dead)
        failures = self.chart.cables_of(dead) if colour is None else self.colours[colour]
        return View(component, dead, failures, colour)

    def _colour(self, component: frozenset[str], dead: Pairs) -> int | None:
        if not dead:
            return HEALTHY
        rarest = min(dead, key=lambda pair: len(self._colours_of_pair[pair]))
        for colour in self._colours_of_pair[rarest]:
            if _touching(component, self.killed_by(colour)) == dead:
                return colour
        return None


def _touching(component: frozenset[str], pairs: Iterable[Pair]) -> Pairs:
    return frozenset(pair for pair in pairs if not component.isdisjoint(pair))
