"""What happens in a step, in words."""

from __future__ import annotations

import pytest

from angarium.checker.export.step_text import action_text, fault_text, goes_on, step_sentences
from angarium.checker.ir.labels import Fields
from angarium.core.result import Exchange, Step


def step(
    action: str,
    actor: str | None = None,
    exchange: Exchange | None = None,
    *,
    fault: bool = False,
    **arguments: str,
) -> Step:
    return Step(action, arguments, 0, actor, [exchange] if exchange else [], (), {}, fault)


FRAME = Fields(command="PUB", message="m1", channel=None)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (step("wire_a_to_b", "a", Exchange("wire", FRAME, "a", "b(d1)")), "a gives PUB m1 to b(d1) on wire"),
        (step("wire_a_to_b", "a", Exchange("wire", None, "a", "b")), "a signals b on wire"),
        (step("a_send_link", "a", Exchange("link[q1]", "m1", "a", None)), "a sends m1 to link[q1]"),
        (step("a_receive_link", "a", Exchange("link", 0, None, "a")), "a receives 0 from link"),
        (step("a_until", "a"), "a goes on"),
        (step("a_until_12", "a(c1)", a="c1"), "a(c1) goes on"),
        (step("a_until_12_2", "a(c1)", a="c1", choice="RED"), "a(c1) goes on (choice RED)"),
        (step("a_timeout_12", "a(c1, d2)", c="c1", d="d2"), "a(c1, d2): timeout"),
        (step("crash_a", "a(c1)", fault=True, c="c1"), "a(c1) crashes"),
        (step("restart_a_7", "a", fault=True), "a begins again"),
        (step("lose_link", None, Exchange("link", "m1", None, None), fault=True, at="0"), "link loses m1"),
        (
            step("duplicate_link_2", None, Exchange("link_2[q1]", "m1", None, None), fault=True),
            "link_2[q1] doubles m1",
        ),
        (
            step("reorder_link", None, Exchange("link", "m1", None, None), fault=True),
            "link lets m1 and what is behind it change places",
        ),
        (
            step("lose_wire_9", "a", Exchange("wire", FRAME, "a", None), fault=True),
            "wire loses PUB m1 from a",
        ),
        (
            step("lose_wire", "a", Exchange("wire", None, "a", None), fault=True),
            "wire loses a message from a",
        ),
        (step("crash", None, fault=True, b="b1"), "crash(b1)"),
        (step("crash_everything", "a", fault=True), "a: crash_everything"),
        (step("deliver_2", None, c="c1", m="m1"), "deliver_2(c1, m1)"),
    ],
)
def test_a_step_is_a_sentence(told: Step, words: str) -> None:
    assert step_sentences(told) == [words]


def test_a_step_may_be_about_several_messages() -> None:
    two = Step("x", {}, 0, "a", [Exchange("c", 1, "a", None), Exchange("d", 2, None, "a")], (), {})
    assert step_sentences(two) == ["a sends 1 to c", "a receives 2 from d"]


def test_only_faults_are_mishaps() -> None:
    assert fault_text(step("crash_a", "a")) == ""
    assert fault_text(step("crash_a", "b", fault=True)) == ""
    assert step_sentences(step("crash_a", "a")) == ["a: crash"]


def test_going_on_has_no_other_name() -> None:
    assert goes_on(step("a_until", "a"))
    assert not goes_on(step("a_until_late", "a"))
    assert not goes_on(step("a_until", None))


def test_a_deed_leaves_out_who_does_it() -> None:
    assert action_text(step("consumer_send_box_31", "consumer(c1)", c="c1", choice="3")) == "send box(3)"
    assert action_text(step("subscribe", None, a="a1")) == "subscribe(a1)"
