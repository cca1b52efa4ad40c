"""A queue under test: run it with `pytest examples/queues/test_numbers.py`."""

from integer_numbers import IntegerNumbers

from angarium import state_machine

TestIntegerNumbers = state_machine(IntegerNumbers).TestCase
