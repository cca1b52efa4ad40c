"""Subscribers as links that lead out of the mesh, so that what they want makes classes of topics as well.

Usually it need not: a subscriber asks which classes it wants something of, and all topics of a class fare
alike. But behind a renaming a subscriber may want some topics of a class under their old name and others
under the new one, which fare differently; and two versions of a mesh may differ in nothing but what a
subscriber wants. There, each set of patterns becomes a link whose filter tells topics apart.
"""

from __future__ import annotations

from dataclasses import replace

from angarium.mesh.mesh import Broker, Link, Mesh, Pattern

MOST = 3_000
"""More sets of patterns than this would make too many classes; then subscribers only ask."""
_OUT = "\0out"


def with_sinks(mesh: Mesh) -> Mesh:
    """The mesh with a link for what each subscriber wants."""
    wanted = dict.fromkeys((subscriber.broker, subscriber.topics) for subscriber in mesh.subscribers)
    if len(wanted) > MOST:
        return mesh
    dialects = {broker.name: broker.dialect for broker in mesh.brokers}
    out = tuple(Broker(f"{_OUT} {dialect}", dialect) for dialect in dict.fromkeys(dialects.values()))
    links = tuple(
        Link(f"{_OUT} {number}", at, f"{_OUT} {dialects[at]}", accepts=tuple(map(_as_filter, topics)))
        for number, (at, topics) in enumerate(wanted)
    )
    return replace(mesh, brokers=(*mesh.brokers, *out), links=(*mesh.links, *links))


def _as_filter(pattern: Pattern) -> Pattern:
    """A name in MirrorMaker's dialect is a name for a subscriber, and an expression for a link."""
    name = all(letter.isalnum() or letter in "._-" for letter in pattern.text)
    if pattern.dialect != "mirrormaker" or not name:
        return pattern
    return replace(pattern, text=pattern.text.replace(".", "\\."))
