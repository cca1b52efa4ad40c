"""A recorder attached to a running RabbitMQ, over AMQP.

It needs the firehose, which only an operator can turn on, and the event exchange, which is a plugin. Nothing
over AMQP says whether the firehose is on, so the recorder sends a message to itself: its trace comes before
it, or there is no firehose. That is tried again every few seconds, for a broker that restarts forgets its
firehose.

The queue is exclusive and acknowledged in large steps: the broker keeps what the recorder has not yet
written, and no more than `PREFETCH` messages are in the recorder's memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from angarium.core.errors import HistoryError
from angarium.core.extras import demand
from angarium.history.recorders.rabbitmq import EVENTS, TRACE, Rabbit, Said
from angarium.history.recorders.recording import LONGEST_WAIT, SHORTEST_WAIT, Account, Plan, Recording
from angarium.history.schema import NAMELESS

if TYPE_CHECKING:
    from pika import URLParameters

PREFETCH = 2000
"""Messages on their way to the recorder at once."""
PROBE_EVERY, PATIENCE, TICK = 5.0, 10.0, 0.2
"""Seconds."""
HEARTBEAT = 20
"""Seconds, whatever the broker proposes: who says nothing for much longer is not waited for."""
_TRACE_ON = "`rabbitmqctl trace_on` turns the firehose on, and `rabbitmqctl trace_off` off again"
_PLUGIN = (
    "`rabbitmq-plugins enable rabbitmq_event_exchange`; its setting event_exchange.vhost says where it is"
)


class LostError(Exception):
    """The broker is not there, or does not say everything; and what to do about it."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.remedy = remedy


def record_rabbitmq(
    url: str,
    plan: Plan,
    queues: Sequence[str] = (),
    *,
    stopped: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
    progress: Callable[[Account], None] = lambda _: None,
) -> Account:
    """Record what a broker says of itself until the plan, or somebody, says that it is enough."""
    parameters = _parameters(url)
    recording = Recording(plan, stopped=stopped, tell=tell)
    try:
        link = Link(parameters, queues)
    except LostError as problem:
        raise HistoryError(
            "ANG133",
            f"cannot record {_place(parameters)}: {problem}",
            possible="a running RabbitMQ with its firehose and its event exchange",
            remedy=problem.remedy,
        ) from None
    attached = _Attached(parameters, queues, link, recording)
    try:
        attached.run(progress)
    except OSError as problem:
        raise recording.failed(problem) from None
    finally:
        attached.close()
        recording.close()
    return recording.account


class _Attached:
    """A recording that goes on when its broker comes back."""

    def __init__(
        self, parameters: URLParameters, queues: Sequence[str], link: Link, recording: Recording
    ) -> None:
        self._parameters, self._queues, self._recording = parameters, queues, recording
        self._link: Link | None = link
        self._wait, self._due = SHORTEST_WAIT, 0.0

    def run(self, progress: Callable[[Account], None]) -> None:
        writer = self._recording.writer(f"rabbitmq@{_place(self._parameters)}", "rabbitmq")
        self._recording.begin()
        while not self._recording.is_over():
            progress(self._recording.account)
            for at, said in self._heard():
                self._recording.account.nameless += said.fields.get("error_type") == NAMELESS
                writer.write(said.op_type, said.op_name, said.phase, at=at, **said.fields)
        self._recording.end(connected=self._link is not None)

    def close(self) -> None:
        if self._link is not None:
            self._link.close()

    def _heard(self) -> list[tuple[int, Said]]:
        if self._link is None:
            self._try_again()
            return []
        try:
            return self._link.heard()
        except LostError as problem:
            heard = self._link.taken()
            self._link = None
            self._wait, self._due = SHORTEST_WAIT, time.monotonic() + SHORTEST_WAIT
            self._recording.lost(str(problem))
            return heard

    def _try_again(self) -> None:
        if time.monotonic() < self._due:
            time.sleep(min(TICK, max(0.0, self._due - time.monotonic())))
            return
        try:
            self._link = Link(self._parameters, self._queues)
        except LostError as problem:
            if problem.remedy != _NOBODY:
                self._recording.tell(f"{problem}: {problem.remedy}")
            self._wait = min(2 * self._wait, LONGEST_WAIT)
            self._due = time.monotonic() + self._wait
            return
        self._recording.found()


class Link:
    """A connection to a broker that surely says everything."""

    def __init__(self, parameters: URLParameters, queues: Sequence[str] = ()) -> None:
        self._queue = f"angarium.recorder.{uuid4().hex[:12]}"
        self._rabbit = Rabbit(own=self._queue, vhost=parameters.virtual_host, queues=queues)
        self._heard: list[tuple[int, Said]] = []
        self._traced = self._returned = self._is_cancelled = False
        self._tag = 0
        self._connection = _guarded(lambda: _connected(parameters))
        try:
            _guarded(self._attach)
            self._probe()
            self._wait_for_probe()
        except BaseException:
            self.close()
            raise

    def heard(self) -> list[tuple[int, Said]]:
        """What the broker has said since; waits a moment if there is nothing."""
        if self._connection.is_closed:  # seen when something was acknowledged: pika's loop is gone, too
            raise LostError("no connection (it was lost)", _NOBODY)
        _guarded(lambda: self._connection.process_data_events(time_limit=TICK))
        if self._is_cancelled:
            raise LostError("the recorder's queue was deleted", "let nobody delete it")
        if self._returned and time.monotonic() >= self._next_probe:
            self._probe()
        return self.taken()

    def taken(self) -> list[tuple[int, Said]]:
        """What was heard and not yet taken."""
        heard, self._heard = self._heard, []
        if self._tag:
            tag, self._tag = self._tag, 0
            if self._channel.is_open:
                _quietly(lambda: self._channel.basic_ack(tag, multiple=True))
        return heard

    def close(self) -> None:
        _quietly(self._connection.close)

    def _attach(self) -> None:
        channel = self._channel = self._connection.channel()
        channel.queue_declare(self._queue, exclusive=True, auto_delete=True)
        channel.queue_bind(self._queue, TRACE, "#")
        channel.queue_bind(self._queue, EVENTS, "#")
        channel.basic_qos(prefetch_count=PREFETCH)
        channel.add_on_cancel_callback(self._cancelled)
        channel.basic_consume(self._queue, self._came)

    def _probe(self) -> None:
        self._traced = self._returned = False
        self._next_probe = time.monotonic() + PROBE_EVERY
        _guarded(lambda: self._channel.basic_publish("", self._queue, b""))

    def _wait_for_probe(self) -> None:
        end = time.monotonic() + PATIENCE
        while not self._returned:
            _guarded(lambda: self._connection.process_data_events(time_limit=TICK))
            if time.monotonic() > end:
                raise LostError(f"it does not answer within {PATIENCE:g} s", "look at the broker's log")

    def _came(self, _channel: object, method: Any, properties: Any, _body: bytes) -> None:  # noqa: ANN401
        at, headers = time.time_ns(), properties.headers or {}
        self._tag = method.delivery_tag
        if method.exchange in (TRACE, EVENTS):
            self._traced |= headers.get("routed_queues") == [self._queue]
            said = self._rabbit.said(method.exchange, method.routing_key, headers)
            self._heard.extend((at, each) for each in said)
        else:
            self._returned = True
            if not self._traced:
                raise LostError("its firehose is off", _TRACE_ON)

    def _cancelled(self, _method: object) -> None:
        self._is_cancelled = True


_NOBODY = "start it, or give its address: amqp://USER:PASSWORD@HOST:PORT/VHOST"


def _guarded(do: Callable[[], Any]) -> Any:  # noqa: ANN401
    """Do something with a connection; whatever goes wrong with it is one thing to us."""
    from pika.adapters.utils.connection_workflow import AMQPConnectorStackTimeout
    from pika.exceptions import (
        AMQPError,
        ChannelClosedByBroker,
        ProbableAccessDeniedError,
        ProbableAuthenticationError,
    )

    try:
        return do()
    except AMQPConnectorStackTimeout:
        raise LostError(f"it does not answer within {PATIENCE:g} s", _NOBODY) from None
    except ChannelClosedByBroker as problem:
        remedy = _PLUGIN if EVENTS in problem.reply_text else "give the user these rights"
        raise LostError(problem.reply_text, remedy) from None
    except ProbableAuthenticationError:
        raise LostError("it refuses this user and password", "give others in the address") from None
    except ProbableAccessDeniedError:
        raise LostError("it refuses this virtual host", "give one that this user may use") from None
    except UnicodeError:
        raise LostError("no host can be called so", "correct the address") from None
    except (AMQPError, OSError) as problem:
        said = str(problem) or type(problem).__name__
        raise LostError(f"no connection ({said})", _NOBODY) from None


def _quietly(do: Callable[[], Any]) -> None:
    """Say good-bye to a broker that may be gone already."""
    from pika.exceptions import AMQPError

    try:
        do()
    except (AMQPError, OSError):
        return


def _connected(parameters: URLParameters) -> Any:  # noqa: ANN401
    from pika import BlockingConnection

    return BlockingConnection(parameters)


def _parameters(url: str) -> URLParameters:
    demand("rabbitmq")
    from pika import URLParameters

    try:
        parameters = URLParameters(url) if url.startswith(("amqp://", "amqps://")) else None
    except Exception:  # whatever pika stumbles over
        parameters = None
    if parameters is None:
        raise HistoryError(
            "ANG133",
            f"{_without_user(url)!r} is no address of a RabbitMQ",
            possible="amqp:// or amqps:// with a host, perhaps a user, a port and a virtual host",
            remedy="for example amqp://guest:guest@localhost:5672/%2F",
        )
    parameters.socket_timeout = parameters.stack_timeout = PATIENCE
    parameters.heartbeat = HEARTBEAT
    parameters.client_properties = {"connection_name": "angarium recorder"}
    return parameters


def _without_user(url: str) -> str:
    """What is no address may have a password all the same, wherever it stands."""
    return f"***@{url.rpartition('@')[2]}" if "@" in url else url


def _place(parameters: URLParameters) -> str:
    """The broker, without the password."""
    vhost = "" if parameters.virtual_host == "/" else f"/{parameters.virtual_host}"
    return f"{parameters.host}:{parameters.port}{vhost}"
