"""The faults: what cosmic-ray's operators and two of ours can change in a module, and a seeded sample of it."""

from __future__ import annotations

import ast
import difflib
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import parso
from cosmic_ray.ast import ast_nodes
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Example, Operator
from cosmic_ray.plugins import get_operator

# What a tired developer confuses, one change for each sign; all pairs would be fifty for every `+`.
NAMES = [
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "AddNot",
    "ExceptionReplacer",
    "NumberReplacer",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ZeroIterationForLoop",
    "ReplaceUnaryOperator_Delete_Not",
    "ReplaceUnaryOperator_USub_UAdd",
]
NAMES += [f"ReplaceComparisonOperator_{pair}" for pair in ["Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"]]
NAMES += [f"ReplaceComparisonOperator_{pair}" for pair in ["Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt"]]
NAMES += [
    f"ReplaceBinaryOperator_{pair}"
    for pair in ["Add_Sub", "Sub_Add", "Mul_FloorDiv", "FloorDiv_Mul", "Mod_Mul"]
]
NAMES += [f"ReplaceBinaryOperator_{pair}" for pair in ["BitOr_BitAnd", "BitAnd_BitOr", "LShift_RShift"]]


class InvertMembership(Operator):  # type: ignore[misc]
    """Replace `in` by `not in`, and the other way round."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        """Return where a comparison asks for membership."""
        if node.type == "comparison" and node.children[1].get_code().split() in (["in"], ["not", "in"]):
            yield node.children[1].start_pos, node.children[1].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Ask for the opposite."""
        node.children[1] = parso.parse(" in" if "not" in node.children[1].get_code() else " not in")
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """Return what it does."""
        return (Example("a in b", "a not in b"), Example("a not in b", "a in b"))


class DeleteCall(Operator):  # type: ignore[misc]
    """Replace a call whose result nobody uses by `pass`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        """Return where a statement is a call and nothing else."""
        if node.type == "simple_stmt" and node.children[0].type == "atom_expr":
            yield node.children[0].start_pos, node.children[0].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Leave the call out."""
        node.children[0] = parso.parse(f"{node.children[0].get_first_leaf().prefix}pass")
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """Return what it does."""
        return (Example("a.save()\n", "pass\n"),)


OPERATORS = [*(get_operator(f"core/{name}")() for name in NAMES), InvertMembership(), DeleteCall()]


@dataclass(frozen=True, slots=True)
class Fault:
    """A module with one change."""

    path: str
    before: str
    after: str

    @property
    def diff(self) -> str:
        """The change as a patch."""
        texts = self.before.splitlines(), self.after.splitlines()
        return "\n".join(difflib.unified_diff(*texts, self.path, self.path, lineterm="", n=2))

    @property
    def changes(self) -> list[tuple[int, int, list[str]]]:
        """The lines from and to that are replaced, counted from 0, and what replaces them."""
        was, now = self.before.splitlines(True), self.after.splitlines(True)
        codes = difflib.SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
        return [(first, last, now[start:end]) for kind, first, last, start, end in codes if kind != "equal"]

    def is_like(self, row: dict[str, Any]) -> bool:
        """Tell whether this is one of the changes that a row describes."""
        rows = self.diff.splitlines()[2:]
        was, now = (" ".join(row[1:].strip() for row in rows if row[0] == sign) for sign in "-+")
        return self.path.endswith(f"/{row['file']}") and was == row["was"] and now in row["now"]


def are_apart(faults: Sequence[Fault]) -> bool:
    """Tell whether faults are in different lines."""
    lines = [
        (one.path, line) for one in faults for first, last, _ in one.changes for line in range(first, last)
    ]
    return len(set(lines)) == len(lines)


def combined(faults: Sequence[Fault]) -> dict[str, str]:
    """Return the text of each module with all of its faults, which are in different lines."""
    lines = {fault.path: fault.before.splitlines(True) for fault in faults}
    changes = [(fault.path, *change) for fault in faults for change in fault.changes]
    for path, first, last, now in sorted(changes, reverse=True):
        lines[path][first:last] = now
    return {path: "".join(rows) for path, rows in lines.items()}


def sample(root: Path, modules: list[Path], size: int, seed: str) -> list[Fault]:
    """Return faults at different places of these modules, all of them for size 0."""
    places = [(path, ways) for path in modules for ways in _places(path.read_text())]
    chosen = random.Random(seed)  # noqa: S311
    if size:
        chosen.shuffle(places)
    found: list[Fault] = []
    for path, ways in places:
        before = path.read_text()
        for operator, occurrence in [chosen.choice(ways)] if size else ways:
            after = _mutated(before, operator, occurrence)
            if after and _compiles(after):
                found.append(Fault(path.relative_to(root).as_posix(), before, after))
        if size and len(found) == size:
            break
    return found


def _places(text: str) -> list[list[tuple[Operator, int]]]:
    """Return the ways to change something, place by place; types are never run."""
    tree, unused = parso.parse(text), _never_run(text)
    ways = defaultdict(list)
    for operator in OPERATORS:
        positions = (place for node in ast_nodes(tree) for place in operator.mutation_positions(node))
        for occurrence, (start, _) in enumerate(positions):
            if not any(first <= start < last for first, last in unused):
                ways[start].append((operator, occurrence))
    return [ways[start] for start in sorted(ways)]


def _never_run(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return from where to where there are annotations, and imports that only they need."""
    nodes: list[Any] = []
    for node in ast.walk(ast.parse(text)):
        nodes += [getattr(node, "annotation", None), getattr(node, "returns", None)]
        first = (
            node.test
            if isinstance(node, ast.If)
            else node.targets[0]
            if isinstance(node, ast.Assign)
            else None
        )
        nodes.append(node if isinstance(first, ast.Name) and first.id == "TYPE_CHECKING" else None)
    return [
        ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)) for node in nodes if node
    ]


def _mutated(text: str, operator: Operator, occurrence: int) -> str:
    """Return a text with one change; cosmic-ray cannot replace an exception with a dotted name."""
    try:
        return mutate_code(text, operator, occurrence) or ""
    except AttributeError:
        return ""


def _compiles(text: str) -> bool:
    try:
        compile(text, "mutant", "exec")
    except (SyntaxError, SyntaxWarning):
        return False
    return True
