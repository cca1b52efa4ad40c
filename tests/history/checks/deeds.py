"""What clients do to messages, in one line each: for histories of tests, all of one queue `q` unless said."""

from __future__ import annotations

from tests.history.histories import Row, row


def send(run: str, ms: float, message: str, **fields: object) -> Row:
    """A producer begins to send."""
    place = {"client_id": "p", "message_id": message, "destination": "q", "phase": "invoke"}
    return row(run, ms, "send", **place | fields)


def sent(run: str, ms: float, message: str, **fields: object) -> list[Row]:
    """A message is sent, and confirmed a millisecond later."""
    return [send(run, ms, message, **fields), send(run, ms + 1, message, **{"phase": "ok"} | fields)]


def take(run: str, ms: float, message: str, client: str = "c", **fields: object) -> Row:
    """A consumer gets a message."""
    return row(
        run, ms, "receive", **{"client_id": client, "message_id": message, "destination": "q"} | fields
    )


def settle(
    run: str, ms: float, message: str | None, how: str = "ack", client: str = "c", **fields: object
) -> Row:
    """A consumer says what is to become of it; nobody confirms that."""
    word = {"message_id": message, "destination": "q", "settle": how, "phase": "invoke"}
    return row(run, ms, "settle", **{"client_id": client} | word | fields)


def control(run: str, ms: float, name: str, **fields: object) -> Row:
    """Something happens to a client, a consumer, a broker or a queue."""
    return row(run, ms, "control", **{"op_name": name, "recorder": "ctl", "system": "rabbitmq"} | fields)
