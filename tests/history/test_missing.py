"""Of which runs rows in quarantine may be."""

from __future__ import annotations

from angarium.history.missing import Missing, missing


def test_what_names_no_run_may_be_of_every_run_of_its_file() -> None:
    found = missing([("f", None, 2), ("g", None, 1), ("f", "a", 4)], {"f": {"a", "b"}, "g": {"b"}})

    assert found == Missing({"a": 4}, {"a": 2, "b": 3})
    assert (found.named("a"), found.stray(["a", "b", "c"])["a"]) == (4, 2)
    assert (found.named("b"), found.stray(["a", "b", "c"])["b"]) == (0, 3)
    assert (found.named("c"), found.stray(["a", "b", "c"])["c"]) == (0, 0)


def test_a_file_of_which_nothing_was_read_may_have_had_events_of_any_run() -> None:
    found = missing([("f", None, 1)], {"g": {"a"}})

    assert found == Missing(anywhere=1)
    assert found.stray(["a"])["a"] == 1


def test_a_run_that_nobody_saw_may_be_any_run_with_a_damaged_name() -> None:
    found = missing([("f", "a", 1), ("f", "x", 1)], {})

    assert (found.named("a"), found.stray(["a", "b"])["a"], found.stray(["a", "b"])["b"]) == (1, 1, 1)
    assert found.stray(["a@broker", "b", "x@broker"])["b"] == 0


def test_a_brokers_history_lacks_what_its_run_lacks() -> None:
    found = missing([("f", "a", 1), ("f", None, 1)], {"f": {"a"}})

    assert (found.named("a@broker"), found.stray(["a@broker"])["a@broker"]) == (1, 1)


def test_batches_lack_together_what_each_lacks() -> None:
    assert Missing({"a": 1}, {"b": 2}, 1) + Missing({"a": 1}, {"c": 1}, 2) == Missing(
        {"a": 2}, {"b": 2, "c": 1}, 3
    )
