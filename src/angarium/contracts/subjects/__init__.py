"""Queues that come with Angarium, to be put to the test; and the messages that they carry."""

from angarium.contracts.message import Message as Message
