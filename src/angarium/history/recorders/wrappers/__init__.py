"""Client libraries that record what passes: each wrapper hands everything on to what it wraps.

    channel = pika_channel(connection.channel(), recorder)
    producer = confluent_producer(Producer(settings), recorder)
    consumer = confluent_consumer(Consumer(settings), recorder, group="billing")
    js = nats_jetstream(connection.jetstream(), recorder)

A message needs a name by which both ends know it. A producer that gives none (AMQP's `message_id`, NATS's
`Nats-Msg-Id`, a Kafka header `message_id`) gets one from the wrapper: it is the only thing that a wrapper
changes about a message.
"""

from angarium.history.recorders.wrappers.confluent import confluent_consumer, confluent_producer
from angarium.history.recorders.wrappers.nats import nats_jetstream
from angarium.history.recorders.wrappers.pika import pika_channel

__all__ = ["confluent_consumer", "confluent_producer", "nats_jetstream", "pika_channel"]
