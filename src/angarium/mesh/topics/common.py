"""Whether some topic satisfies several patterns at once: a search through their automata side by side."""

from __future__ import annotations

from collections.abc import Collection

from angarium.mesh.topics.automaton import Automaton, Nodes

MOST = 2_000
"""Places that are looked at; beyond, something in common is taken to exist."""
_OTHERS = ("\0", "$\0", "")
"""A symbol of each kind that no pattern knows by name."""


def have_something_in_common(automaton: Automaton, all_of: Collection[Nodes]) -> bool:
    """Whether some end of a topic is accepted behind each of these nodes."""
    start = tuple(sorted(set(all_of)))
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        if all(automaton.tags_of(nodes) for nodes in here):
            return True
        if len(seen) > MOST:
            return True
        for there in _onwards(automaton, here):
            if there not in seen:
                seen.add(there)
                waiting.append(there)
    return False


def _onwards(automaton: Automaton, here: tuple[Nodes, ...]) -> list[tuple[Nodes, ...]]:
    """Where one more symbol leads that all of them know; the fewest names say which may matter."""
    fewest = min(here, key=lambda nodes: (_is_open(automaton, nodes), len(_names(automaton, nodes))))
    symbols = _names(automaton, fewest)
    if _is_open(automaton, fewest):
        symbols = {*_OTHERS, *(name for nodes in here for name in _names(automaton, nodes))}
    steps = (tuple(tuple(sorted(automaton.step(nodes, symbol))) for nodes in here) for symbol in symbols)
    return [step for step in steps if all(step)]


def _names(automaton: Automaton, nodes: Nodes) -> set[str]:
    return {symbol for node in nodes for symbol in automaton.literals[node]}


def _is_open(automaton: Automaton, nodes: Nodes) -> bool:
    """Whether symbols without a name lead on as well."""
    return any(any(automaton.wilds[node]) for node in nodes)
