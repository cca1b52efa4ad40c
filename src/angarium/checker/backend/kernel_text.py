"""The text of a kernel: a function for each action and guarantee, and `successors`, which calls them all.

See `kernel` for what it does. A kernel that was compiled before needs no text.
"""

from __future__ import annotations

from collections.abc import Sequence

from angarium.checker.backend.kernel_actions import FAILURE, compile_action, compile_guarantee
from angarium.checker.backend.kernel_expressions import Module
from angarium.checker.backend.layout import Layout
from angarium.checker.ir.transition import Guarantee, TransitionSystem
from angarium.core.errors import LimitError
from angarium.native.llvm import HALTED, HALTED_DEFINITION, Function

DECLARATIONS = (
    "declare i64 @llvm.cttz.i64(i64, i1)",
    "declare i64 @llvm.ctpop.i64(i64)",
    *(f"declare {{i64, i1}} @llvm.s{op}.with.overflow.i64(i64, i64)" for op in ("add", "sub", "mul")),
)
MAX_GUARANTEES = 63


def kernel_text(system: TransitionSystem, layout: Layout) -> str:
    """The kernel as LLVM IR."""
    _check_guarantees(system.guarantees)
    module = Module(system, layout)
    for number, action in enumerate(system.actions):
        compile_action(module, f"action.{number}", action)
    for number, guarantee in enumerate(system.guarantees):
        compile_guarantee(module, f"guarantee.{number}", guarantee)
    definitions = [HALTED_DEFINITION] if _may_be_halted(module) else []
    return "\n".join([*DECLARATIONS, *definitions, *module.functions, _successors(module)])


def _may_be_halted(module: Module) -> bool:
    """Whether some loop is so long that it looks whether it is to end."""
    return any(HALTED in text for text in module.functions)


def _check_guarantees(guarantees: Sequence[Guarantee]) -> None:
    if len(guarantees) > MAX_GUARANTEES:
        raise LimitError(
            "ANG050",
            f"in each state {len(guarantees)} guarantees and conditions are to be looked at",
            possible=f"at most {MAX_GUARANTEES}",
            remedy="check some of them at a time",
        )


def _successors(module: Module) -> str:
    """The loop over the states of a batch."""
    parameters = ["ptr noalias readonly %in", "i64 %n", "ptr noalias %out"]
    parameters += ["ptr noalias %ends", "ptr noalias %masks"]
    function = Function("successors", parameters, linkage="dso_local")
    words, written, hits = module.layout.words, function.slot(), function.slot()
    memo = function.slot(f"[{max(1, module.memo_words)} x i64]")
    function.store("0", written)
    halted = _count_halted(function) if _may_be_halted(module) else None
    with function.counting("0", "%n") as loop:
        position = function.let(f"mul i64 {loop.index}, {words}")
        context = f"ptr {function.element('%in', position)}, ptr {memo}"
        _expand(module, function, context, memo, written, hits)
        function.store(function.load(written), "%ends", loop.index)
        function.store(function.load(hits), "%masks", loop.index)
    if halted is not None:
        is_whole = function.let(f"icmp eq i64 {halted}, {_count_halted(function)}")
        function.store(function.let(f"select i1 {is_whole}, i64 {function.load(written)}, i64 -1"), written)
    function.give(function.load(written))
    return function.text()


def _count_halted(function: Function) -> str:
    """How many loops have been halted until now, in whichever thread."""
    return function.let(f"load atomic i64, ptr {function.element(HALTED, '1')} monotonic, align 8")


def _expand(module: Module, function: Function, context: str, memo: str, written: str, hits: str) -> None:
    """Everything about one state: forget, take all steps, look at the guarantees."""
    for word in range(module.memo_masks):
        function.store("0", memo, str(word))
    function.store("0", hits)
    before = function.load(written)
    for number in range(len(module.system.actions)):
        _take(module, function, f"@action.{number}({context}", written, hits)
    none = function.let(f"icmp eq i64 {before}, {function.load(written)}")
    fine = function.let(f"icmp eq i64 {function.load(hits)}, 0")
    rest = function.let(f"and i1 {none}, {fine}")
    for number, guarantee in enumerate(module.system.guarantees):
        _look(function, f"@guarantee.{number}({context})", number, guarantee, rest, hits)


def _take(module: Module, function: Function, call: str, written: str, hits: str) -> None:
    """Call an action and account for what it gives."""
    count = function.load(written)
    position = function.let(f"mul i64 {count}, {module.layout.words}")
    target = function.element("%out", position)
    given = function.let(f"call i64 {call}, ptr {target})")
    failure = function.let(f"and i64 {given}, {FAILURE}")
    fresh = function.let(f"xor i64 {given}, {failure}")
    function.store(function.let(f"add i64 {count}, {fresh}"), written)
    _hit(function, failure, hits)


def _look(function: Function, call: str, bit: int, guarantee: Guarantee, rest: str, hits: str) -> None:
    """Evaluate a guarantee, if it is about this state, and account for what it gives."""
    done = function.label("looked")
    if guarantee.kind == "at_rest":
        look = function.label("look")
        function.branch(rest, look, done)
        function.begin(look)
    truth = function.let(f"call i64 {call}")
    hit = function.let(f"icmp eq i64 {truth}, {1 if guarantee.kind == 'reaches' else 0}")
    _hit(function, function.let(f"select i1 {hit}, i64 {1 << bit}, i64 0"), hits)
    failed = function.let(f"icmp eq i64 {truth}, 2")
    _hit(function, function.let(f"select i1 {failed}, i64 {FAILURE}, i64 0"), hits)
    function.begin(done)


def _hit(function: Function, mask: str, hits: str) -> None:
    function.store(function.let(f"or i64 {function.load(hits)}, {mask}"), hits)
