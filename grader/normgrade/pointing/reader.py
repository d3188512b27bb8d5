"""The values of one function: its statements are read in order, and each expression becomes a value.

A scope holds the values that names have at one moment. In

    def forward(self, x):
        h = x - x.mean(-1)
        return h / self.spread(h)

`x` is INPUT 0. The first statement binds `h` to OPERATION "-", whose parts are INPUT 0 and OPERATION "mean". The call of a helper is
replaced: `spread` is read in a scope that holds its arguments, and the value that it returns is the value of the call. So the value that
`forward` returns knows nothing of the names `h` and `spread`. It is a part of an effect, RETURN "forward". Each branch of an `if` is read
in a copy of the scope; a name that has two values after it is bound to OPERATION "either".
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from normgrade.pointing.operations import OPERATORS, either, item, negated, negative, operation, parts_of, several
from normgrade.pointing.syntax import Function, ends, imported, is_slice, last_name, parameters, records, registered, state_name
from normgrade.pointing.values import Kind, Parts, Value, constant, is_parameter, keeps_dtype, keeps_graph, numbered, on_one

DEEPEST = 6  # calls of the module's own functions within each other
MOST = 20_000  # values
Scope = dict[str, Value]
IN_PLACE = {"add_": "add", "sub_": "sub", "mul_": "mul", "div_": "div", "lerp_": "lerp"}
IN_PLACE_OPERATORS = {"+": "add_", "-": "sub_", "*": "mul_", "/": "div_"}
ERRORS = ("ValueError", "TypeError", "RuntimeError")


class TooLarge(Exception):
    """The error if a module computes more values than the limit."""


class Module:
    """The parts of a module that its functions use, and the effects that were found in it."""

    def __init__(self, tree: ast.Module, state: set[str]) -> None:
        self.functions = {node.name: node for node in tree.body if isinstance(node, Function)}
        self.classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.imported = {name for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom) for name in imported(node)}
        self.state = state
        self.buffers = {name for name, how in registered(tree) if how == "register_buffer"}
        self.globals: Scope = {}
        self.effects: list[Value] = []
        self.called: set[Function] = set()
        self.count = 0

    def owns(self, node: ast.expr) -> bool:
        """Return True if a node is an imported module, or a part of one, as in `torch.nn`."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.imported


class Reader:
    """A reader of the functions of a module. Those of one class share its methods."""

    def __init__(self, module: Module, methods: Mapping[str, Sequence[Function]]) -> None:
        self.module = module
        self.methods = methods
        self.running: list[Function] = []
        self.conditions: list[Value] = []
        self.quiet: ast.expr | None = None  # the node that turned the recording of gradients off
        self.cuts: list[ast.expr] = []  # the nodes under which the function that is no helper returned

    def run(self, function: Function, known: Scope) -> Scope:
        """Read a function that is not called as a helper; `known` are attributes of `self`. Returns its scope at the end."""
        self.module.called.add(function)
        scope = known | self.own_arguments(function)
        self.cuts.clear()
        returned = self.inside(function, scope)
        if returned is not None and function.name != "__init__":
            dtype = Value(Kind.NOTE, "dtype of the input" if keeps_dtype(returned) else "dtype as computed", at=returned.at)
            cuts = tuple(("graph", Value(Kind.NOTE, "graph cut", at=each)) for each in dict.fromkeys(self.cuts))
            self.effect(Kind.RETURN, function.name, (("0", returned), ("dtype", dtype), *cuts), function)
        return scope

    def own_arguments(self, function: Function) -> Scope:
        """Return values for the arguments of a function that no call gives: of a constructor by name, of any other by position."""
        for name, default in parameters(function):
            if default is not None:
                self.effect(Kind.DEFAULT, name, (("0", self.value(default, {})),), default)
        names = [name for name, _default in parameters(function)]
        if function.name == "__init__":
            return {name: Value(Kind.ARGUMENT, name) for name in names}
        return {name: Value(Kind.INPUT, str(position)) for position, name in enumerate(names)}

    def inside(self, function: Function, scope: Scope) -> Value | None:
        """Return the result of a function in a scope that holds its arguments."""
        self.running.append(function)
        returned = self.under(function.decorator_list, function.body, scope)
        self.running.pop()
        return returned

    def effect(self, kind: Kind, name: str, parts: Parts, at: ast.AST) -> None:
        self.module.effects.append(Value(kind, name, parts, at))

    # Statements

    def under(self, modes: Iterable[ast.expr], statements: Sequence[ast.stmt], scope: Scope) -> Value | None:
        """Read statements under decorators or context managers. They, and the statements, may turn the recording of gradients off or on."""
        before = self.quiet
        for mode in modes:
            self.turn(mode)
        returned = self.block(statements, scope)
        self.quiet = before
        return returned

    def turn(self, mode: ast.expr) -> None:
        """Turn the recording of gradients off or on, if an expression says so."""
        match records(mode):
            case True:
                self.quiet = None
            case False:
                self.quiet = mode

    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> Value | None:
        """Read statements in order. Returns the value that they return; None if they return nothing."""
        for number, statement in enumerate(statements):
            match statement:
                case ast.Return(value=value):
                    if self.quiet is not None and len(self.running) == 1:
                        self.cuts.append(self.quiet)
                    return constant(None, statement) if value is None else on_one("returned", self.value(value, scope), statement)
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
                    if (returned := self.under([each.context_expr for each in items], body, scope)) is not None:
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
        one = self.under((), statement.body if ends_then or not ends_otherwise else [*statement.body, *rest], then)
        self.conditions[-1] = negated(condition, statement.test)
        other = self.under((), [*statement.orelse, *rest] if ends_then and not ends_otherwise else statement.orelse, otherwise)
        self.conditions.pop()
        kept = then if ends_otherwise and not ends_then else otherwise if ends_then else None
        if kept is not None:
            scope.update(kept)
            both = [value for value in (one, other) if value is not None]
            returned = either(condition, both[0], both[1], statement) if len(both) == 2 else next(iter(both), None)
            return Value(Kind.OPERATION, "returned", (("0", returned),) if returned is not None else ())
        for name in then.keys() | otherwise.keys():
            if then.get(name) is not otherwise.get(name):
                none = constant(None)
                scope[name] = either(condition, then.get(name, none), otherwise.get(name, none), statement)
        return None if one is None else on_one("returned", one if other is None else either(condition, one, other, statement), None)

    def loop(self, target: ast.expr, over: ast.expr, body: Sequence[ast.stmt], scope: Scope) -> None:
        each = on_one("each", self.value(over, scope), over)
        self.effect(Kind.LOOP, "", each.parts, over)
        self.bind(target, each, scope, target)
        self.block(body, scope)

    def refuse(self, statement: ast.stmt) -> None:
        raised = ast.dump(statement)
        self.effect(Kind.RAISE, next((name for name in ERRORS if name in raised), "another error"), self.when(), statement)

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
                if old.kind is Kind.INPUT:
                    name = IN_PLACE_OPERATORS.get(name, name)
                self.bind(target, operation(name, [old, new], {}, statement), scope, statement)
            case ast.Expr(value=ast.Call() as call):
                done = self.value(call, scope)
                sets = isinstance(call.func, ast.Attribute) and state_name(call.func.value) in self.module.state  # it is an effect already
                if done.at is call and not sets and done.kind not in (Kind.CONSTANT, Kind.SUPER):
                    self.effect(Kind.DO, "", (("0", done), *self.when()), call)
                if last_name(call.func) == "set_grad_enabled":  # the others do nothing without `with`
                    self.turn(call)

    def bind(self, target: ast.expr, value: Value, scope: Scope, at: ast.AST) -> None:
        match target:
            case ast.Name(id=name):
                scope[name] = value
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                self.store(name, value, scope, at)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr="data"):
                self.store(name, on_one("detach", value, at), scope, at)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                self.store(name, value, scope, at)
            case ast.Attribute():
                self.effect(Kind.OVERWRITE, "", (("0", value),), at)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for number, element in enumerate(elements):
                    self.bind(element, item(value, number, at), scope, at)
            case _:
                pass

    def store(self, name: str, value: Value, scope: Scope, at: ast.AST) -> None:
        """Set an attribute. A plain attribute is an intermediate name; setting a parameter or a buffer is an effect."""
        constructing = any(function.name == "__init__" for function in self.running)
        if name not in self.module.state:
            scope[f"self.{name}"] = value
            if constructing and not value.parts:
                self.effect(Kind.KEEP, "", (("0", value),), at)
        elif constructing:
            how = "buffer" if name in self.module.buffers else "parameter" if is_parameter(value) else "tensor"
            self.effect(Kind.BEGIN, name, (("0", value), ("as", Value(Kind.NOTE, f"kept as {how}"))), at)
        else:
            graph = "kept" if self.quiet is None and keeps_graph(value) else "cut"
            self.effect(Kind.SET, name, (("0", value), ("graph", Value(Kind.NOTE, f"graph {graph}")), *self.when()), at)

    def when(self) -> Parts:
        """Return the condition under which a statement is reached, as a part of its effect."""
        return tuple(("if", condition) for condition in self.conditions[-1:])

    # Expressions

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return the value of an expression. Raises TooLarge."""
        self.module.count += 1
        if self.module.count > MOST:
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
                return Value(Kind.OPERATION, OPERATORS[type(op)], tuple(("", self.value(each, scope)) for each in values), node)
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [self.value(each, scope) for each in (left, *others)]
                return Value(Kind.OPERATION, " ".join(OPERATORS[type(op)] for op in ops), numbered(sides), node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return either(self.value(test, scope), self.value(body, scope), self.value(orelse, scope), node)
            case ast.Subscript():
                return self.subscript(node, scope)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                return several([self.value(each, scope) for each in elements], node)
            case ast.Starred(value=value):
                return on_one("*of", self.value(value, scope), node)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                scope[name] = self.value(value, scope)
                return scope[name]
            case ast.ListComp(elt=element, generators=generators) | ast.GeneratorExp(elt=element, generators=generators):
                return self.comprehension(element, generators, scope, node)
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                parts = tuple((ast.unparse(key) if key else "**", self.value(value, scope)) for key, value in pairs)
                return Value(Kind.OPERATION, "dict", parts, node)
        return Value(Kind.UNKNOWN, type(node).__name__, at=node)

    def named(self, name: str, node: ast.expr, scope: Scope) -> Value:
        """Return the value of a name. Each use of an argument is a value of its own, with its place."""
        known = scope.get(name) or self.module.globals.get(name)
        if known is None:
            return Value(Kind.NAME, name, at=node)
        return Value(known.kind, known.name, at=node) if known.kind in (Kind.ARGUMENT, Kind.INPUT) else known

    def attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return scope.get(f"self.{name}") or Value(Kind.ATTRIBUTE, name, at=node)
        if self.module.owns(node.value):
            return Value(Kind.NAME, node.attr, at=node)
        return operation(node.attr, [self.value(node.value, scope)], {}, node)

    def subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        inner = self.value(node.value, scope)
        index = node.slice
        elements = index.elts if isinstance(index, ast.Tuple) else [index]
        if all(map(is_slice, elements)):
            whole = all(not isinstance(each, ast.Slice) or each.lower is each.upper is None for each in elements)
            return on_one("view" if whole else "slice", inner, node)
        position = index.value if isinstance(index, ast.Constant) and isinstance(index.value, int) else None
        if position is not None and position >= 0 and inner.operation == "several" and position < len(inner.parts):
            return inner.parts[position][1]
        return Value(Kind.OPERATION, "index", numbered((inner, self.value(index, scope))), node)

    def comprehension(self, element: ast.expr, generators: Sequence[ast.comprehension], scope: Scope, node: ast.expr) -> Value:
        inside = dict(scope)
        conditions: list[tuple[str, Value]] = []
        for generator in generators:
            over = self.value(generator.iter, inside)
            self.bind(generator.target, on_one("each", over, generator.iter), inside, generator.target)
            conditions += [("if", self.value(test, inside)) for test in generator.ifs]
        return Value(Kind.OPERATION, "for each", (("0", self.value(element, inside)), *conditions), node)

    # Calls

    def call(self, node: ast.Call, scope: Scope) -> Value:
        function = node.func
        given = [self.value(each, scope) for each in node.args]
        named = {each.arg or "**": self.value(each.value, scope) for each in node.keywords}
        match function:
            case ast.Name(id=name) if name in self.module.functions:
                return self.helper(self.module.functions[name], given, named, {}, node)
            case ast.Name(id="Parameter") | ast.Attribute(value=ast.Name(), attr="Parameter"):
                return Value(Kind.OPERATION, "Parameter", numbered(given[:1]), node)
            case ast.Name(id=name):
                return operation(name, given, named, node)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name):
                known = self.methods.get(name, ())
                overridden = [each for number, each in enumerate(known) if number and known[number - 1] in self.running]
                return self.helper(overridden[-1], given, named, scope, node) if overridden else Value(Kind.SUPER, at=node)
            case ast.Attribute(value=ast.Name(id="self"), attr="register_buffer" | "register_parameter" as how) if len(given) > 1:
                return self.register(how, node, given[1], named)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in self.methods:
                return self.helper(self.methods[name][0], given, named, scope, node)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                kept = (("called", scope[f"self.{name}"]),) if f"self.{name}" in scope else ()
                return Value(Kind.CALL, name, (*parts_of(name, given, named), *kept), node)
            case ast.Attribute(value=ast.Name(id=name), attr="apply") if name in self.module.classes:
                return self.applied(self.module.classes[name], given, node)
            case ast.Attribute(value=value, attr=name) if self.module.owns(value):
                return operation(name, given, named, node)
            case ast.Attribute(value=value, attr=name):
                return self.method(value, name, given, named, scope, node)
        return Value(Kind.UNKNOWN, "call", numbered(given), node)

    def method(self, value: ast.expr, name: str, given: list[Value], named: dict[str, Value], scope: Scope, node: ast.Call) -> Value:
        """Return the result of a tensor's method. A method that works in place also gives its name, or the buffer, a new value."""
        owner = self.value(value, scope)
        if name == "size" and given:
            return Value(Kind.OPERATION, "index", numbered((on_one("shape", owner, node), given[0])), node)
        if not name.endswith("_") or name.startswith("_"):
            return operation(name, [owner, *given], named, node)
        buffer = state_name(value)
        if buffer in self.module.state:
            made = given[0] if name == "copy_" and given else operation(IN_PLACE.get(name, name), [owner, *given], named, node)
            made = on_one("detach", made, node) if isinstance(value, ast.Attribute) and value.attr == "data" else made
            self.store(str(buffer), made, scope, node)
            return made
        made = operation(name, [owner, *given], named, node)
        if isinstance(value, ast.Name):
            scope[value.id] = made
        return made

    def register(self, how: str, node: ast.Call, value: Value, named: Mapping[str, Value]) -> Value:
        name = ast.unparse(node.args[0]).strip("'")
        kept = Value(Kind.NOTE, f"kept as {how.removeprefix('register_')}", at=node)
        self.effect(Kind.BEGIN, name, (("0", value), ("as", kept), *named.items()), node)
        return constant(None, node)

    def applied(self, owner: ast.ClassDef, given: list[Value], node: ast.Call) -> Value:
        """Return the result of an autograd function: that of its forward."""
        function = next((each for each in owner.body if isinstance(each, Function) and each.name == "forward"), None)
        if function is None:
            return Value(Kind.UNKNOWN, "apply", at=node)
        return self.helper(function, [Value(Kind.NAME, "ctx"), *given], {}, {}, node)

    def helper(self, function: Function, given: Sequence[Value], named: Mapping[str, Value], scope: Scope, node: ast.Call) -> Value:
        """Return the result of a function of the module for these arguments. The effects of a method count for its caller."""
        if len(self.running) >= DEEPEST:
            return Value(Kind.UNKNOWN, "call", at=node)
        self.module.called.add(function)
        inside = attributes(scope)
        for name, default in parameters(function):
            inside[name] = Value(Kind.UNKNOWN, "nothing") if default is None else self.value(default, {})
        inside |= {**dict(zip((name for name, _default in parameters(function)), given, strict=False)), **named}
        returned = self.inside(function, inside)
        scope.update(attributes(inside))
        return constant(None, node) if returned is None else returned


def attributes(scope: Scope) -> Scope:
    """Return the part of a scope that holds attributes of `self`."""
    return {name: value for name, value in scope.items() if name.startswith("self.")}
