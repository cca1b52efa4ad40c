"""What tests of importers share: the sample files, what becomes of a message, and files that are damaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.mesh import NOTHING, Failures, Link, Mesh
from angarium.mesh.topics.dialects import topic_of

EXAMPLES = Path(__file__).parents[3] / "examples" / "meshes"

Reader = Callable[[Sequence[Path]], Mesh]


def sample(folder: str, *names: str) -> list[Path]:
    """Files of a folder of samples: those named, or all."""
    whole = EXAMPLES / folder
    return [whole / name for name in names] or sorted(path for path in whole.iterdir() if path.is_file())


def written(folder: Path, **texts: str) -> list[Path]:
    """Files of these texts; `a_conf` is called `a.conf`."""
    paths = []
    for name, text in texts.items():
        stem, _, suffix = name.rpartition("_")
        path = folder / f"{stem.replace('_', '-')}.{suffix}"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def copies(
    mesh: Mesh, origin: str, topic: str, scope: str = "", failures: Failures = NOTHING
) -> dict[tuple[str, str], int | None]:
    """How often which broker gets a message under which name."""
    dialect = next(broker.dialect for broker in mesh.brokers if broker.name == origin)
    spread = Forwarding(mesh).spread(origin, topic_of(topic, dialect, scope), failures)
    return {(arrival.broker, arrival.topic): arrival.copies for arrival in spread.arrivals}


def at_brokers(mesh: Mesh, origin: str, topic: str, failures: Failures = NOTHING) -> dict[str, int | None]:
    return {broker: count for (broker, _), count in copies(mesh, origin, topic, failures=failures).items()}


def link(mesh: Mesh, name: str) -> Link:
    return next(each for each in mesh.links if each.name == name)


def remarks(mesh: Mesh, kind: str) -> list[str]:
    return [remark.what for remark in mesh.remarks if remark.kind == kind]


def outside(broker: str) -> str:
    """What is said of a broker whose file was not given."""
    return f"no file of {broker} was given: what it hands on, to whom, is not known"


def damaged(text: str) -> st.SearchStrategy[str]:
    """A text that is cut off, or of which some is missing, doubled or replaced by marks."""
    places = st.integers(0, len(text))
    marks = st.text("{}[]()<>\"'\\#/=:,;$!&%. \n\t-a1\x00é", max_size=6)

    def changed(one: int, other: int, new: str) -> str:
        start, end = sorted((one, other))
        return text[:start] + new + text[min(end, start + 40) :]

    cut = places.map(lambda end: text[:end])
    doubled = places.map(lambda at: text[:at] + text[max(0, at - 60) :])
    return st.one_of(cut, doubled, st.builds(changed, places, places, marks))


def read_or_refused(read: Reader, paths: Sequence[Path]) -> Mesh | MeshError:
    """What comes of a file, whatever is in it; any other exception is a mistake of ours."""
    try:
        return read(paths)
    except MeshError as error:
        return error
