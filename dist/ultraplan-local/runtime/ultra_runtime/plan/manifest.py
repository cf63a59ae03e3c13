"""Read the YAML block of a manifest and check it against its contract, or generate one for a legacy step."""

from __future__ import annotations

from ultra_runtime.contract.field_types import shown
from ultra_runtime.plan.values import Manifest, Plan, Step
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.text.yaml_mapping import MappingError, MappingReader, clean
from ultra_runtime.text.yaml_value import (
    NOT_AN_ESCAPE,
    MalformedError,
    Scalar,
    is_comment,
    skip_spaces,
    typed,
)
from ultra_runtime.typed import Any
from ultra_runtime.words import listed, nearest, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract import model as contract
    from ultra_runtime.text import markdown

YAML = ("yaml", "yml")
PARSE = "MANIFEST_PARSE"
BAD_TYPE = "MANIFEST_BAD_TYPE"
MISSING_KEY = "MANIFEST_MISSING_KEY"
KINDS = {"text": "text", "integer": "a whole number, 0 or more", "boolean": "true or false", "list": "a list"}
WORDS_OF_MESSAGE = 3


def top_key(block: markdown.TextBlock) -> str:
    """Return the first key of a YAML block; empty if there is none."""
    for line in block.lines:
        at = skip_spaces(line, 0)
        if at < len(line) and not is_comment(line, at):
            name, colon, _ = line[at:].partition(":")
            return name.strip(" \"'") if colon else ""
    return ""


def is_manifest(block: markdown.TextBlock, name: str = plan_fields.BLOCK_MANIFEST) -> bool:
    """Return whether a block is YAML under that top key."""
    return block.language in ("", *YAML) and top_key(block) == name


class BlockReader:
    """Read one block and check it against its table; problems go to the plan with step and line."""

    def __init__(self, plan: Plan, table: contract.Block, step: int | None = None) -> None:
        self.plan = plan
        self.table = table
        self.step = step
        self.values: dict[str, Any] = {}
        self.patterns: list[tuple[str, int]] = []
        self.sound = True

    def read(self, block: markdown.TextBlock) -> bool:
        """Read the block and return whether it matches the table."""
        if not block.closed:
            self._add(PARSE, "the block is not closed: end it with a fence", block.line)
            return False
        first = block.line + 1
        try:
            reader = self.mapping(block)
        except MappingError as problem:
            self._add(self._code_of(problem, block), str(problem), first + problem.row)
            return False
        lines = {name: first + row for name, row in reader.row_of.items()}
        known = [field.name for field in self.table.fields]
        unknown = next((name for name in lines if name not in known), None)
        if unknown is not None:
            message = f"unknown key: {one_line(unknown)}{nearest(unknown[:80], known)}"
            self._add(PARSE, message, lines[unknown], one_line(unknown))
        missing = [field.name for field in self.table.fields if field.required and field.name not in lines]
        if missing:
            self._add(MISSING_KEY, f"the {self.table.name} has no {listed(missing)}", block.line, missing[0])
        for field in self.table.fields:
            if field.name in lines:
                rows = [first + row for row in reader.item_rows.get(field.name, ())]
                self._take(field, reader.values[field.name], lines[field.name], rows)
        return self.sound

    def _code_of(self, problem: MappingError, block: markdown.TextBlock) -> str:
        """Return the code of a block that is not YAML; a backslash of a pattern has the code of the pattern."""
        line = block.lines[problem.row] if problem.row < len(block.lines) else ""
        fields = [one for field in self.table.fields for one in (field, *field.fields)]
        codes = (one.code for one in fields if one.form == "pattern" and f"{one.name}:" in line)
        return next(codes, PARSE) if NOT_AN_ESCAPE in str(problem) else PARSE

    def mapping(self, block: markdown.TextBlock) -> MappingReader:
        """Return the keys and values of a block; raise if it is no mapping under its name."""
        lines = [clean(line, row) for row, line in enumerate(block.lines)]
        row = 0
        while row < len(lines) and (not lines[row].strip(" ") or lines[row].lstrip(" ").startswith("#")):
            row += 1
        key, colon, rest = lines[row].partition(":") if row < len(lines) else ("", "", "")
        if not colon or key.strip(" \"'") != self.table.name:
            raise MappingError(f"the block must begin with the key {self.table.name}:", min(row, len(lines)))
        if rest.strip(" ") and not rest.lstrip(" ").startswith("#"):
            raise MappingError(f"the keys of {self.table.name} must be on the lines below it, indented", row)
        reader = MappingReader(lines, row + 1, records=True)
        reader.read()
        if reader.values and (reader.indent or 0) <= skip_spaces(lines[row], 0):
            raise MappingError(f"the keys of {self.table.name} must be indented below it", row + 1)
        return reader

    def _take(self, field: contract.Field, raw: object, line: int, rows: list[int]) -> None:
        """Convert a value to its type, or report what is wrong with it."""
        try:
            if field.type != "list" or not isinstance(raw, list):
                value = self._scalar(field, field.type, raw)
            elif field.fields:
                value = [self._record(field, item) for item in raw]
            else:
                value = [self._scalar(field, field.items or "text", item) for item in raw]
        except MalformedError as problem:
            self._add(field.type_code or field.code or BAD_TYPE, str(problem), line, field.name)
            return
        self.values[field.name] = value
        if field.form == "pattern":
            self.patterns.append((str(value), line))
        for inner in field.fields:
            if inner.form == "pattern":
                places = rows if len(rows) == len(value) else [line] * len(value)
                self.patterns += [(item[inner.name], place) for item, place in zip(value, places)]

    def _scalar(self, field: contract.Field, kind: str, raw: object) -> Any:
        value = typed(raw, kind) if isinstance(raw, Scalar) else raw
        wanted = {"text": str, "integer": int, "boolean": bool}.get(kind)
        if wanted is None or type(value) is not wanted:
            raise MalformedError(f"{field.name} must be {KINDS[kind]}, not {_shown(value)}")
        if kind == "integer" and field.minimum is not None and int(str(value)) < field.minimum:
            raise MalformedError(f"{field.name} must be {KINDS[kind]}, not {value}")
        return value

    def _record(self, field: contract.Field, raw: object) -> dict[str, Any]:
        names = [inner.name for inner in field.fields]
        if not isinstance(raw, dict) or sorted(raw) != sorted(names):
            raise MalformedError(f"each item of {field.name} must have {listed(names)} and nothing else")
        return {inner.name: self._scalar(inner, inner.type, raw[inner.name]) for inner in field.fields}

    def _add(self, code: str, message: str, line: int, field: str = "") -> None:
        self.sound = False
        self.plan.add(code, message, line, self.step, field, mild=self.plan.lenient)


def _shown(value: object) -> str:
    return "a mapping" if isinstance(value, dict) else shown(value)


def generate(step: Step) -> Manifest:
    """Return the manifest generated for a legacy step."""
    words = (step.checkpoint or "").split()[:WORDS_OF_MESSAGE]
    values = {
        plan_fields.MANIFEST_EXPECTED_PATHS: step.files,
        plan_fields.MANIFEST_MIN_FILE_COUNT: len(step.files),
        plan_fields.MANIFEST_COMMIT_MESSAGE_PATTERN: escaped(" ".join(words)),
        plan_fields.MANIFEST_BASH_SYNTAX_CHECK: [path for path in step.files if path.endswith(".sh")],
        plan_fields.MANIFEST_FORBIDDEN_PATHS: (),
        plan_fields.MANIFEST_MUST_CONTAIN: (),
    }
    return Manifest(step.line, values, made_up=True)


def escaped(text: str) -> str:
    """Return a pattern that matches the text and nothing else."""
    return "".join(f"\\{letter}" if letter in "\\^$.|?*+()[]{}-#&~" else letter for letter in text)


def count_paths(plan: Plan, table: contract.Block, block: markdown.TextBlock) -> tuple[int, int] | None:
    """Return the row of expected_paths, counted from 0, and their number; nothing if the minimum is given."""
    try:
        reader = BlockReader(plan, table).mapping(block)
    except MappingError:
        return None
    paths = reader.values.get(plan_fields.MANIFEST_EXPECTED_PATHS)
    if plan_fields.MANIFEST_MIN_FILE_COUNT in reader.row_of or not isinstance(paths, list):
        return None
    return block.line + reader.row_of[plan_fields.MANIFEST_EXPECTED_PATHS], len(paths)
