"""What templates may ask of a contract: tables, values and codes, never spelled by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ultra_plugin.document import nearest
from ultra_plugin.errors import UltraError
from ultra_plugin.model import Contract, Verb


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an aligned Markdown table, as pleasant to read in an editor as in a browser."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (header, *rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(header))]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def contracts_table(contracts: Iterable[Contract]) -> str:
    """Return one line for each contract."""
    rows = [
        (str(c.handover), f"`{c.artifact}`", c.producer, c.consumer, f"`{c.version.current}`")
        for c in contracts
    ]
    return markdown_table(("handover", "artifact", "from", "to", "version"), rows)


def verbs_table(verbs: Iterable[Verb]) -> str:
    """Return one line for each verb of the runtime."""
    return markdown_table(("verb", "does"), [(f"`ultra {verb.usage}`", verb.summary) for verb in verbs])


class ContractView:
    """A contract as `{{ contract.<artifact> }}` shows it to a template."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self.artifact = contract.artifact
        self.title = contract.title
        self.handover = contract.handover
        self.format = contract.format
        self.producer = contract.producer
        self.consumer = contract.consumer
        self.summary = contract.summary
        self.places = contract.places
        self.modes = contract.modes
        self.rules = contract.rules
        self.version = contract.version.current
        self.version_field = contract.version.field
        self.accepts = contract.version.accepts

    def fields_table(self) -> str:
        """Return field, type, need and meaning of every field."""
        rows = [
            (f"`{name}`", self._type(name), "yes" if field.required else "no", field.means)
            for name, field in self._contract.fields.items()
        ]
        return markdown_table(("field", "type", "required", "meaning"), rows)

    def values_table(self, field: str) -> str:
        """Return the allowed values of a field and what they mean."""
        return markdown_table(
            (field, "meaning"), [(f"`{value}`", means) for value, means in self._values(field)]
        )

    def values(self, field: str) -> str:
        """Return the allowed values of a field in one line."""
        return ", ".join(f"`{value}`" for value, _ in self._values(field))

    def value(self, field: str, value: str) -> str:
        """Return one allowed value as a code span; a value that the contract does not know fails."""
        known = [word for word, _ in self._values(field)]
        return f"`{self._known(value, known, f'value of {field}')}`"

    def field(self, name: str) -> str:
        """Return a field's name as a code span; an unknown one fails."""
        return f"`{self._known(name, self._contract.fields, 'field')}`"

    def code(self, name: str) -> str:
        """Return a code as a code span; an unknown one fails."""
        return f"`{self._known(name, self._contract.codes, 'code')}`"

    def codes_table(self) -> str:
        """Return every code with its severity, meaning and remedy."""
        rows = [
            (f"`{name}`", code.severity, code.means, code.remedy)
            for name, code in self._contract.codes.items()
        ]
        return markdown_table(("code", "severity", "means", "remedy"), rows)

    def sections_table(self) -> str:
        """Return the sections of the body."""
        rows = [
            (name, "yes" if section.required else "no", section.means)
            for name, section in self._contract.sections.items()
        ]
        return markdown_table(("section", "required", "holds"), rows)

    def sections(self) -> str:
        """Return the names of the required sections in one line."""
        return ", ".join(name for name, section in self._contract.sections.items() if section.required)

    def _type(self, name: str) -> str:
        field = self._contract.fields[name]
        if name == self.version_field:
            return f"{field.type}, `{self.version}`"
        return self.values(name) if field.values else field.type

    def _values(self, field: str) -> list[tuple[str, str]]:
        self._known(field, self._contract.fields, "field")
        values = self._contract.fields[field].values
        if not values:
            raise UltraError(f"the field '{field}' of {self.artifact} has no list of allowed values")
        return list(values.items())

    def _known(self, word: str, known: Iterable[str], kind: str) -> str:
        names = tuple(known)
        if word not in names:
            raise UltraError(
                f"'{word}' is not a {kind} of the contract {self.artifact}; {nearest(word, names)}"
            )
        return word
