"""Kafka's settings: what they mean for delivery, how they fit together, and which parameters they become."""
