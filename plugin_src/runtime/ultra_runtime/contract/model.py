"""The contract of an artifact as plain values; its rendered table makes them at import."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.rendered import table, table_names
from ultra_runtime.struct import EMPTY, Struct
from ultra_runtime.typed import Any, Callable, Mapping, TypeVar
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.gates import Gate
    from ultra_runtime.contract.result import Report, Subject

    Named = TypeVar("Named", "Field", "Part", "Block")


class Version(Struct):
    """The field that carries an artifact's version, the current one and the older ones still read."""

    field: str
    current: object
    accepts: tuple[object, ...] = ()


class Field(Struct):
    """One field: its type, whether it is required, and its allowed values."""

    name: str
    type: str
    required: bool
    values: Mapping[str, str] | None = None
    minimum: int | None = None
    maximum: int | None = None
    form: str = ""
    items: str = ""
    nullable: bool = False
    code: str = ""
    type_code: str = ""
    missing: str = ""
    default: int | str | tuple[str, ...] | None = None
    legacy: Mapping[str, str] | None = None
    moves: Mapping[str, tuple[str, ...]] | None = None
    fields: tuple[Field, ...] = ()
    entries: tuple[Field, ...] = ()


class Section(Struct):
    """One section of the body, and the fields that it has as list items."""

    name: str
    required: bool
    fields: tuple[Field, ...] = ()
    mild: bool = False
    names: Mapping[str, str] = EMPTY


class Part(Struct):
    """A piece that the body repeats under headings of one form."""

    name: str
    heading: str
    under: tuple[str, ...]
    level: int
    fields: tuple[Field, ...]
    code: str = ""
    counted_by: str = ""
    count_code: str = ""


class Block(Struct):
    """A fenced block of YAML, named by its top key."""

    name: str
    fields: tuple[Field, ...]


class Modes(Struct):
    """Who writes the artifact, and what makes writing soft."""

    write: str
    soft_when: Mapping[str, str] = EMPTY


class Code(Struct):
    """One stable code; a soft one is a warning under --soft."""

    name: str
    severity: str
    remedy: str
    soft: bool = False


class Contract(Struct):
    """Everything that is required of one artifact."""

    artifact: str
    title: str
    prefix: str
    format: str
    codes: Mapping[str, Code]
    modes: Modes
    version: Version | None = None
    fields: tuple[Field, ...] = ()
    rules: tuple[Callable[[Report, Subject], None], ...] = ()
    places: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    parts: tuple[Part, ...] = ()
    blocks: tuple[Block, ...] = ()
    files: Mapping[str, str] = EMPTY
    forbidden_headings: tuple[str, ...] = ()
    stats: tuple[Field, ...] = ()
    gate: Gate | None = None
    reader: str = ""
    """The module that checks the body, for a body with its own grammar."""

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
        return _named(self.fields, name, self.artifact)

    def part(self, name: str) -> Part:
        """Return the repeated piece of that name."""
        return _named(self.parts, name, self.artifact)

    def block(self, name: str) -> Block:
        """Return the fenced block of that name."""
        return _named(self.blocks, name, self.artifact)


def _named(items: tuple[Named, ...], name: str, artifact: str) -> Named:
    for item in items:
        if item.name == name:
            return item
    raise LookupError(f"the contract of {artifact} has no {name}")


def current_version(kind: str) -> Any:
    """Return the version that an artifact of this kind is written with."""
    version = load_contract(kind).version
    return version.current if version else None


def common_code(name: str) -> Code | None:
    """Return a code that every artifact can get; its table is loaded on first use."""
    found: Code | None = table("common").CODES.get(name) if name.startswith(("FM_", "SECRET_")) else None
    return found


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
