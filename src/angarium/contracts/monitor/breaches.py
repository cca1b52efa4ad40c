"""When a contract is not kept: by whose fault, in which call, and which line of the contract says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from angarium.contracts.monitor.rules import Rule
from angarium.contracts.monitor.wording import alternatives, shown, shown_state
from angarium.core.errors import AngariumError


@dataclass(frozen=True, slots=True, repr=False)
class Call:
    """A call of an operation, and what came of it."""

    operation: str
    arguments: tuple[tuple[str, Any], ...]
    answer: Any = None
    raised: BaseException | None = None
    """What it raised instead of answering."""

    def __repr__(self) -> str:
        return f"{self.operation}({', '.join(shown(value) for _, value in self.arguments)})"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: ANN401 (Hypothesis' own)
        """How Hypothesis shows it, in a failing test."""
        printer.text(repr(self))


class Breach(AngariumError):  # noqa: N818 (what is wrong is the call, not the program)
    """A call that does not fit its contract."""

    def __init__(
        self,
        what: str,
        call: Call,
        *,
        rule: Rule,
        before: Mapping[str, Any],
        after: Mapping[str, Any] | None = None,
        allowed: tuple[Any, ...] = (),
        why: str = "",
    ) -> None:
        """`why` is what is wrong in the state behind the call, if it is that and not the answer."""
        super().__init__(what)
        self.what, self.call, self.rule = what, call, rule
        self.before, self.after, self.allowed, self.why = before, after, allowed, why

    def __str__(self) -> str:
        place = self.rule.place
        rows = [
            ("contract", f"{self.rule.text}  ({place.file}:{place.line})"),
            ("before", shown_state(self.before)),
        ]
        if self.after is not None and self.after != self.before:
            rows.append(("after", shown_state(self.after)))
        if self.allowed:
            rows.append(("allowed", alternatives(self.allowed)))
        return "\n".join([self.what, *(f"  {label:<8}  {text}" for label, text in rows)])


class WrongCall(Breach):
    """The caller's fault: the contract does not allow this call, or not with these arguments."""


class ContractBroken(Breach):
    """The subject's fault: the call was allowed, and what came of it is not."""
