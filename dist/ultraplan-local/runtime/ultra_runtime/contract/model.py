"""The contract of an artifact as plain values; its rendered table makes them at import."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.rendered import table, table_names
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ultra_runtime.contract.result import Report
    from ultra_runtime.contract.subject import Subject


class Version:
    """The field that carries an artifact's version, the current one and the older ones still read."""

    __slots__ = ("accepts", "block", "current", "field", "legacy")

    def __init__(
        self,
        field: str,
        current: object,
        accepts: tuple[object, ...] = (),
        legacy: bool = False,
        block: str = "",
    ) -> None:
        self.field = field
        self.current = current
        self.accepts = accepts
        self.legacy = legacy
        self.block = block


class Field:
    """One field: its type, whether it is required, and its allowed values."""

    __slots__ = (
        "code", "default", "entries", "fields", "form", "items", "legacy", "maximum", "means", "minimum", "missing", "moves",
        "name", "nullable", "required", "type", "type_code", "values",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        type: str,  # noqa: A002
        required: bool,
        means: str,
        values: Mapping[str, str] | None = None,
        minimum: int | None = None,
        maximum: int | None = None,
        form: str = "",
        items: str = "",
        nullable: bool = False,
        code: str = "",
        type_code: str = "",
        missing: str = "",
        default: int | str | tuple[str, ...] | None = None,
        legacy: Mapping[str, str] | None = None,
        moves: Mapping[str, tuple[str, ...]] | None = None,
        fields: tuple[Field, ...] = (),
        entries: tuple[Field, ...] = (),
    ) -> None:
        self.name = name
        self.type = type
        self.required = required
        self.means = means
        self.values = values
        self.minimum = minimum
        self.maximum = maximum
        self.form = form
        self.items = items
        self.nullable = nullable
        self.code = code
        self.type_code = type_code or code
        self.missing = missing
        self.default = default
        self.legacy = legacy
        self.moves = moves
        self.fields = fields
        self.entries = entries


class Section:
    """One section of the body, and the fields that it has as list items."""

    __slots__ = ("fields", "means", "mild", "name", "required")

    def __init__(
        self, name: str, required: bool, means: str, fields: tuple[Field, ...] = (), mild: bool = False
    ) -> None:
        self.name = name
        self.required = required
        self.means = means
        self.fields = fields
        self.mild = mild


class Part:
    """A piece that the body repeats under headings of one form."""

    __slots__ = (
        "code", "count_code", "counted_by", "fields", "heading", "level", "listed_by", "means", "name", "under",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        heading: str,
        under: tuple[str, ...],
        level: int,
        means: str,
        fields: tuple[Field, ...],
        code: str = "",
        counted_by: str = "",
        count_code: str = "",
        listed_by: str = "",
    ) -> None:
        self.name = name
        self.heading = heading
        self.under = under
        self.level = level
        self.means = means
        self.fields = fields
        self.code = code
        self.counted_by = counted_by
        self.count_code = count_code
        self.listed_by = listed_by


class Block:
    """A fenced block of YAML, named by its top key."""

    __slots__ = ("fields", "means", "name")

    def __init__(self, name: str, means: str, fields: tuple[Field, ...]) -> None:
        self.name = name
        self.means = means
        self.fields = fields


class Modes:
    """How the artifact is validated when it is written and read, and what makes writing soft."""

    __slots__ = ("draft", "read", "soft_when", "write")

    def __init__(
        self, write: str, read: str, soft_when: Mapping[str, str] | None = None, draft: bool = False
    ) -> None:
        self.write = write
        self.read = read
        self.soft_when = soft_when or {}
        self.draft = draft


class Dimension:
    """One thing that a gate scores, the list that says what is wrong, and the least score that passes."""

    __slots__ = ("detail", "detail_fields", "name", "passes_at")

    def __init__(self, name: str, detail: str, detail_fields: tuple[str, ...], passes_at: int) -> None:
        self.name = name
        self.detail = detail
        self.detail_fields = detail_fields
        self.passes_at = passes_at


class Gate:
    """The arithmetic by which scores let a draft through."""

    __slots__ = (
        "degraded_score", "degraded_verdict", "detail_at", "dimensions", "hard", "highest", "lowest", "passes_at",
        "rounds", "tie_order", "verdicts",
    )  # fmt: skip

    def __init__(
        self,
        lowest: int,
        highest: int,
        passes_at: int,
        detail_at: int,
        rounds: int,
        degraded_score: int,
        degraded_verdict: str,
        tie_order: tuple[str, ...],
        verdicts: Mapping[str, str],
        dimensions: tuple[Dimension, ...],
        hard: tuple[str, ...] = (),
    ) -> None:
        self.hard = hard
        self.lowest = lowest
        self.highest = highest
        self.passes_at = passes_at
        self.detail_at = detail_at
        self.rounds = rounds
        self.degraded_score = degraded_score
        self.degraded_verdict = degraded_verdict
        self.tie_order = tie_order
        self.verdicts = verdicts
        self.dimensions = dimensions


class Output:
    """The json block that ends an agent's answer: its keys, the artifact whose gate reads it, or its own gate."""

    __slots__ = ("fields", "gate", "name", "scores", "weights")

    def __init__(
        self,
        name: str,
        fields: tuple[Field, ...],
        gate: str = "",
        weights: Mapping[str, int] | None = None,
        scores: Gate | None = None,
    ) -> None:
        self.scores = scores
        self.name = name
        self.fields = fields
        self.gate = gate
        self.weights = weights or {}


class Code:
    """One stable code; a soft one is a warning under --soft."""

    __slots__ = ("means", "name", "remedy", "severity", "soft")

    def __init__(self, name: str, severity: str, means: str, remedy: str, soft: bool = False) -> None:
        self.name = name
        self.severity = severity
        self.means = means
        self.remedy = remedy
        self.soft = soft


class Contract:
    """Everything that is required of one artifact."""

    __slots__ = (
        "artifact", "blocks", "codes", "fields", "files", "forbidden_headings", "format", "gate", "modes", "parts", "places",
        "prefix", "rules", "sections", "stats", "title", "version",
    )  # fmt: skip

    def __init__(
        self,
        artifact: str,
        title: str,
        prefix: str,
        format: str,  # noqa: A002
        codes: tuple[Code, ...],
        version: Version | None = None,
        fields: tuple[Field, ...] = (),
        rules: tuple[Callable[[Report, Subject], None], ...] = (),
        modes: Modes | None = None,
        places: tuple[str, ...] = (),
        sections: tuple[Section, ...] = (),
        parts: tuple[Part, ...] = (),
        blocks: tuple[Block, ...] = (),
        files: Mapping[str, str] | None = None,
        forbidden_headings: tuple[str, ...] = (),
        stats: tuple[Field, ...] = (),
        gate: Gate | None = None,
    ) -> None:
        self.artifact = artifact
        self.title = title
        self.prefix = prefix
        self.format = format
        self.codes = {code.name: code for code in codes}
        self.version = version
        self.fields = fields
        self.rules = rules
        self.modes = modes or Modes("strict", "strict")
        self.places = places
        self.sections = sections
        self.parts = parts
        self.blocks = blocks
        self.files = files or {}
        self.forbidden_headings = forbidden_headings
        self.stats = stats
        self.gate = gate

    def code(self, *names: str) -> Code:
        """Return the first of these codes that is listed, named whole or without the artifact's prefix.

        Codes of no artifact (FM_..., SECRET_FOUND) are in the common table.
        """
        for name in names:
            found = self.codes.get(f"{self.prefix}_{name}") or self.codes.get(name) or common_code(name)
            if found:
                return found
        raise LookupError(f"the contract of {self.artifact} lists no code {' or '.join(names)}")

    def field(self, name: str) -> Field:
        """Return the field of that name."""
        return _named(self.fields, name, f"the contract of {self.artifact} has no field {name}")

    def part(self, name: str) -> Part:
        """Return the repeated piece of that name."""
        for part in self.parts:
            if part.name == name:
                return part
        raise LookupError(f"the contract of {self.artifact} has no part {name}")

    def block(self, name: str) -> Block:
        """Return the fenced block of that name."""
        for block in self.blocks:
            if block.name == name:
                return block
        raise LookupError(f"the contract of {self.artifact} has no block {name}")


def _named(fields: tuple[Field, ...], name: str, otherwise: str) -> Field:
    for field in fields:
        if field.name == name:
            return field
    raise LookupError(otherwise)


def common_code(name: str) -> Code | None:
    """Return a code that every artifact can get; its table is loaded on first use."""
    if not name.startswith(("FM_", "SECRET_")):
        return None
    codes: tuple[Code, ...] = table("common").CODES
    return {code.name: code for code in codes}.get(name)


class UnknownKindError(RefusedError):
    """This plugin has no artifact of that name."""

    def __init__(self, kind: str) -> None:
        known = ", ".join(contract_kinds())
        super().__init__(f"this plugin has no artifact {one_line(kind)}", f"use one of: {known}")


def load_contract(kind: str) -> Contract:
    """Return the contract of an artifact, named as in `validate KIND`."""
    name = kind.replace("-", "_")
    found = table(name) if "_" not in kind and name in table_names() else None
    contract: Contract | None = getattr(found, "CONTRACT", None)
    if contract is None:
        raise UnknownKindError(kind)
    return contract


def contract_kinds() -> list[str]:
    """Return the kinds that `load_contract` knows."""
    return [name.replace("_", "-") for name in table_names() if hasattr(table(name), "CONTRACT")]
