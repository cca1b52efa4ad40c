"""`angarium export`: guarantees over time, one by one."""

from __future__ import annotations

import pytest

from tests.app.cli.running import SAC, SMALL, record, run

BALANCED = ("--only", "eventually-balanced")


@pytest.mark.parametrize(
    ("target", "sign"),
    [
        ("promela", "ltl eventually_balanced {"),
        ("tla", "Live_eventually_balanced =="),
        ("tlc", "PROPERTY Live_eventually_balanced"),
        ("smv", "LTLSPEC NAME ltl_eventually_balanced :="),
    ],
)
def test_one_guarantee_goes_out_alone(target: str, sign: str) -> None:
    text = run("export", *SMALL, "--to", target, *BALANCED).stdout
    assert sign in text
    assert "eventually_all_subscribed" not in text
    assert record("export", *SMALL, "--to", target, *BALANCED)["text"] == text


def test_without_a_choice_tlc_is_told_of_states() -> None:
    assert run("export", *SMALL, "--to", "tlc").stdout.startswith("SPECIFICATION Spec\nINVARIANT TypeOK\n")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (
            (*SMALL, "--to", "tla", "--only", "eventualy-balanced"),
            "ANG012",
            "did you mean eventually-balanced?",
        ),
        (("nsq", "--to", "tla", "--only", "flow-control"), "ANG040", "the operator until"),
        (("nsq", "--to", "smv", "--only", "divergence-free"), "ANG040", "cannot express divergence"),
        ((SAC, "--to", "tlc", *BALANCED, "--only", "type-ok"), "ANG013", "--only NAME"),
    ],
)
def test_what_cannot_be_written_is_refused(words: tuple[str, ...], code: str, says: str) -> None:
    result = run("export", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error[{code}]: ")
    assert says in result.stderr
    assert result.stdout == ""
