"""A first project file, from what is in a folder, with comments for whoever reads one for the first time.

Which verdicts to expect is for people to say. So each kind of claim begins with what it checks, what may be
expected of it, and which keys to change: lines of TOML, of which only the `#` has to be removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from angarium.app.pipeline.found import Found
from angarium.core.escaping import toml_text

_BEGIN = """\
# What must hold here: a draft, from what was found in this folder. Read it, change it, then: angarium run
#
# A claim says what it is about, and which verdict is expected of it:
#   expect = "holds"      # the default: whatever breaks it is told, and the run fails
#   expect = "violated"   # a limit that is known: if it ever holds, that is told
# Its other keys are the options of its verb: `angarium check --help`. Paths are those from this folder.

[project]
name = {name}
budget = "5min"  # of each claim that has none of its own; what takes longer is unknown
"""
_MESHES = """
# --- Meshes: angarium mesh verify --------------------------------------------------------------------
# Every message reaches whoever wants it, once: while all is well, and with any single link or broker dead.
#   expect = "violated"      # if a failure that cuts somebody off is known and accepted
#   failures = "links=2"     # what may be dead at a time: none, one, links=K, brokers=K, risks
#   only = ["reachability"]  # this guarantee alone; without it all are judged
"""
_SETTINGS = """
# --- Kafka's settings: angarium check kafka --config ---------------------------------------------------
# With these settings, no message that was acknowledged is lost when a broker crashes.
#   expect = "violated"         # if such a loss is accepted, as with acks=1
#   faults = ["lost-request"]   # another fault; without it all are tried
#   only = ["no-duplicates"]    # or order, availability; without it all are judged
"""
_MODELS = """
# --- Models: angarium check --------------------------------------------------------------------------
# No run of the model breaks any of its guarantees, with the parameters that the file gives by default.
#   expect = "violated"      # if the model shows a limit; then name in `only` what breaks
#   set = { messages = 2 }   # other values of its parameters
#   only = ["no-loss"]       # this guarantee alone; without it all are judged
"""
_PROOFS = """
# --- Proofs: angarium prove --------------------------------------------------------------------------
# Every conjecture holds at the start and is kept by every operation, however much there is of anything.
#   expect = "violated"      # if it is known that something cannot be kept
#   only = ["represents"]    # this conjecture, operation or obligation alone
"""
_HISTORIES = """
# --- Recorded histories: angarium audit --------------------------------------------------------------
# What really happened: every message was delivered, once, in order.
#   expect = "violated"         # if the recording is known to show a failure
#   only = ["no-phantom"]       # another guarantee; without it all are judged
#   message-timeout = "60s"     # the broker takes an unsettled message back after this time
"""
_NONE = """
# Nothing was found here that a claim could be about. An example, of a system that comes with Angarium; all of
# them: angarium systems. Put mesh files, brokers' configuration, Kafka's settings, models or recorded
# histories here, and name them as `mesh`, `check` or `audit`: docs/how-to/project-file.md

[[claim]]
name = "NSQ keeps what its publication claims"
check = "nsq"
#   expect = "violated"                        # if a limit is known
#   set = { messages = 2, nsqd_crash = 1 }     # parameters: angarium systems nsq
#   only = ["no-loss"]                         # this guarantee alone
"""
_MORE = """
# --- More that can be claimed ------------------------------------------------------------------------
"""
_RECOVER = """\
# There is a recovery table for every dead link, and none of them loses a message: angarium mesh recover
#   [[claim]]
#   name = "every dead link has its recovery table"
#   recover = {files}
#   failures = "links=1"
#
"""
_SIMULATE = """\
# A statistic of random runs keeps to a bound: angarium simulate
#   [[claim]]
#   name = "nineteen of twenty times, balance takes at most 5 releases"
#   simulate = "rabbitmq-sac"
#   runs = 2000
#   observe = "releases-to-balance"
#   statistic = "p95"  # or mean, p50
#   at-most = 5        # or at-least
"""


def draft(name: str, found: Found) -> str:
    """The text of a project file."""
    plain = " ".join(name.encode(errors="replace").decode().split()) or "project"
    claims = _sections(found) if found else [_NONE]
    return "".join([_BEGIN.format(name=toml_text(plain)), *claims, _MORE, *_recover(found), _SIMULATE])


def _sections(found: Found) -> Iterator[str]:
    """Every kind of claim that there is, each with its comment."""
    kinds = {
        _MESHES: [*_meshes(found)],
        _SETTINGS: [*_settings(found)],
        _MODELS: [_claim(f"{each}: all guarantees of the model", check=each) for each in found.models],
        _PROOFS: [_claim(f"{each}: proved for any size", prove=each) for each in found.proofs],
        _HISTORIES: [*_histories(found)],
    }
    for comment, claims in kinds.items():
        if claims:
            yield "".join([comment, *claims])


def _meshes(found: Found) -> Iterator[str]:
    for name, files in _mesh_files(found):
        told = f"{name}: every message arrives, whatever single link or broker fails"
        yield _claim(told, mesh=_short(files), failures="one")


def _mesh_files(found: Found) -> list[tuple[str, list[str]]]:
    """The files of each mesh, by its name."""
    return [*((each, [each]) for each in found.meshes), *found.brokers.items()]


def _settings(found: Found) -> Iterator[str]:
    for place, files in found.settings.items():
        where = "here" if place == "." else f"in {place}"
        told = f"Kafka as set {where} loses nothing when a broker crashes"
        yield _claim(told, check="kafka", config=_short(files), faults=["one-crash"], only=["no-loss"])


def _histories(found: Found) -> Iterator[str]:
    for name, files in found.histories.items():
        told = f"{name}: every message was delivered, once, in order"
        yield _claim(told, audit=_short(files), only=["no-loss", "no-duplicates", "order"])


def _recover(found: Found) -> list[str]:
    return [_RECOVER.format(files=_value(_short(files))) for _, files in _mesh_files(found)[:1]]


def _claim(name: str, **entries: str | Sequence[str]) -> str:
    lines = (f"{key} = {_value(value)}" for key, value in entries.items())
    return "\n".join(["", "[[claim]]", f"name = {toml_text(name)}", *lines, ""])


def _short(files: Sequence[str]) -> str | Sequence[str]:
    """One file needs no list."""
    return files[0] if len(files) == 1 else files


def _value(value: str | Sequence[str]) -> str:
    return toml_text(value) if isinstance(value, str) else f"[{', '.join(map(toml_text, value))}]"
