"""RabbitMQ: apps that share queues through single active consumers."""
