"""Random contracts and bodies as text: what is proved of them is what Python does when it runs them.

This is about reading: which name means what, after assignments in branches, early returns, and in contracts
that use the same names as bodies. Python itself is the judge, on all arguments from a small order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from textwrap import indent

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from angarium.contracts.prove import prove
from angarium.core.result import Verdict
from tests.effort import examples

NAMES = ("x", "y", "old", "res")
"""Used by contracts and bodies alike, for parameters, locals and answers."""
SIZE = 3

MODULE = """
from angarium.contracts import Answer, Implementation, Order, Specification, contract, ensure, first, implies

class N(Order): ...

class S(Specification):
    @contract
    def op(self, x: N, y: N, c: bool) -> Answer[N]:
        old = {old}
        {answer} = yield
        ensure({claim})

class J(Implementation):
    spec: S

    def op(self, {first}: N, {second}: N, c: bool) -> N:
{body}
"""


def numbers(*names: str) -> st.SearchStrategy[str]:
    return st.sampled_from([*names, "first(N)"])


def conditions(*names: str) -> st.SearchStrategy[str]:
    compared = st.tuples(numbers(*names), st.sampled_from(["==", "!=", "<", "<="]), numbers(*names)).map(
        " ".join
    )
    simple = st.one_of(st.just("c"), compared)
    joined = st.tuples(simple, st.sampled_from(["and", "or"]), simple).map(" ".join)
    return st.one_of(simple, joined.map("({})".format), simple.map("not {}".format))


def values(*names: str) -> st.SearchStrategy[str]:
    choice = st.tuples(numbers(*names), conditions(*names), numbers(*names))
    return st.one_of(numbers(*names), choice.map(lambda parts: "{} if {} else {}".format(*parts)))


@st.composite
def blocks(draw: st.DrawFn, names: tuple[str, ...], depth: int = 2) -> list[str]:
    """Lines that assign, branch and return; a name is only used where it is known for sure."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["assign", "assign", "flag", "if", "return"]))
        if kind == "assign":
            target = draw(st.sampled_from(NAMES))
            lines.append(f"{target} = {draw(values(*names))}")
            names = tuple(dict.fromkeys([*names, target]))
        elif kind == "flag":
            lines.append(f"c = {draw(conditions(*names))}")
        elif kind == "if" and depth:
            lines.append(f"if {draw(conditions(*names))}:")
            lines += ["    " + line for line in draw(blocks(names, depth - 1))]
        elif kind == "return":
            lines.append(f"return {draw(values(*names))}")
            return lines
    return lines or ["pass"]


@st.composite
def modules(draw: st.DrawFn) -> dict[str, str]:
    parameters = draw(st.sampled_from([("x", "y"), ("y", "x"), ("old", "res"), ("res", "y")]))
    body = [*draw(blocks(parameters)), f"return {draw(values(*parameters))}"]
    answer = draw(st.sampled_from(["res", "old", "x", "answer"]))
    return {
        "old": draw(values("x", "y")),
        "answer": answer,
        "claim": draw(conditions("x", "y", "old", answer)),
        "first": parameters[0],
        "second": parameters[1],
        "body": "\n".join(body),
    }


def run_by_python(parts: dict[str, str]) -> Iterator[bool]:
    """Whether the claim is true, for all arguments."""
    head = "def {name}({arguments}, c):\n{body}"
    body = indent(parts["body"], "    ")
    source = head.format(name="op", arguments=f"{parts['first']}, {parts['second']}", body=body)
    after = f"    old = {parts['old']}\n    {parts['answer']} = op(x, y, c)\n    return {parts['claim']}"
    source += "\n\n" + head.format(name="claim", arguments="x, y", body=after)
    names: dict[str, Callable[..., bool]] = {}
    exec(source, {"first": lambda _order: 0, "N": int}, names)
    names["claim"].__globals__["op"] = names["op"]
    for x, y, c in product(range(SIZE), range(SIZE), (False, True)):
        yield names["claim"](x, y, c)


@given(modules())
@settings(max_examples=examples(200), suppress_health_check=list(HealthCheck))
def test_what_is_proved_is_what_python_does(tmp_path: Path, parts: dict[str, str]) -> None:
    path = tmp_path / "module.py"
    path.write_text(MODULE.format(**{**parts, "body": indent(parts["body"], " " * 8)}), encoding="utf-8")

    ((judged,),) = (proof.judged for proof in prove(str(path)))

    # Everything is decided by at most three different numbers: the first one, x and y.
    assert judged.verdict is (Verdict.HOLDS if all(run_by_python(parts)) else Verdict.VIOLATED)
