"""nats-py's JetStream context, recorded.

Destination is the subject, and the subscription the JetStream consumer: so a consumer with a filter is
expected to get just what it asks for. What a consumer's configuration says of timeouts and retries is noted
with the first message that it gets of each subject.

`ack_sync` is confirmed; `ack`, `nak`, `term` and `in_progress` are only invoked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from angarium.history.recorders.client import Recorder
from angarium.history.recorders.wrappers.wrapper import ID_HEADER, Names, Wrapper

if TYPE_CHECKING:
    from nats.js import JetStreamContext

_DEDUPLICATES = "Nats-Msg-Id"
_MOST_SEEN = 10_000
"""Subjects with consumers of which it is remembered that their configuration is noted."""


def nats_jetstream(js: JetStreamContext, recorder: Recorder) -> NatsJetStream:
    """The context, with all that passes through it recorded."""
    return NatsJetStream(js, recorder)


class NatsJetStream(Wrapper):
    """A recorded JetStream context."""

    def __init__(self, js: JetStreamContext, recorder: Recorder) -> None:
        super().__init__(js)
        self._recorder, self._names = recorder, Names()

    async def publish(
        self,
        subject: str,
        payload: bytes = b"",
        timeout: float | None = None,
        stream: str | None = None,
        headers: dict[str, Any] | None = None,
        **others: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        headers = dict(headers or {})
        name = headers.get(_DEDUPLICATES) or headers.setdefault(ID_HEADER, self._names())
        self._recorder.sent(name, subject)
        try:
            done = await self.wrapped.publish(subject, payload, timeout, stream, headers, **others)
        except BaseException as problem:
            refused = type(problem).__name__ == "BadRequestError"
            self._recorder.failed(name, subject, type(problem).__name__, surely=refused)
            raise
        self._recorder.confirmed(name, subject, offset=done.seq, deduplicated=bool(done.duplicate))
        return done

    async def pull_subscribe(self, *what: Any, **how: Any) -> NatsSubscription:  # noqa: ANN401
        subscription = await self.wrapped.pull_subscribe(*what, **how)
        return await NatsSubscription.begun(subscription, self._recorder)

    async def subscribe(
        self,
        subject: str,
        queue: str | None = None,
        cb: Callable[[Any], Awaitable[None]] | None = None,
        **how: Any,  # noqa: ANN401
    ) -> NatsSubscription:
        begun: list[NatsSubscription] = []

        async def recorded(message: Any) -> None:  # noqa: ANN401
            assert cb is not None
            if not begun:
                begun.append(await NatsSubscription.begun(message._sub, self._recorder))
            await cb(begun[0].received(message))

        wanted = recorded if cb is not None else None
        subscription = await self.wrapped.subscribe(subject, queue, wanted, **how)
        if not begun:
            begun.append(await NatsSubscription.begun(subscription, self._recorder))
        return begun[0]


class NatsSubscription(Wrapper):
    """A recorded subscription, by pull or by push."""

    def __init__(self, subscription: Any, recorder: Recorder, config: Any) -> None:  # noqa: ANN401
        super().__init__(subscription)
        self._recorder, self._consumer = recorder, recorder.new_consumer()
        self._limits = _limits(config)
        self._seen: set[str] = set()

    @classmethod
    async def begun(cls, subscription: Any, recorder: Recorder) -> NatsSubscription:  # noqa: ANN401
        info = await subscription.consumer_info()
        return cls(subscription, recorder, info.config)

    async def fetch(self, *what: Any, **how: Any) -> list[NatsMessage]:  # noqa: ANN401
        return [self.received(each) for each in await self.wrapped.fetch(*what, **how)]

    async def next_msg(self, *what: Any, **how: Any) -> NatsMessage:  # noqa: ANN401
        return self.received(await self.wrapped.next_msg(*what, **how))

    async def unsubscribe(self, *what: Any) -> None:  # noqa: ANN401
        self._recorder.unsubscribed(self._consumer)
        await self.wrapped.unsubscribe(*what)

    def received(self, message: Any) -> NatsMessage:  # noqa: ANN401
        """Note that a message has come, and give what settles it so that this is noted, too."""
        data, headers = message.metadata, message.headers or {}
        place = {
            "message_id": headers.get(_DEDUPLICATES) or headers.get(ID_HEADER) or _numbered(data),
            "destination": message.subject,
            "subscription": data.consumer,
            "consumer_id": self._consumer,
            "offset": data.sequence.stream,
            "delivery_tag": data.sequence.consumer,
        }
        self._declare(message.subject, data.consumer)
        count = {"delivery_count": data.num_delivered, "redelivered": data.num_delivered > 1}
        self._recorder.record("receive", "js.deliver", "ok", **place, **count)
        return NatsMessage(message, self._recorder, place)

    def _declare(self, subject: str, name: str) -> None:
        if subject not in self._seen and len(self._seen) < _MOST_SEEN:
            self._seen.add(subject)
            self._recorder.subscribed(subject, self._consumer, subscription=name, **self._limits)


class NatsMessage(Wrapper):
    """A recorded message."""

    def __init__(self, message: Any, recorder: Recorder, place: dict[str, Any]) -> None:  # noqa: ANN401
        super().__init__(message)
        self._recorder, self._place = recorder, place

    async def ack(self) -> None:
        self._settled("ack", "ack")
        await self.wrapped.ack()

    async def ack_sync(self, *timeout: Any, **how: Any) -> Any:  # noqa: ANN401
        self._settled("ack_sync", "ack")
        answer = await self.wrapped.ack_sync(*timeout, **how)
        self._settled("ack_sync", "ack", phase="ok")
        return answer

    async def nak(self, delay: float | None = None) -> None:
        self._settled("nak", "requeue", delay_ms=None if delay is None else int(delay * 1000))
        await self.wrapped.nak(delay)

    async def term(self) -> None:
        self._settled("term", "reject")
        await self.wrapped.term()

    async def in_progress(self) -> None:
        self._settled("in_progress", "extend")
        await self.wrapped.in_progress()

    def _settled(self, name: str, settle: str, *, phase: str = "invoke", delay_ms: int | None = None) -> None:
        self._recorder.record("settle", name, phase, settle=settle, delay_ms=delay_ms, **self._place)


def _limits(config: Any) -> dict[str, Any]:  # noqa: ANN401
    retries = config.max_deliver if (config.max_deliver or 0) > 0 else None
    wait = None if config.ack_wait is None else int(config.ack_wait * 1000)
    return {"ack_wait_ms": wait, "max_deliveries": retries}


def _numbered(data: Any) -> str:  # noqa: ANN401
    return f"{data.stream}:{data.sequence.stream}"
