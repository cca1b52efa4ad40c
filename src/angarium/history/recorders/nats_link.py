"""A recorder attached to a running NATS server with JetStream.

What was sent is read from the streams themselves, by a consumer of our own that wants headers only; when the
recorder comes back after a lost connection, it goes on behind the last message that it saw. What became of
messages is said by metrics and advisories, which nobody keeps: they are missed while the recorder is away.

A record about a message waits until that message was read from its stream, so that its name is known; and a
moment longer, for records overtake each other on their way, and are told in the order of their times.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from angarium.core.errors import HistoryError, did_you_mean
from angarium.core.extras import demand
from angarium.history.recorders.nats import Stream, Told, is_sampled, nanoseconds
from angarium.history.recorders.recording import LONGEST_WAIT, SHORTEST_WAIT, Account, Plan, Recording

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.js import JetStreamContext

    from angarium.history.recorders.writer import Writer

OWN = "angarium-recorder-"
"""How the names of our own consumers begin."""
BATCH = 1000
TICK, HOLD, PATIENCE = 0.2, 0.25, 5.0
"""Seconds."""
_LONGEST = 4
"""Times that patience may be lost in one thing that is done: it asks more than once."""
_SUBJECTS = (
    "$JS.EVENT.METRIC.CONSUMER.ACK.{}.*",
    "$JS.EVENT.ADVISORY.CONSUMER.*.{}.*",
    "$JS.EVENT.ADVISORY.STREAM.*.{}",
)
_NOBODY = "start it, or give its address: nats://USER:PASSWORD@HOST:PORT"


class LostError(Exception):
    """The server is not there, or does not say everything."""


def record_nats(
    url: str,
    plan: Plan,
    streams: Sequence[str] = (),
    *,
    stopped: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
    progress: Callable[[Account], None] = lambda _: None,
) -> Account:
    """Record what JetStream says of streams (of all, if none is named) until it is enough."""
    demand("nats")
    recording = Recording(plan, stopped=stopped, tell=tell)
    asyncio.run(_record(url, streams, recording, progress))
    return recording.account


async def _record(
    url: str, streams: Sequence[str], recording: Recording, progress: Callable[[Account], None]
) -> None:
    memory = Memory()
    try:
        link = await Link.attached(url, streams, memory, recording.tell, recording.since)
    except LostError as problem:
        raise HistoryError(
            "ANG133",
            f"cannot record {_place(url)}: {problem}",
            possible="a running NATS server with JetStream",
            remedy=_NOBODY,
        ) from None
    attached = _Attached(url, streams, memory, link, recording)
    try:
        await attached.run(progress)
    except OSError as problem:
        raise recording.failed(problem) from None
    finally:
        await attached.close()
        recording.close()


class _Attached:
    """A recording that goes on when its server comes back."""

    def __init__(
        self, url: str, streams: Sequence[str], memory: Memory, link: Link, recording: Recording
    ) -> None:
        self._url, self._streams, self._memory, self._recording = url, streams, memory, recording
        self._link: Link | None = link
        self._wait, self._due = SHORTEST_WAIT, 0.0

    async def run(self, progress: Callable[[Account], None]) -> None:
        place = f"nats@{_place(self._url)}"
        records = self._recording.writer(place, "nats")
        sends = self._recording.writer(f"{place}.sends", "nats")
        self._recording.begin()
        while not self._recording.is_over():
            progress(self._recording.account)
            for each in await self._heard(HOLD):
                _write(sends if each.op_type == "send" else records, each)
        for each in await self._heard(0.0):
            _write(sends if each.op_type == "send" else records, each)
        self._recording.end(connected=self._link is not None)

    async def close(self) -> None:
        if self._link is not None:
            await self._link.close()

    async def _heard(self, hold: float) -> list[Told]:
        if self._link is None:
            await self._try_again()
            return []
        try:
            return await self._link.heard(hold)
        except LostError as problem:
            heard = self._link.taken()
            await self._link.close()
            self._link = None
            self._wait, self._due = SHORTEST_WAIT, time.monotonic() + SHORTEST_WAIT
            self._recording.lost(str(problem))
            return heard

    async def _try_again(self) -> None:
        if time.monotonic() < self._due:
            await asyncio.sleep(TICK)
            return
        try:
            now, tell = time.time_ns(), self._recording.tell
            link = await Link.attached(self._url, self._streams, self._memory, tell, now)
        except LostError:
            self._wait = min(2 * self._wait, LONGEST_WAIT)
            self._due = time.monotonic() + self._wait
            return
        self._link = link
        self._recording.found()


class Watched:
    """What is remembered of a stream."""

    def __init__(self, name: str, server: str | None) -> None:
        self.stream = Stream(name, server)
        self.last = 0
        """The number of the last message that was read."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A record that is not told yet."""

    came: float
    at: int
    record: dict[str, Any]
    watched: Watched

    @property
    def is_known(self) -> bool:
        """Whether the message that it is about was read from its stream."""
        return (self.record.get("stream_seq") or 0) <= self.watched.last


class Memory:
    """What is remembered, also while there is no connection."""

    def __init__(self) -> None:
        self.streams: dict[str, Watched] = {}
        self.waiting: list[Waiting] = []

    def ripe(self, before: float) -> list[Waiting]:
        """Take what came before some time, and what came later but is of an earlier time, in their order."""
        until = max((each.at for each in self.waiting if each.came <= before), default=0)
        ripe = [each for each in self.waiting if each.at <= until and each.is_known]
        self.waiting = [each for each in self.waiting if each.at > until or not each.is_known]
        return sorted(ripe, key=lambda each: each.at)


class Link:
    """A connection to a server, with all subscriptions."""

    def __init__(self, connection: Client, memory: Memory, tell: Callable[[str], None], since: int) -> None:
        self._connection, self._memory, self._tell, self._since = connection, memory, tell, since
        self._js: JetStreamContext = connection.jetstream(timeout=PATIENCE)
        self._sends: dict[str, Any] = {}
        self._heard: list[Told] = []
        self.dropped = False

    @classmethod
    async def attached(
        cls,
        url: str,
        streams: Sequence[str],
        memory: Memory,
        tell: Callable[[str], None],
        since: int,
    ) -> Link:
        from nats.aio.client import Client

        links: list[Link] = []

        async def failed(problem: Exception) -> None:
            if type(problem).__name__ == "SlowConsumerError":
                for each in links:
                    each.dropped = True

        connection = Client()
        try:
            await _guarded(
                connection.connect(
                    url,
                    name="angarium recorder",
                    connect_timeout=PATIENCE,  # type: ignore[arg-type]
                    error_cb=failed,
                    allow_reconnect=False,
                    max_reconnect_attempts=1,
                    reconnect_time_wait=0,
                )
            )
        except LostError:
            await _leave(connection)  # what it had begun to open
            raise
        links.append(cls(connection, memory, tell, since))
        try:
            await _guarded(links[0]._attach(streams))
        except BaseException:
            await links[0].close()
            raise
        return links[0]

    async def heard(self, hold: float = HOLD) -> list[Told]:
        """What the server has said, but for the last moment; waits a moment if there is nothing."""
        if self.dropped:
            raise LostError("it speaks faster than this recorder writes")
        if not self._connection.is_connected:
            raise LostError("no connection")
        for name in self._sends:
            await _guarded(self._read(name))
        for each in self._memory.ripe(time.monotonic() - hold):
            await _guarded(self._tell_of(each.watched, each.record))
        return self.taken()

    def taken(self) -> list[Told]:
        """What was heard and not yet taken."""
        heard, self._heard = self._heard, []
        return heard

    async def close(self) -> None:
        """Take our own consumers away and leave; whoever is gone already need not be told."""
        with suppress(Exception):
            for name, subscription in self._sends.items():
                if self._connection.is_connected:
                    await self._js.delete_consumer(name, subscription._consumer)
        await _leave(self._connection)

    async def _attach(self, streams: Sequence[str]) -> None:
        names = list(streams) or await self._all_streams()
        for name in names:
            for subject in _SUBJECTS:
                await self._connection.subscribe(subject.format(name), cb=self._came)
            await self._watch(name)
        await self._connection.flush()

    async def _all_streams(self) -> list[str]:
        return [str(info.config.name) for info in await self._js.streams_info()]

    async def _watch(self, name: str) -> None:
        from nats.js.errors import NotFoundError

        try:
            info = await self._js.stream_info(name)
        except NotFoundError:
            raise HistoryError(
                "ANG133",
                f"there is no stream {name!r} to record",
                possible=did_you_mean(name, await self._all_streams()),
                remedy="name one of them with --stream, or none to record all",
            ) from None
        _check_retention(name, info.config.retention)
        clustered = info.cluster is not None and info.cluster.name
        server = None if clustered else (info.cluster and info.cluster.leader) or "nats"
        watched = self._memory.streams.get(name)
        if watched is None:
            watched = self._memory.streams[name] = Watched(name, server)
            watched.last = info.state.last_seq
        for each in await self._js.consumers_info(name):
            self._declare(watched, each.config, self._since)
        self._sends[name] = await self._reading(name, watched.last + 1)

    async def _reading(self, name: str, first: int) -> Any:  # noqa: ANN401
        from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

        config = ConsumerConfig(
            name=f"{OWN}{uuid4().hex[:12]}",
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=first,
            ack_policy=AckPolicy.ALL,
            headers_only=True,
            max_ack_pending=2 * BATCH,
            inactive_threshold=60.0,
            mem_storage=True,
        )
        made = await self._js.add_consumer(name, config)
        return await self._js.pull_subscribe_bind(consumer=made.name, stream=name)

    def _declare(self, watched: Watched, config: Any, at: int) -> None:  # noqa: ANN401
        name = config.durable_name or config.name
        if name.startswith(OWN):
            return
        if not is_sampled(config):
            self._tell(
                f"consumer {name} of {watched.stream.name} does not tell of every acknowledgement, and is "
                f"not judged: it needs explicit acknowledgements and a sample frequency of 100 "
                f"(`nats consumer edit {watched.stream.name} {name} --sample 100`)"
            )
        self._heard.append(watched.stream.consumer(config, at))

    async def _came(self, message: Any) -> None:  # noqa: ANN401
        record = json.loads(message.data)
        watched = self._memory.streams.get(record.get("stream"))
        if watched is not None and not str(record.get("consumer", "")).startswith(OWN):
            at = nanoseconds(record["timestamp"])
            self._memory.waiting.append(Waiting(time.monotonic(), at, record, watched))

    async def _read(self, name: str) -> None:
        """Read what was stored."""
        watched, subscription = self._memory.streams[name], self._sends[name]
        try:
            messages = await subscription.fetch(BATCH, timeout=TICK)
        except TimeoutError:
            messages = []
        for each in messages:
            number = each.metadata.sequence.stream
            if number > watched.last:
                watched.last = number
                told = watched.stream.stored(number, each.subject, each.headers or {}, _stored_at(each.reply))
                self._heard.extend(told)
        if messages:
            await messages[-1].ack()

    async def _tell_of(self, watched: Watched, record: dict[str, Any]) -> None:
        await self._know_name(watched, record.get("stream_seq"))
        self._heard.extend(watched.stream.said(record))
        if record.get("action") == "create" and record.get("consumer"):
            await self._know_consumer(watched, record)

    async def _know_name(self, watched: Watched, number: int | None) -> None:
        """Look up the name of a message that was stored before the recording began."""
        from nats.js.errors import APIError

        if number is None or number in watched.stream.names:
            return
        try:
            found = await self._js.get_msg(watched.stream.name, number)
            name = (found.headers or {}).get("Nats-Msg-Id")
        except (APIError, TimeoutError):  # it is there no longer
            name = None
        watched.stream.names[number] = name or watched.stream.numbered(number)

    async def _know_consumer(self, watched: Watched, record: dict[str, Any]) -> None:
        from nats.js.errors import NotFoundError

        try:
            info = await self._js.consumer_info(watched.stream.name, record["consumer"])
        except NotFoundError:  # it is gone already
            return
        self._declare(watched, info.config, nanoseconds(record["timestamp"]))


def _write(writer: Writer, told: Told) -> None:
    write = writer.conclude if told.concluded else writer.write
    write(told.op_type, told.op_name, told.phase, at=told.at, **told.fields)


def _stored_at(reply: str) -> int:
    """When a message was stored, in nanoseconds; newer servers have two more words before it."""
    words = reply.split(".")
    return int(words[7] if len(words) < 11 else words[9])


async def _guarded(doing: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401
    """Do something with a server; whatever goes wrong with it is one thing to us."""
    from nats.errors import Error

    try:
        async with asyncio.timeout(_LONGEST * PATIENCE):  # not everything has a limit there, such as TLS
            return await doing
    except TimeoutError:
        raise LostError(f"it does not answer within {PATIENCE:g} s") from None
    except (Error, OSError) as problem:
        raise LostError(str(problem) or type(problem).__name__) from None
    except (ValueError, TypeError, LookupError, AttributeError) as problem:  # it believes what it is told
        raise LostError(f"it does not speak as a NATS server does ({type(problem).__name__})") from None


async def _leave(connection: Client) -> None:
    """Close a connection, or leave it: a server that wants TLS and then is silent is waited for for ever."""
    with suppress(Exception):
        async with asyncio.timeout(PATIENCE):
            await connection.close()


def _check_retention(name: str, retention: object) -> None:
    if "workqueue" in str(getattr(retention, "value", retention)).lower():
        raise HistoryError(
            "ANG133",
            f"the stream {name} is a work queue: nobody else may read what it stores",
            possible="streams that keep messages by limits or interest",
            remedy="name others with --stream, or record in the clients",
        )


def _place(url: str) -> str:
    """The server, without a password."""
    return url.rpartition("@")[2].rpartition("//")[2]
