"""The house's rules that imports cannot show, each as one function from a module's syntax tree to its findings.

A finding is a line number and a sentence that names what to write instead. `tests/test_architecture.py` holds the
project to them and shows for each rule that it finds what it is there for.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

SET_NAMES = frozenset({"set", "frozenset", "AbstractSet", "Set", "FrozenSet", "MutableSet"})
SET_OPERATORS = (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)
ORDER_FREE = frozenset({"sorted", "min", "max", "any", "all", "sum", "set", "frozenset", "len"})
"""What gives the same whatever the order in which it is fed, as long as it is given no key."""

ITERATING_CALLS = frozenset({"list", "tuple", "iter", "enumerate", "zip", "map", "filter", "reversed", "dict", "next"})
CODE_SHAPE = re.compile(r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*")

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Finding(NamedTuple):
    """Where a rule is broken, and what to do instead."""

    line: int
    advice: str


def awaiting(tree: ast.Module) -> list[Finding]:
    """Find what can wait: the rules decide at once, with everything that they need in their arguments."""
    kinds = (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)
    advice = "rules never wait: make it a plain function and hand it what it needs; only engine/table/actor.py awaits"
    return [Finding(node.lineno, advice) for node in ast.walk(tree) if isinstance(node, kinds)]


def fractions(tree: ast.Module) -> list[Finding]:
    """Find floats and true division: chips are whole."""
    findings = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            findings.append(Finding(node.lineno, f"{node.value!r} is no whole number: count in the smallest unit"))
        elif isinstance(node, ast.Name) and node.id == "float":
            findings.append(Finding(node.lineno, "float holds no chips: write int"))
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            findings.append(Finding(node.lineno, "/ makes fractions: write divmod and name the owner of the odd chip"))
    return findings


def unordered_walks(tree: ast.Module) -> list[Finding]:
    """Find walks over a set: their order changes from run to run, and with it the events."""
    return sorted({Finding(node.lineno, _WALK_ADVICE) for node in _unordered_walks_in(tree, frozenset())})


def commits(tree: ast.Module, *, journal_may: bool = False) -> list[Finding]:
    """Find commits by anyone but the store; with `journal_may`, one asked of the journal's port is in order."""
    findings = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "commit":
            owner = _last_name(node.func.value)
            if not (journal_may and owner.lstrip("_") == "journal"):
                findings.append(
                    Finding(node.lineno, f"{owner}.commit() belongs into app/store: ask it to keep the change")
                )
    return findings


def refusal_codes(trees: dict[str, ast.Module], *, root: str = "AvenueError") -> tuple[dict[str, list[str]], list[str]]:
    """Give every code with the classes that bear it, and the names of the classes under the root that have none.

    A class may also get its code when it is made (`self.code = code`): it passes on a code of somebody else.
    """
    classes = {
        node.name: (where, node)
        for where, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    family = {root}
    while grown := {
        name
        for name, (_, node) in classes.items()
        if name not in family and family & {_last_name(b) for b in node.bases}
    }:
        family |= grown
    codes: dict[str, list[str]] = {}
    without = []
    for name in sorted(family & classes.keys()):
        where, node = classes[name]
        code = _own_code(node)
        if code is not None:
            codes.setdefault(code, []).append(f"{where}:{name}")
        elif not _passes_a_code_on(node):
            without.append(f"{where}:{name}")
    return codes, without


def imported_packages(tree: ast.Module) -> set[str]:
    """The top-level names of all that a module imports by absolute name."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            names.add(node.module.partition(".")[0])
    return names


_WALK_ADVICE = "a set has no order: walk over sorted(...) of it, or keep a tuple or a dict"


def _unordered_walks_in(scope: ast.AST, outer: frozenset[str]) -> Iterator[ast.expr]:
    """Yield the set expressions that are walked over in a scope and in the scopes inside it."""
    nodes = list(_of_this_scope(scope))
    sets = (outer - _names_bound(scope, nodes)) | _names_of_sets(scope, nodes, outer)
    excused: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and _is_order_free(node):
            excused |= {id(argument) for argument in node.args}
    for node in nodes:
        if id(node) not in excused:
            yield from (walked for walked in _walked_by(node) if _is_set(walked, sets))
    for node in nodes:
        if isinstance(node, _SCOPES):
            yield from _unordered_walks_in(node, sets)


def _of_this_scope(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield every node below a scope; of a function inside it the function itself, but not what it holds."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _of_this_scope(child)


def _names_bound(scope: ast.AST, nodes: Sequence[ast.AST]) -> set[str]:
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    if isinstance(scope, _SCOPES):
        bound |= {argument.arg for argument in _arguments(scope)}
    return bound


def _names_of_sets(scope: ast.AST, nodes: Sequence[ast.AST], outer: frozenset[str]) -> frozenset[str]:
    """The names that this scope binds to a set, as far as its annotations and assignments show."""
    found: set[str] = set()
    if isinstance(scope, _SCOPES):
        found |= {a.arg for a in _arguments(scope) if a.annotation is not None and _means_set(a.annotation)}
    for node in nodes:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _means_set(node.annotation):
            found.add(node.target.id)
        elif isinstance(node, ast.Assign) and _is_set(node.value, outer | found):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.NamedExpr) and _is_set(node.value, outer | found):
            found.add(node.target.id)
    return frozenset(found)


def _arguments(scope: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.arg]:
    arguments = scope.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _means_set(annotation: ast.expr) -> bool:
    if isinstance(annotation, ast.Subscript):
        return _means_set(annotation.value)
    if isinstance(annotation, ast.BinOp):
        return _means_set(annotation.left) or _means_set(annotation.right)
    return _last_name(annotation) in SET_NAMES


def _is_set(node: ast.expr, sets: frozenset[str] | set[str]) -> bool:
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.Name(id=name):
            return name in sets
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, SET_OPERATORS):
            return _is_set(left, sets) or _is_set(right, sets)
        case ast.IfExp(body=body, orelse=orelse):
            return _is_set(body, sets) or _is_set(orelse, sets)
        case _:
            return False


def _walked_by(node: ast.AST) -> list[ast.expr]:
    """What a node takes one by one, in the order in which it comes."""
    match node:
        case ast.For(iter=walked):
            return [walked]
        case ast.ListComp(generators=generators) | ast.GeneratorExp(generators=generators):
            return [generator.iter for generator in generators]
        case ast.DictComp(generators=generators):
            return [generator.iter for generator in generators]
        case ast.Starred(value=walked) | ast.YieldFrom(value=walked):
            return [walked]
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in ITERATING_CALLS:
            return list(arguments)
        case ast.Call(func=ast.Name(id="min" | "max" | "sorted"), args=arguments) as call if _has_key(call):
            # What is equal by its key keeps the order in which it came.
            return list(arguments)
        case ast.Call(func=ast.Attribute(attr="join" | "extend"), args=arguments):
            return list(arguments)
        case ast.Call(func=ast.Attribute(attr="pop"), args=[]) as call if isinstance(call.func, ast.Attribute):
            return [call.func.value]
        case _:
            return []


def _is_order_free(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in ORDER_FREE and not _has_key(call)


def _has_key(call: ast.Call) -> bool:
    return any(keyword.arg == "key" for keyword in call.keywords)


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=func):
            return _last_name(func)
        case _:
            return ""


def _own_code(node: ast.ClassDef) -> str | None:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(code))):
                return code
            case ast.AnnAssign(target=ast.Name(id="code"), value=ast.Constant(value=str(code))):
                return code
            case _:
                continue
    return None


def _passes_a_code_on(node: ast.ClassDef) -> bool:
    return any(
        isinstance(target, ast.Attribute) and target.attr == "code" and _last_name(target.value) == "self"
        for statement in ast.walk(node)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )
