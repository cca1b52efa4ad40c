"""The whole way from a model to its transition system.

declarations -> elaborate (parameters) -> processes, faults, actions, guarantees -> TransitionSystem
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from angarium.checker.frontend.alternatives import assigned_twice, settled
from angarium.checker.frontend.choices import Choices
from angarium.checker.frontend.claims import claimed, guarantee_of
from angarium.checker.frontend.context import Context, Scope
from angarium.checker.frontend.expressions import Expressions
from angarium.checker.frontend.faults import channel_faults, crashes, intruder_steps
from angarium.checker.frontend.functions import call_function
from angarium.checker.frontend.parameters import as_setting, elaborate
from angarium.checker.frontend.process import Process
from angarium.checker.frontend.processes import Processes
from angarium.checker.frontend.starts import refuse_questions
from angarium.checker.frontend.statements import Statements
from angarium.checker.frontend.static import evaluate_number
from angarium.checker.frontend.step_names import StepNames, arguments_of, parameters_of
from angarium.checker.frontend.steps import make_process
from angarium.checker.frontend.values import ScalarValue, Value, made_of
from angarium.checker.frontend.walks import expressions_in, walks
from angarium.checker.ir import types
from angarium.checker.ir.formula import Question, TemporalGuarantee, atoms, question_names
from angarium.checker.ir.syntax import Block, Call, Check, Const, Expr, Local, Read, Require, Stmt, Write
from angarium.checker.ir.transition import (
    Action,
    Guarantee,
    Helper,
    TransitionSystem,
    Variable,
    Walks,
)
from angarium.checker.ir.traversal import expressions, parts, statements
from angarium.checker.ir.types import Type, leaves
from angarium.checker.language.declarations import OF_RUNS, OF_STATES, FunctionDecl, ModelDecl, word_of
from angarium.core.errors import did_you_mean
from angarium.core.result import Parameters


def build(
    decl: ModelDecl,
    settings: Parameters | None = None,
    questions: Sequence[Question] = (),
) -> TransitionSystem:
    """The transition system of a model, with its parameters set.

    Questions become guarantees over time; they do not change what the system is called by its hash.
    """
    try:
        return _with_questions(decl, settings, questions)
    except RecursionError:
        what = f"something in {decl.name}, with the functions that it calls, is nested too deeply"
        raise decl.module.error(
            "ANG111", decl.node, what, "", "call fewer functions inside each other"
        ) from None


def _with_questions(
    decl: ModelDecl, settings: Parameters | None, questions: Sequence[Question]
) -> TransitionSystem:
    if questions:
        plain = build(decl, settings)
        return replace(_build(decl, settings, questions), known_hash=plain.hash)
    return _build(decl, settings, ())


def _build(decl: ModelDecl, settings: Parameters | None, questions: Sequence[Question]) -> TransitionSystem:
    model = elaborate(decl, settings or {})
    context = Context(model)
    processes = _processes(context)
    setup_choices, setup = _setup(context, processes)
    state, variables = _state(context, processes)
    actions = [*_declared_actions(context), *_process_actions(context, processes)]
    guarantees = [g for g in (_guarantee(context, f) for f in decl.functions) if g is not None]
    _need_something_to_do(context)
    names = _names(context, actions, variables)
    system = TransitionSystem(
        name=decl.name,
        parameters=tuple((name, as_setting(value)) for name, value in model.parameters.items()),
        state=tuple(state),
        variables=tuple(variables),
        setup=tuple(setup_choices.parameters),
        setup_body=(*setup_choices.before(), *setup, *setup_choices.after()),
        actions=tuple(replace(action, name=name) for action, name in names.actions if name is not None),
        impossible=_impossible(decl, names),
        helpers=(),
        guarantees=tuple(guarantees),
        visible=_visible(context),
        positions=context.positions,
        dead={process.name: processes.dead(process) for process in processes.processes},
        description=decl.description,
        settings=tuple((name, tuple(variables)) for name, variables in model.settings.items()),
    )
    temporal = tuple(_temporal(context, system, questions))
    atom_conditions = (each.condition for t in temporal if t.formula for each in atoms(t.formula))
    claims = [*(guarantee.condition for guarantee in guarantees), *atom_conditions]
    begin = [each for statement in statements(system.setup_body) for each in expressions(statement)]
    helpers = tuple(_used(context, [each.body for each in actions], [*claims, *begin]))
    return replace(system, temporal=temporal, helpers=helpers, walks=_walks(context, system, names, helpers))


def _walks(
    context: Context, system: TransitionSystem, names: StepNames, helpers: Sequence[Helper]
) -> Walks | None:
    """What the model says about walks, with the helpers that the system itself has no use for."""
    found = walks(context, system, names)
    if found is None:
        return None
    more = (each for each in _used(context, (), expressions_in(found)) if each not in helpers)
    return replace(found, helpers=tuple(more))


def _need_something_to_do(context: Context) -> None:
    """A model that can never do anything because it waits is a model; one that says nothing is a mistake."""
    if not any(function.role in ("action", "process") for function in context.model.decl.functions):
        raise context.module.error(
            "ANG107",
            context.model.decl.node,
            f"{context.model.decl.name} has no actions and no processes: nothing can happen",
            "",
            "add a function marked @action, or an async def",
        )


# --- state ------------------------------------------------------------------------------------------


def _state(context: Context, processes: Processes) -> tuple[list[tuple[str, Type]], list[Variable]]:
    state: list[tuple[str, Type]] = []
    variables: list[Variable] = []
    for name, shape in context.model.state.items():
        if shape.channel is not None and shape.channel.capacity == 0:
            continue
        state.append((name, shape.type))
        variables += [
            Variable(name + leaf.suffix, leaf.type, leaf.dims, leaf.keys, start)
            for leaf, start in zip(leaves(shape.type), shape.start, strict=True)
        ]
    for process in processes.processes:
        type_, more = processes.state(process)
        state.append((process.name, type_))
        variables += more
    return state, variables


def _processes(context: Context) -> Processes:
    declared = [f for f in context.model.decl.functions if f.role == "process"]
    processes = Processes(context, [make_process(context, f) for f in declared])
    processes.explore()
    return processes


def _setup(context: Context, processes: Processes) -> tuple[Choices, list[Stmt]]:
    choices, outer = Choices(), Scope(context.module)
    body: list[Stmt] = []
    for function in context.model.decl.functions:
        if function.role == "initial":
            rebound = assigned_twice(function.node.body)
            statements = Statements(context, outer.inner({}), choices, rebound=rebound)
            block = statements.block(function.node.body)
            refuse_questions(context, tuple(block), function.node)
            body += block
    return choices, [*body, *processes.setup()]


# --- actions ----------------------------------------------------------------------------------------


def _scope(context: Context, function: FunctionDecl, rebound: frozenset[str]) -> Scope:
    scope = Scope(context.module)
    for name, type_ in arguments_of(context, function):
        value = made_of(type_, (Local(scope.fresh(name + leaf.suffix)) for leaf in leaves(type_)))
        scope.names[name] = settled(value) if name in rebound else value
    return scope


def _declared_actions(context: Context) -> list[Action]:
    return [_action(context, f) for f in context.model.decl.functions if f.role == "action"]


def _action(context: Context, function: FunctionDecl) -> Action:
    parameters, choices = parameters_of(context, function), Choices()
    rebound = assigned_twice(function.node.body, [arg.arg for arg in function.arguments])
    statements = Statements(context, _scope(context, function, rebound), choices, rebound=rebound)
    body = statements.block(function.node.body)
    whole = (*choices.before(), *body, *choices.after())
    at = context.at(function.node)
    parameters += choices.parameters
    return Action(function.name, tuple(parameters), whole, fault=choices.spends, at=at)


def _process_actions(context: Context, processes: Processes) -> list[Action]:
    actions = [*processes.actions(), *channel_faults(context), *intruder_steps(context, processes)]
    for process in processes.processes:
        actions += crashes(context, processes, process, _hooks(context, process))
    return actions


def _hooks(context: Context, process: Process) -> list[FunctionDecl]:
    hooks = [f for f in context.model.decl.functions if f.role == "on_crash"]
    for hook in hooks:
        target = hook.decorator.args[0] if hook.decorator and hook.decorator.args else None
        if not isinstance(target, ast.Name) or target.id not in context.processes:
            raise context.module.error(
                "ANG107",
                hook.node,
                f"@on_crash of {hook.name} does not name a process",
                f"processes: {', '.join(context.processes) or 'none'}",
            )
    return [h for h in hooks if h.decorator and ast.unparse(h.decorator.args[0]) == process.name]


def _possible(context: Context, ranges: Mapping[str, Variable], action: Action) -> bool:
    """Whether an action can be taken, or fail before a condition that is false for these parameters."""
    if Require(Const(0)) not in action.body:
        return True
    before = action.body[: action.body.index(Require(Const(0)))]
    return any(_may_fail(context, ranges, each) for each in statements(before))


def _may_fail(context: Context, ranges: Mapping[str, Variable], statement: Stmt) -> bool:
    match statement:
        case Check():
            return True
        case Write(variable, index, value):
            inside = isinstance(value, Const) and ranges[variable].low <= value.value <= ranges[variable].high
            return not inside or context.may_fail(Read(variable, index))
    return any(map(context.may_fail, expressions(statement)))


def _names(context: Context, actions: Sequence[Action], variables: Iterable[Variable]) -> StepNames:
    """What each action is called, if it is possible."""
    ranges = {variable.name: variable for variable in variables}
    possible = [_possible(context, ranges, action) for action in actions]
    named = iter(_numbered(context, [each for each, is_one in zip(actions, possible, strict=True) if is_one]))
    names = (next(named) if is_one else None for is_one in possible)
    return StepNames(context, tuple(zip(actions, names, strict=True)))


def _impossible(decl: ModelDecl, names: StepNames) -> tuple[str, ...]:
    declared = {function.name for function in decl.functions if function.role == "action"}
    return tuple(each.name for each, name in names.actions if name is None and each.name in declared)


def _numbered(context: Context, found: Sequence[Action]) -> list[str]:
    """Names that tell actions apart: steps of processes that have one name get their line."""
    names = Counter(action.name for action in found)
    declared = {function.name for function in context.model.decl.functions if function.role == "action"}
    seen: Counter[str] = Counter()
    named = []
    for action in found:
        name = action.name
        # Declared actions come first, and keep the name that they were given.
        if names[name] > 1 and not (name in declared and not seen[name]):
            position = context.positions.get(action.at)
            name = f"{name}_{position.line}" if position else name
        seen[name] += 1
        named.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return named


# --- guarantees -------------------------------------------------------------------------------------


def _guarantee(context: Context, function: FunctionDecl) -> Guarantee | None:
    """A guarantee; None if a `require` at its start says that it is not claimed for these parameters."""
    if function.role not in OF_STATES:
        return None
    body = _claimed(context, function)
    if body is None:
        return None
    trimmed = ast.FunctionDef(
        name=f"guarantee {function.name}",
        args=function.node.args,
        body=body,
        decorator_list=[],
        returns=function.node.returns,
    )
    ast.copy_location(trimmed, function.node)
    condition = _condition(context, trimmed)
    at = context.at(function.node)
    kind = function.role
    assert kind in ("invariant", "reaches", "at_rest")
    return Guarantee(function.guarantee, kind, condition, function.description, at)


def _temporal(
    context: Context, system: TransitionSystem, questions: Sequence[Question]
) -> Iterator[TemporalGuarantee]:
    for function in context.model.decl.functions:
        if function.role in OF_RUNS:
            guarantee = claimed(context, system, _claimed(context, function), function)
            if guarantee is not None:
                yield guarantee
    for question, name in zip(questions, question_names(questions), strict=True):
        yield guarantee_of(context, system, question, name)


def _visible(context: Context) -> tuple[str, ...] | None:
    """The actions and channels that `events(...)` names."""
    call = context.model.decl.visible
    if call is None:
        return None
    channels = {name for name, shape in context.model.state.items() if shape.channel is not None}
    known = channels | {f.name for f in context.model.decl.functions if f.role == "action"}
    for node in call.args:
        if not isinstance(node, ast.Name) or node.id not in known:
            what = f"{ast.unparse(node)} is no action or channel"
            possible = did_you_mean(ast.unparse(node), known)
            raise context.module.error("ANG105", node, what, possible)
    return tuple(node.id for node in call.args if isinstance(node, ast.Name))


def _claimed(context: Context, function: FunctionDecl) -> list[ast.stmt] | None:
    """What a guarantee says; None if it is not claimed for these parameters."""
    if function.arguments:
        raise context.module.error(
            "ANG107",
            function.node,
            f"the guarantee {function.name} cannot have arguments",
            "",
            "use all(...)",
        )
    body = list(function.node.body)
    while body:
        match body[0]:
            case ast.Expr(value=ast.Constant()):
                body.pop(0)
            case ast.Expr(value=ast.Call() as call) if word_of(context.module, call) == "require":
                if not evaluate_number(context.model, call.args[0], context.module):
                    return None
                body.pop(0)
            case _:
                break
    return body


def _condition(context: Context, function: ast.FunctionDef) -> Expr:
    compiler = Expressions(context, Scope(context.module))
    call = ast.copy_location(ast.Call(ast.Name(function.name, ast.Load()), [], []), function)
    value: Value = call_function(compiler, call, function, context.module)
    if isinstance(value, ScalarValue) and isinstance(value.type, types.Bool):
        name = value.expr.helper if isinstance(value.expr, Call) else ""
        return context.helpers.pop(name).body if name else value.expr
    raise context.module.error("ANG106", function, f"{function.name} must return a bool")


def _used(context: Context, bodies: Iterable[Block], claims: Iterable[Expr]) -> list[Helper]:
    """The helpers that something still calls, each before those that call it."""
    wanted: dict[str, Helper] = {}

    def visit(expr: Expr) -> None:
        for each in expressions(expr):
            if isinstance(each, Call) and each.helper not in wanted:
                visit(context.helpers[each.helper].body)
                wanted[each.helper] = context.helpers[each.helper]

    for body in bodies:
        for statement in statements(body):
            for part in parts(statement):
                visit(part)
    for claim in claims:
        visit(claim)
    return list(wanted.values())
