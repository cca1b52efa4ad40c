"""Kafka: the messaging mechanism of the paper, what operators set, and who may listen in."""
