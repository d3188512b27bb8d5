"""The computation of a module, read from its source without running it: the effects of its classes and functions, as graphs of values.

Intermediate names disappear: a variable, an attribute or a helper function is replaced by its value. Names that the contract or PyTorch
knows are kept: arguments of the constructor, parameters, buffers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from normgrade.pointing import operations
from normgrade.pointing.operations import OPERATORS, either, negated, negative, operation
from normgrade.pointing.values import Value, constant, reached_from, seen_through

DEEPEST = 6  # calls of the module's own functions within each other
MOST = 20_000  # values
Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = dict[str, Value]
IN_PLACE = {"add_": "add", "sub_": "sub", "mul_": "mul", "div_": "div", "lerp_": "lerp"}


class TooLarge(Exception):
    """The error if a module computes more values than the limit."""


@dataclass
class Flow:
    """The effects of a module: defaults, the values that a constructor sets, and the returns, stores, calls, loops and raises of methods.

    state: the names of its parameters and buffers.
    """

    effects: list[Value] = field(default_factory=list)
    state: set[str] = field(default_factory=set)

    def values(self) -> Iterator[Value]:
        return reached_from(self.effects)


def flow_of(source: str, state: frozenset[str] = frozenset()) -> Flow:
    """Return the computation of a source. Raises TooLarge, and the errors of `ast.parse`.

    `state` are names that count as parameters or buffers even if the source does not register them.
    """
    tree = ast.parse(source)
    flow = Flow(state={*state, *(name for name, _how in registered(tree))})
    Reader(tree, flow).read()
    return flow


def registered(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that a source makes parameters or buffers, each with the way: the method's name, or "Parameter"."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="register_buffer" | "register_parameter" as how), args=[ast.Constant(value=str(name)), *_]
            ):
                yield name, how
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]) if "Parameter" in ast.dump(node.value):
                yield name, "Parameter"


class Reader:
    """A reader of one module."""

    def __init__(self, tree: ast.Module, flow: Flow) -> None:
        self.flow = flow
        self.functions = {node.name: node for node in tree.body if isinstance(node, Function)}
        self.classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.module = {name for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom) for name in imported(node)}
        self.buffers = {name for name, how in registered(tree) if how == "register_buffer"}
        self.globals: Scope = {}
        self.methods: Mapping[str, Sequence[Function]] = {}
        self.called: set[int] = set()
        self.running: list[Function] = []
        self.count = 0
        self.conditions: list[Value] = []
        self.without_graph = 0
        self.body = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]

    def read(self) -> None:
        self.block(self.body, self.globals)
        for owner in sorted(self.classes.values(), key=is_autograd_function):  # these are read when they are applied
            self.read_class(owner)
        for function in self.functions.values():
            self.methods = {}
            if id(function) not in self.called:
                self.run(function, self.own_arguments(function, function.name), function.name)

    def read_class(self, owner: ast.ClassDef) -> None:
        """Read the constructor first, because it sets values for the other methods. Helpers are read when they are called."""
        self.methods = self.methods_of(owner)
        scope: Scope = {}
        for node in owner.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                self.effect(f"default {node.target.id}", (("0", self.value(node.value, {})),), node.value)
        for name in sorted(self.methods, key=lambda name: (name != "__init__", name != "forward")):
            function = self.methods[name][0]
            if id(function) in self.called and name != "__init__":
                continue
            inside = {key: value for key, value in scope.items() if key.startswith("self.")}
            inside |= self.own_arguments(function, "__init__" if name == "__init__" else "forward" if name == "forward" else name)
            self.run(function, inside, name)
            if name == "__init__":
                scope = inside

    def methods_of(self, owner: ast.ClassDef) -> dict[str, list[Function]]:
        """Return the methods of a class, each followed by those of its bases that it overrides."""
        found: dict[str, list[Function]] = {}
        rest, seen = [owner], {owner.name}
        while rest:
            current = rest.pop(0)
            for node in current.body:
                if isinstance(node, Function):
                    found.setdefault(node.name, []).append(node)
            for base in current.bases:
                if isinstance(base, ast.Name) and base.id in self.classes and base.id not in seen:
                    seen.add(base.id)
                    rest.append(self.classes[base.id])
        return found

    def own_arguments(self, function: Function, where: str) -> Scope:
        """Return values for the arguments of a function that no call gives: of `forward` by position, of any other by name."""
        named, defaults = parameters(function)
        for argument, default in zip(named[len(named) - len(defaults) :], defaults, strict=True):
            if default is not None:
                self.effect(f"default {argument.arg}", (("0", self.value(default, {})),), default)
        names = [argument.arg for argument in named if argument.arg != "self"]
        return {name: Value(f"argument {name}" if where != "forward" else f"input {number}") for number, name in enumerate(names)}

    def run(self, function: Function, scope: Scope, name: str) -> None:
        """Read a function that is not called as a helper."""
        self.called.add(id(function))
        returned = self.inside(function, scope)
        if returned is not None and name != "__init__":
            dtype = Value(f"dtype {'of the input' if any(map(goes_back, reached_from([returned]))) else 'as computed'}", at=returned.at)
            quiet = tuple(("graph", Value("graph cut", at=each)) for each in function.decorator_list if is_quiet(each))
            label = f"return of {name}" if name in ("forward", "backward") else "return"
            self.effect(label, (("0", returned), ("dtype", dtype), *quiet), function)

    def inside(self, function: Function, scope: Scope) -> Value | None:
        """Return the result of a function in a scope that holds its arguments."""
        decorated = any(map(is_quiet, function.decorator_list))
        self.without_graph += decorated
        self.running.append(function)
        returned = self.block(function.body, scope)
        self.running.pop()
        self.without_graph -= decorated
        return returned

    def effect(self, label: str, parts: tuple[tuple[str, Value], ...], at: ast.AST) -> None:
        self.flow.effects.append(Value(label, parts, at))

    # Statements

    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> Value | None:
        """Read statements in order. Returns the value that they return; None if they return nothing."""
        for number, statement in enumerate(statements):
            match statement:
                case ast.Return(value=value):
                    return constant(None, statement) if value is None else Value("returned", (("0", self.value(value, scope)),), statement)
                case ast.Raise():
                    self.refuse(statement)
                    return None
                case ast.Assert(test=test):
                    condition = self.value(test, scope)
                    self.conditions.append(negated(condition, test))
                    self.refuse(statement)
                    self.conditions.pop()
                case ast.If():
                    if (done := self.branch(statement, statements[number + 1 :], scope)) is not None:
                        return done.parts[0][1] if done.parts else None
                case ast.With(items=items, body=body):
                    quiet = any(is_quiet(item.context_expr) for item in items)
                    self.without_graph += quiet
                    returned = self.block(body, scope)
                    self.without_graph -= quiet
                    if returned is not None:
                        return returned
                case ast.For(target=target, iter=over, body=body):
                    self.loop(target, over, body, scope)
                case ast.While(body=body) | ast.Try(body=body):
                    self.block(body, scope)
                case _:
                    self.step(statement, scope)
        return None

    def branch(self, statement: ast.If, rest: Sequence[ast.stmt], scope: Scope) -> Value | None:
        """Read an `if`. If only one branch ends the function, the rest of the statements belongs to the other branch.

        Returns None if the function goes on after the `if`; else a value "returned", with the result as its only part if there is a result.
        """
        condition = self.value(statement.test, scope)
        then, otherwise = dict(scope), dict(scope)
        ends_then, ends_otherwise = ends(statement.body), ends(statement.orelse)
        self.conditions.append(condition)
        one = self.block(statement.body if ends_then or not ends_otherwise else [*statement.body, *rest], then)
        self.conditions[-1] = negated(condition, statement.test)
        other = self.block([*statement.orelse, *rest] if ends_then and not ends_otherwise else statement.orelse, otherwise)
        self.conditions.pop()
        kept = then if ends_otherwise and not ends_then else otherwise if ends_then else None
        if kept is not None:
            scope.update(kept)
            both = [value for value in (one, other) if value is not None]
            returned = either(condition, both[0], both[1], statement) if len(both) == 2 else next(iter(both), None)
            return Value("returned", (("0", returned),) if returned is not None else ())
        for name in then.keys() | otherwise.keys():
            if then.get(name) is not otherwise.get(name):
                none = constant(None)
                scope[name] = either(condition, then.get(name, none), otherwise.get(name, none), statement)
        return None if one is None else Value("returned", (("0", one if other is None else either(condition, one, other, statement)),))

    def loop(self, target: ast.expr, over: ast.expr, body: Sequence[ast.stmt], scope: Scope) -> None:
        each = Value("each", (("0", self.value(over, scope)),), over)
        self.effect("loop", each.parts, over)
        self.bind(target, each, scope, target)
        self.block(body, scope)

    def refuse(self, statement: ast.stmt) -> None:
        raised = ast.dump(statement)
        name = next((name for name in ("ValueError", "TypeError", "RuntimeError") if name in raised), "another error")
        self.effect(f"raise {name}", tuple((f"if {number}", value) for number, value in enumerate(self.conditions[-1:])), statement)

    def step(self, statement: ast.stmt, scope: Scope) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value):
                given = self.value(value, scope)
                for target in targets:
                    self.bind(target, given, scope, statement)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.bind(target, self.value(value, scope), scope, statement)
            case ast.AugAssign(target=target, op=op, value=value):
                old, new = self.value(target, scope), self.value(value, scope)
                name = OPERATORS.get(type(op), "?")
                if old.label.startswith("input "):
                    name = {"+": "add_", "-": "sub_", "*": "mul_", "/": "div_"}.get(name, name)
                self.bind(target, operation(name, [old, new], {}, statement), scope, statement)
            case ast.Expr(value=ast.Call() as call):
                done = self.value(call, scope)
                sets = isinstance(call.func, ast.Attribute) and state_name(call.func.value) in self.flow.state  # it is an effect already
                if done.at is call and not sets and not done.label.startswith(("constant ", "super()")):
                    self.effect("do", (("0", done), *self.when()), call)

    def bind(self, target: ast.expr, value: Value, scope: Scope, at: ast.AST) -> None:
        match target:
            case ast.Name(id=name):
                scope[name] = value
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                self.store(name, value, scope, at)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr="data"):
                self.store(name, Value("detach", (("0", value),), at), scope, at)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                self.store(name, value, scope, at)
            case ast.Attribute():
                self.effect("overwrite", (("0", value),), at)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for number, element in enumerate(elements):
                    self.bind(element, item(value, number, at), scope, at)
            case _:
                pass

    def store(self, name: str, value: Value, scope: Scope, at: ast.AST) -> None:
        """Set an attribute. A plain attribute is an intermediate name; setting a parameter or a buffer is an effect."""
        constructing = any(function.name == "__init__" for function in self.running)
        if name not in self.flow.state:
            scope[f"self.{name}"] = value
            if constructing and not value.parts:
                self.effect("keep", (("0", value),), at)
        elif constructing:
            how = "buffer" if name in self.buffers else "parameter" if is_parameter(value) else "tensor"
            self.effect(f"begin {name}", (("0", value), ("as", Value(f"kept as {how}"))), at)
        else:
            graph = "kept" if not self.without_graph and keeps_graph(value) else "cut"
            self.effect(f"set {name}", (("0", value), ("graph", Value(f"graph {graph}")), *self.when()), at)

    def when(self) -> tuple[tuple[str, Value], ...]:
        """Return the condition under which a statement is reached, as a part of its effect."""
        return tuple(("if", condition) for condition in self.conditions[-1:])

    # Expressions

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return the value of an expression. Raises TooLarge."""
        self.count += 1
        if self.count > MOST:
            raise TooLarge
        match node:
            case ast.Constant(value=value):
                return constant(value if not isinstance(value, float) or value % 1 else int(value) if abs(value) < 1e15 else value, node)
            case ast.Name(id=name):
                return self.named(name, node, scope)
            case ast.Attribute():
                return self.attribute(node, scope)
            case ast.Call():
                return self.call(node, scope)
            case ast.BinOp(left=left, op=op, right=right):
                return operation(OPERATORS.get(type(op), "?"), [self.value(left, scope), self.value(right, scope)], {}, node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return negative(self.value(operand, scope), node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return negated(self.value(operand, scope), node)
            case ast.BoolOp(op=op, values=values):
                return Value(OPERATORS[type(op)], tuple(("", self.value(each, scope)) for each in values), node)
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [self.value(each, scope) for each in (left, *others)]
                return Value(" ".join(OPERATORS[type(op)] for op in ops), tuple((str(at), side) for at, side in enumerate(sides)), node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return either(self.value(test, scope), self.value(body, scope), self.value(orelse, scope), node)
            case ast.Subscript():
                return self.subscript(node, scope)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                return several([self.value(each, scope) for each in elements], node)
            case ast.Starred(value=value):
                return Value("*of", (("0", self.value(value, scope)),), node)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                scope[name] = self.value(value, scope)
                return scope[name]
            case ast.ListComp(elt=element, generators=generators) | ast.GeneratorExp(elt=element, generators=generators):
                return self.comprehension(element, generators, scope, node)
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return Value("dict", tuple((ast.unparse(key) if key else "**", self.value(value, scope)) for key, value in pairs), node)
        return Value(type(node).__name__, at=node)

    def named(self, name: str, node: ast.expr, scope: Scope) -> Value:
        known = scope.get(name) or self.globals.get(name)
        if known is None:
            return Value(f"name {name}", at=node)
        return Value(known.label, at=node) if known.label.startswith(("argument ", "input ")) and not known.parts else known

    def attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return scope.get(f"self.{name}") or Value(f"self.{name}", at=node)
        if self.is_module(node.value):
            return Value(f"name {node.attr}", at=node)
        return operation(node.attr, [self.value(node.value, scope)], {}, node)

    def is_module(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.module

    def subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        inner = self.value(node.value, scope)
        index = node.slice
        elements = index.elts if isinstance(index, ast.Tuple) else [index]
        if all(map(is_slice, elements)):
            whole = all(not isinstance(each, ast.Slice) or each.lower is each.upper is None for each in elements)
            return Value("view" if whole else "slice", (("0", inner),), node)
        position = index.value if isinstance(index, ast.Constant) and isinstance(index.value, int) else None
        if position is not None and position >= 0 and inner.label == "several" and position < len(inner.parts):
            return inner.parts[position][1]
        return Value("index", (("0", inner), ("1", self.value(index, scope))), node)

    def comprehension(self, element: ast.expr, generators: Sequence[ast.comprehension], scope: Scope, node: ast.expr) -> Value:
        inside = dict(scope)
        parts: list[tuple[str, Value]] = []
        for generator in generators:
            over = self.value(generator.iter, inside)
            self.bind(generator.target, Value("each", (("0", over),), generator.iter), inside, generator.target)
            parts += [("if", self.value(test, inside)) for test in generator.ifs]
        return Value("for each", (("0", self.value(element, inside)), *parts), node)

    # Calls

    def call(self, node: ast.Call, scope: Scope) -> Value:
        function = node.func
        given = [self.value(each, scope) for each in node.args]
        named = {each.arg or "**": self.value(each.value, scope) for each in node.keywords}
        match function:
            case ast.Name(id=name) if name in self.functions:
                return self.helper(self.functions[name], given, named, {}, node)
            case ast.Name(id=name) | ast.Attribute(attr=name, value=ast.Name()) if name in ("Parameter",):
                return Value("Parameter", tuple((str(number), value) for number, value in enumerate(given[:1])), node)
            case ast.Name(id=name):
                return operation(name, given, named, node)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name):
                known = self.methods.get(name, ())
                overridden = [each for number, each in enumerate(known) if number and known[number - 1] in self.running]
                return self.helper(overridden[-1], given, named, scope, node) if overridden else Value("super()", at=node)
            case ast.Attribute(value=ast.Name(id="self"), attr="register_buffer" | "register_parameter" as how) if len(given) > 1:
                return self.registered(how, node, given[1], named)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in self.methods:
                return self.helper(self.methods[name][0], given, named, scope, node)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                kept = (("called", scope[f"self.{name}"]),) if f"self.{name}" in scope else ()
                return Value(f"self.{name}()", (*operations.parts_of(name, given, named), *kept), node)
            case ast.Attribute(value=ast.Name(id=name), attr="apply") if name in self.classes:
                return self.applied(self.classes[name], given, node)
            case ast.Attribute(value=value, attr=name) if self.is_module(value):
                return operation(name, given, named, node)
            case ast.Attribute(value=value, attr=name):
                return self.method(value, name, given, named, scope, node)
        return Value("call", tuple((str(number), value) for number, value in enumerate(given)), node)

    def method(self, value: ast.expr, name: str, given: list[Value], named: dict[str, Value], scope: Scope, node: ast.Call) -> Value:
        """Return the result of a tensor's method. A method that works in place also gives its name, or the buffer, a new value."""
        owner = self.value(value, scope)
        if name == "size" and given:
            return Value("index", (("0", Value("shape", (("0", owner),), node)), ("1", given[0])), node)
        if not name.endswith("_") or name.startswith("_"):
            return operation(name, [owner, *given], named, node)
        buffer = state_name(value)
        if buffer in self.flow.state:
            made = given[0] if name == "copy_" and given else operation(IN_PLACE.get(name, name), [owner, *given], named, node)
            made = Value("detach", (("0", made),), node) if isinstance(value, ast.Attribute) and value.attr == "data" else made
            self.store(str(buffer), made, scope, node)
            return made
        made = operation(name, [owner, *given], named, node)
        if isinstance(value, ast.Name):
            scope[value.id] = made
        return made

    def registered(self, how: str, node: ast.Call, value: Value, named: Mapping[str, Value]) -> Value:
        name = ast.unparse(node.args[0]).strip("'")
        kept = Value(f"kept as {how.removeprefix('register_')}", at=node)
        self.effect(f"begin {name}", (("0", value), ("as", kept), *named.items()), node)
        return constant(None, node)

    def applied(self, owner: ast.ClassDef, given: list[Value], node: ast.Call) -> Value:
        """Return the result of an autograd function: that of its forward."""
        function = next((each for each in owner.body if isinstance(each, Function) and each.name == "forward"), None)
        return Value("apply", at=node) if function is None else self.helper(function, [Value("name ctx"), *given], {}, {}, node)

    def helper(self, function: Function, given: Sequence[Value], named: Mapping[str, Value], scope: Scope, node: ast.Call) -> Value:
        """Return the result of a function of the module for these arguments. The effects of a method count for its caller."""
        if len(self.running) >= DEEPEST:
            return Value("call", (), node)
        self.called.add(id(function))
        arguments, defaults = parameters(function)
        names = [argument.arg for argument in arguments if argument.arg != "self"]
        inside = {key: value for key, value in scope.items() if key.startswith("self.")}
        for argument, default in zip(arguments[len(arguments) - len(defaults) :], defaults, strict=True):
            inside[argument.arg] = Value("nothing") if default is None else self.value(default, {})
        inside |= {**dict(zip(names, given, strict=False)), **named}
        returned = self.inside(function, inside)
        scope.update({key: value for key, value in inside.items() if key.startswith("self.")})
        return constant(None, node) if returned is None else returned


def is_quiet(node: ast.expr) -> bool:
    """Return True if a context manager or decorator is `no_grad`, so that nothing is recorded for gradients."""
    return "no_grad" in ast.dump(node)


def is_autograd_function(owner: ast.ClassDef) -> bool:
    return any("Function" in ast.dump(base) for base in owner.bases)


def imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        if isinstance(node, ast.Import) or alias.name.islower():
            yield (alias.asname or alias.name).partition(".")[0]


def parameters(function: Function) -> tuple[list[ast.arg], list[ast.expr | None]]:
    """Return the named parameters, and their defaults; None for those without a default."""
    found = function.args
    positional = [*found.posonlyargs, *found.args]
    padded = [*[None] * (len(positional) - len(found.defaults)), *found.defaults, *found.kw_defaults]
    return [*positional, *found.kwonlyargs], padded


def ends(statements: Sequence[ast.stmt]) -> bool:
    """Return True if the statements end with a return or a raise, so that nothing after them is reached."""
    return bool(statements) and isinstance(statements[-1], ast.Return | ast.Raise)


def state_name(value: ast.expr) -> str | None:
    """Return the attribute of `self` whose tensor this is: `self.x`, `self.x[…]`, `self.x.data` or `self.x.mul_(…)`; None otherwise."""
    while isinstance(value, ast.Subscript) or (isinstance(value, ast.Attribute) and value.attr == "data"):
        value = value.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr.endswith("_"):
        return state_name(value.func.value)
    match value:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
    return None


def several(values: list[Value], node: ast.AST) -> Value:
    """Return several values as one; if all are constants, as one constant."""
    if values and all(value.label.startswith("constant ") for value in values):
        return Value(f"constant ({', '.join(value.label.removeprefix('constant ') for value in values)})", at=node)
    if len(values) == 1 and values[0].label == "*of":
        return values[0]
    return Value("several", tuple((str(number), value) for number, value in enumerate(values)), node)


def is_slice(index: ast.expr) -> bool:
    """Return True if an index keeps a dimension, or adds one: `:`, `...`, `None`."""
    new = isinstance(index, ast.Constant) and (index.value is None or index.value is ...)
    return new or isinstance(index, ast.Slice | ast.Starred)


def item(value: Value, number: int, at: ast.AST) -> Value:
    """Return one of several values; for `var_mean`, the variance or the mean."""
    inner = seen_through(value)
    if inner.label == "several" and number < len(inner.parts):
        return inner.parts[number][1]
    if inner.label in ("var_mean", "std_mean"):
        if number == 0:
            var = Value("var", inner.parts, inner.at)
            return var if inner.label == "var_mean" else Value("sqrt", (("0", var),), inner.at)
        return Value("mean", tuple(part for part in inner.parts if part[0] != "correction"), inner.at)
    if inner.label == "either":
        condition, then, otherwise = (part for _role, part in inner.parts)
        return either(condition, item(then, number, at), item(otherwise, number, at), at)
    return Value("item", (("0", value), (("1"), constant(number))), at)


def keeps_graph(value: Value) -> bool:
    """Return True if gradients would flow from a stored value to the input: nothing between them cuts the graph."""
    value = seen_through(value)
    if value.label in ("detach", "item") or not value.parts:
        return value.label.startswith("input ")
    return any(keeps_graph(part) for role, part in value.parts if role != "if")


def goes_back(value: Value) -> bool:
    """Return True if a value is cast to the dtype of the input."""
    given = value.parts[1][1] if len(value.parts) > 1 else value
    to_dtype = value.label in ("to", "type", "returned") and given.label == "dtype" and from_input(given)
    return to_dtype or (value.label == "type_as" and from_input(given))


def from_input(value: Value) -> bool:
    return seen_through(value).label.startswith("input ") or (value.label == "dtype" and from_input(value.parts[0][1]))


def is_parameter(value: Value) -> bool:
    return value.label == "Parameter" or any(is_parameter(part) for role, part in value.parts if role != "if")
