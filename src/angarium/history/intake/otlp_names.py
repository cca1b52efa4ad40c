"""Names of OpenTelemetry's messaging conventions, the present ones first, then those of older versions.

Instrumentations keep the names that they began with for years, so all of them are met in one trace.
"""

from __future__ import annotations

ALIASES: dict[str, tuple[str, ...]] = {
    "system": ("messaging.system",),
    "operation": ("messaging.operation.type", "messaging.operation"),
    "op_name": ("messaging.operation.name",),
    "message_id": ("messaging.message.id", "messaging.message_id"),
    "message_key": ("kafka.message.key", "messaging.kafka.message.key", "messaging.kafka.message_key"),
    "destination": ("messaging.destination.name", "messaging.destination", "messaging.source.name"),
    "partition_id": (
        "messaging.destination.partition.id", "messaging.kafka.destination.partition",
        "messaging.kafka.source.partition", "messaging.kafka.partition",
    ),
    "offset": ("kafka.offset", "messaging.kafka.offset", "messaging.kafka.message.offset"),
    "subscription": (
        "messaging.destination.subscription.name", "messaging.servicebus.destination.subscription_name",
    ),
    "consumer_group": (
        "messaging.consumer.group.name", "messaging.kafka.consumer.group", "messaging.kafka.consumer_group",
        "messaging.eventhubs.consumer.group", "messaging.rocketmq.client_group",
    ),
    "broker_id": ("server.address", "net.peer.name", "net.sock.peer.addr"),
    "client_id": ("messaging.client.id", "messaging.client_id", "messaging.kafka.client_id"),
    "consumer_id": ("messaging.consumer.id", "messaging.consumer_id"),
    "routing_key": (
        "rabbitmq.destination.routing_key", "messaging.rabbitmq.destination.routing_key",
        "messaging.rabbitmq.routing_key",
    ),
    "delivery_tag": (
        "rabbitmq.message.delivery_tag", "messaging.rabbitmq.message.delivery_tag",
        "messaging.rabbitmq.delivery_tag",
    ),
    "delivery_count": (
        "messaging.servicebus.message.delivery_count", "messaging.gcp_pubsub.message.delivery_attempt",
    ),
    "settle": ("messaging.servicebus.disposition_status",),
    "batch": ("messaging.batch.message_count",),
    "error_type": ("error.type",),
    "service": ("service.name",),
    "instance": ("service.instance.id",),
    "host": ("host.id", "host.name"),
    "process": ("process.pid",),
}  # fmt: skip
"""What a row takes from attributes: of the message's link, of the span, of the resource."""

OPERATIONS = {
    "send": "send", "publish": "send",
    "receive": "receive", "poll": "receive",
    "process": "process", "deliver": "process", "consume": "process",
    "settle": "settle", "ack": "settle", "nack": "settle", "reject": "settle", "commit": "settle",
    "create": "observe",
}  # fmt: skip
"""Operations by their types and, where no type is given, by their names."""

ENDS_OF_SETTLE = {
    "ack": "ack", "acknowledge": "ack", "complete": "ack", "commit": "ack", "delete": "ack",
    "nack": "requeue", "nak": "requeue", "abandon": "requeue", "release": "requeue", "requeue": "requeue",
    "reject": "reject", "term": "reject",
    "dead_letter": "dead_letter", "deadletter": "dead_letter",
    "extend": "extend", "renew": "extend", "modack": "extend",
    "defer": "none",
}  # fmt: skip
"""What consumers decide, in the words of their systems."""
