"""A tiny low-level language in Python's clothes, compiled to LLVM IR.

The search loop must be native code, and should be read like Python. So it is written as ordinary
typed Python functions in a small subset, and compiled from their syntax trees; they are never
run by Python.

- Every value is a 64-bit word. Arithmetic wraps around; `>>`, `//`, `%` and comparisons are
  unsigned.
- `p[i]` is the word i words after address p. `offset(p, i)` is that address; `words` and `address_of`
  turn a word into an address and back. Large tables may hold halves of words (32 bits) or bytes:
  `half(p, i)`, `put_half(p, i, value)`, `byte(p, i)`, `put_byte(p, i, value)`.
- Assignments, also of several at a time (`a, b = b, a`), `while`, `for ... in range(...)`, `if`,
  `break`, `continue`, `return`, conditional expressions, calls of other functions of the same module;
  `and`, `or` and `not` only in conditions, from left to right.
- The functions below: atomics (acquire and release), prefetching, local memory, calls by
  address, and what the lanes of a graphics card tell each other.
- A function that only calls `elsewhere()` is defined elsewhere: in the text of a kernel, for one.
- Names in capitals are constants, given when compiling, also as attributes of a module
  (`layout.KEY`). An `if` on a constant is decided then, so that variants of a function (one word or
  several, alone or with others) share one source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import NoReturn

from angarium.native.llvm import Function, constant
from angarium.native.targets import PROCESSOR, Target


class Words:
    """The type of an address, for the type checker."""

    def __getitem__(self, index: int) -> int:
        _never()

    def __setitem__(self, index: int, value: int) -> None:
        _never()


def _never() -> NoReturn:
    raise RuntimeError("this is compiled, never run")


def words(address: int) -> Words:
    """A word, as an address."""
    _never()


def address_of(address: Words) -> int:
    """An address, as a word."""
    _never()


def offset(address: Words, index: int) -> Words:
    """The address of address[index]."""
    _never()


def local(count: int) -> Words:
    """Memory for a constant number of words that lives as long as the call."""
    _never()


def half(address: Words, index: int) -> int:
    """The number of 32 bits at address + 4 * index."""
    _never()


def put_half(address: Words, index: int, value: int) -> None:
    """Write the low 32 bits of a value."""
    _never()


def byte(address: Words, index: int) -> int:
    """The byte at address + index."""
    _never()


def put_byte(address: Words, index: int, value: int) -> None:
    """Write the low 8 bits of a value."""
    _never()


def atomic_load(address: Words, index: int) -> int:
    _never()


def atomic_store(address: Words, index: int, value: int) -> None:
    _never()


def atomic_add(address: Words, index: int, value: int) -> int:
    """Add; the value before."""
    _never()


def atomic_or(address: Words, index: int, value: int) -> int:
    """Set bits; the value before."""
    _never()


def swap_if(address: Words, index: int, expected: int, value: int) -> int:
    """Compare and swap; the value before."""
    _never()


def prefetch(address: Words, index: int) -> None:
    """Say that the word will be needed soon."""
    _never()


def call(function: int, *arguments: int | Words) -> int:
    """Call the function at an address."""
    _never()


def elsewhere() -> int:
    """The function that calls it is in another part of the text."""
    _never()


def fence() -> None:
    """What was seen before is seen by what is read afterwards, where loads do not do that by themselves."""
    _never()


def ones(value: int) -> int:
    """How many bits are 1."""
    _never()


def lowest(value: int) -> int:
    """The place of the lowest bit that is 1; there must be one."""
    _never()


def lane() -> int:
    """Which of the threads this is that go in step: 0, where each goes alone."""
    _never()


def ballot(yes: int) -> int:
    """A bit for each lane that says yes. All of them must ask."""
    _never()


def told_by(lane: int, value: int) -> int:
    """The value of another lane. All of them must ask."""
    _never()


_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "lshr",
    ast.FloorDiv: "udiv",
    ast.Mod: "urem",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "ult",
    ast.LtE: "ule",
    ast.Gt: "ugt",
    ast.GtE: "uge",
}
Constants = Mapping[str, int]


def constants_in(names: Mapping[str, object]) -> dict[str, int]:
    """The constants among a module's names."""
    return {n: value for n, value in names.items() if n.isupper() and isinstance(value, int)}


def translate(source: str, exported: Mapping[str, Constants], target: Target = PROCESSOR) -> str:
    """LLVM IR of a module's functions.

    Each exported name is compiled with its constants: `name` or `name.variant`, where name is a
    function of the module. The other functions are compiled with each and inlined.
    """
    functions = {n.name: n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)}
    elsewhere = {name for name, tree in functions.items() if _is_elsewhere(tree)}
    parts = list(target.declarations)
    for name, constants in exported.items():
        root = name.partition(".")[0]
        rename = {each: each if each in elsewhere else f"{name}.{each}" for each in functions}
        for needed in _reachable(root, functions):
            if needed not in elsewhere:
                symbol = name if needed == root else f"{name}.{needed}"
                parts.append(_Translator(functions[needed], symbol, constants, rename, target).text())
    return "\n".join(parts)


def _is_elsewhere(tree: ast.FunctionDef) -> bool:
    """Whether a function's text is in another part."""
    match tree.body[-1]:
        case ast.Return(value=ast.Call(func=ast.Name(id="elsewhere"))):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id="elsewhere"))):
            return True
    return False


def _reachable(root: str, functions: Mapping[str, ast.FunctionDef]) -> list[str]:
    found = [root]
    for name in found:
        called = {n.id for n in ast.walk(functions[name]) if isinstance(n, ast.Name)}
        found += sorted(called & functions.keys() - set(found))
    return found


class _Translator:
    """Translates one function."""

    def __init__(
        self,
        tree: ast.FunctionDef,
        symbol: str,
        constants: Constants,
        rename: Mapping[str, str],
        target: Target,
    ) -> None:
        exported = symbol.partition(".")[0] == tree.name
        names = [argument.arg for argument in tree.args.args]
        self._function = Function(
            symbol,
            [f"i64 %given.{name}" for name in names],
            linkage="dso_local" if exported else "internal",
            attributes="nounwind" if exported else "nounwind alwaysinline",
        )
        self._constants, self._rename, self._machine = constants, rename, target
        self._slots: dict[str, str] = {}
        self._loops: list[tuple[str, str]] = []
        for name in names:
            self._function.store(f"%given.{name}", self._slot(name))
        self._block(tree.body)
        self._function.give("0")

    def text(self) -> str:
        return self._function.text()

    def _slot(self, name: str) -> str:
        if name not in self._slots:
            self._slots[name] = self._function.slot()
        return self._slots[name]

    # --- statements -------------------------------------------------------------------

    def _block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[target], value=value):
                self._assign(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                self._augment(target, _BINARY[type(op)], self._value(value))
            case ast.If():
                self._if(statement)
            case ast.While(test=test, body=body):
                self._while(test, body)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=bounds), body=body):
                self._for(name, [self._value(bound) for bound in bounds], body)
            case ast.Break() | ast.Continue():
                self._function.jump(self._loops[-1][isinstance(statement, ast.Break)])
            case ast.Return(value=value):
                self._function.give(self._value(value) if value else "0")
            case ast.Expr(value=value):
                self._effect(value)
            case _:
                raise _unknown(statement)

    def _effect(self, value: ast.expr) -> None:
        if not isinstance(value, ast.Constant):  # a docstring
            self._value(value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        """Assign a value, or several at a time: all of them are computed first."""
        several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        targets = target.elts if isinstance(target, ast.Tuple) and several else [target]
        values = value.elts if isinstance(value, ast.Tuple) and several else [value]
        computed = [self._value(each) for each in values]
        for each, word in zip(targets, computed, strict=True):
            self._function.do(f"store i64 {word}, ptr {self._target(each)}")

    def _augment(self, target: ast.expr, instruction: str, value: str) -> None:
        place = self._target(target)
        before = self._function.load(place)
        self._function.store(self._function.let(f"{instruction} i64 {before}, {value}"), place)

    def _target(self, target: ast.expr) -> str:
        match target:
            case ast.Name(id=name):
                return self._slot(name)
            case ast.Subscript(value=base, slice=index):
                return self._pointer(base, index)
            case _:
                raise _unknown(target)

    def _if(self, statement: ast.If) -> None:
        decided = self._decided(statement.test)
        if decided is not None:
            self._block(statement.body if decided else statement.orelse)
            return
        yes, no, done = (self._function.label(hint) for hint in ("then", "else", "end"))
        self._branch(statement.test, yes, no)
        for label, arm in ((yes, statement.body), (no, statement.orelse)):
            self._function.begin(label)
            self._block(arm)
            self._function.jump(done)
        self._function.begin(done)

    def _decided(self, test: ast.expr) -> bool | None:
        match test:
            case ast.Name(id=name) if name in self._constants:
                return bool(self._constants[name])
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)) if name in self._constants:
                return not self._constants[name]
            case _:
                return None

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        head, inside, done = (self._function.label(hint) for hint in ("while", "do", "end"))
        self._function.begin(head)
        self._branch(test, inside, done)
        self._function.begin(inside)
        self._looped(body, head, done)
        self._function.jump(head)
        self._function.begin(done)

    def _for(self, name: str, bounds: list[str], body: list[ast.stmt]) -> None:
        low, high = bounds if len(bounds) == 2 else ("0", bounds[0])
        with self._function.counting(low, high, compare="ult") as loop:
            self._function.store(loop.index, self._slot(name))
            self._looped(body, loop.next, loop.done)

    def _looped(self, body: list[ast.stmt], again: str, done: str) -> None:
        self._loops.append((again, done))
        self._block(body)
        self._loops.pop()

    # --- expressions ------------------------------------------------------------------

    def _value(self, node: ast.expr) -> str:
        let = self._function.let
        match node:
            case ast.Constant(value=int(number)):
                return constant(number)
            case ast.Name(id=name) if name in self._constants:
                return constant(self._constants[name])
            case ast.Name(id=name):
                return self._function.load(self._slot(name))
            case ast.Attribute(value=ast.Name(), attr=name) if name in self._constants:
                return constant(self._constants[name])
            case ast.BinOp(left=left, op=op, right=right):
                return let(f"{_BINARY[type(op)]} i64 {self._value(left)}, {self._value(right)}")
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return let(f"xor i64 {self._value(operand)}, -1")
            case ast.Subscript(value=base, slice=index):
                return self._function.load(self._pointer(base, index))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._choose(test, body, orelse)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._call(name, arguments)
            case _:
                raise _unknown(node)

    def _choose(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> str:
        result = self._function.slot()
        yes, no, done = (self._function.label(hint) for hint in ("then", "else", "end"))
        self._branch(test, yes, no)
        for label, arm in ((yes, body), (no, orelse)):
            self._function.begin(label)
            self._function.store(self._value(arm), result)
            self._function.jump(done)
        self._function.begin(done)
        return self._function.load(result)

    def _branch(self, test: ast.expr, yes: str, no: str) -> None:
        match test:
            case ast.BoolOp(op=op, values=[*values, last]):
                for value in values:
                    following = self._function.label("also")
                    ends = (following, no) if isinstance(op, ast.And) else (yes, following)
                    self._branch(value, *ends)
                    self._function.begin(following)
                self._branch(last, yes, no)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._branch(operand, no, yes)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                one, other = self._value(left), self._value(right)
                truth = self._function.let(f"icmp {_COMPARE[type(op)]} i64 {one}, {other}")
                self._function.branch(truth, yes, no)
            case _:
                truth = self._function.let(f"icmp ne i64 {self._value(test)}, 0")
                self._function.branch(truth, yes, no)

    def _pointer(self, base: ast.expr, index: ast.expr) -> str:
        address = self._function.let(f"inttoptr i64 {self._value(base)} to ptr")
        return self._function.element(address, self._value(index))

    # --- calls ------------------------------------------------------------------------

    def _call(self, name: str, arguments: list[ast.expr]) -> str:
        let = self._function.let
        match name, arguments:
            case "words", [address]:
                return self._machine.address(self._function, self._value(address))
            case "address_of", [address]:
                return self._value(address)
            case "offset", [base, index]:
                return let(f"ptrtoint ptr {self._pointer(base, index)} to i64")
            case "local", [count]:
                slot = self._function.slot(f"[{self._value(count)} x i64]")
                return let(f"ptrtoint ptr {slot} to i64")
            case "call", [function, *given]:
                pointer = let(f"inttoptr i64 {self._value(function)} to ptr")
                return let(f"call i64 {pointer}({self._listed(given)})")
            case _, [base, index, *given] if name in _NARROW:
                return self._narrow(_NARROW[name], base, index, given)
            case _, [base, index, *given] if name in self._machine.memory:
                pointer = self._pointer(base, index)
                return self._machine.memory[name](self._function, pointer, [self._value(g) for g in given])
            case _ if name in self._machine.lanes:
                return self._machine.lanes[name](self._function, [self._value(each) for each in arguments])
            case _ if name in self._rename:
                return let(f"call i64 @{self._rename[name]}({self._listed(arguments)})")
            case _:
                raise SyntaxError(f"no function {name} in the low-level language")

    def _narrow(self, type_: str, base: ast.expr, index: ast.expr, given: list[ast.expr]) -> str:
        let = self._function.let
        address = let(f"inttoptr i64 {self._value(base)} to ptr")
        place = let(f"getelementptr {type_}, ptr {address}, i64 {self._value(index)}")
        if not given:
            return let(f"zext {type_} {let(f'load {type_}, ptr {place}')} to i64")
        cut = let(f"trunc i64 {self._value(given[0])} to {type_}")
        self._function.do(f"store {type_} {cut}, ptr {place}")
        return "0"

    def _listed(self, arguments: list[ast.expr]) -> str:
        return ", ".join(f"i64 {self._value(argument)}" for argument in arguments)


def _unknown(node: ast.AST) -> SyntaxError:
    return SyntaxError(f"not in the low-level language: {ast.unparse(node)}")


_NARROW = {"half": "i32", "put_half": "i32", "byte": "i8", "put_byte": "i8"}
"""Access to parts of words: the type of the part."""
