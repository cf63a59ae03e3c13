"""Give templates the tables, values, codes and skeletons of contracts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from ultra_plugin.artifact import Code, Contract, Field, Gate, Output, Part, Version
from ultra_plugin.declared import Limit
from ultra_plugin.document import nearest
from ultra_plugin.errors import NotKnown, UltraError
from ultra_plugin.model import Plugin, Verb
from ultra_plugin.rules import Policy, Rule
from ultra_plugin.skeleton import gate_block, output_block, part_skeleton, skeleton


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an aligned Markdown table."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (header, *rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(header))]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def heading_anchor(heading: str) -> str:
    """Return the anchor of a heading: lower case, hyphens, no punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def contracts_table(contracts: Iterable[Contract]) -> str:
    """Return one line for each contract."""
    rows = []
    for one in contracts:
        version = (f"`{one.version.field}`", f"`{one.version.current}`") if one.version else ("none", "none")
        rows.append(
            (str(one.handover), f"`{one.artifact}`", one.producer, ", ".join(one.consumers), *version)
        )
    return markdown_table(("handover", "artifact", "from", "to", "version field", "current"), rows)


def stability_table(contracts: Iterable[Contract]) -> str:
    """Return how far each handover can be relied on."""
    rows = [
        (f"{one.handover}. {one.title}", one.stability.strength, one.stability.owner, one.stability.risk)
        for one in contracts
    ]
    return markdown_table(("handover", "validation", "owner", "risk"), rows)


def codes_table(codes: Mapping[str, Code]) -> str:
    """Return every code with its severity, meaning and remedy."""
    rows = [(f"`{name}`", _severity(code), code.means, code.remedy) for name, code in codes.items()]
    return markdown_table(("code", "severity", "means", "remedy"), rows)


def _severity(code: Code) -> str:
    return "error, soft: warning" if code.soft else code.severity


def verbs_table(verbs: Iterable[Verb], launcher: str) -> str:
    """Return one line per verb of the runtime."""
    return markdown_table(("verb", "does"), [(f"`{launcher} {verb.name}`", verb.summary) for verb in verbs])


def fields_table(fields: Mapping[str, Field], version: Version | None = None) -> str:
    """Return field, type, need and meaning of every field; inner fields have dotted names."""
    current = {version.field: version.current} if version else {}
    rows = [
        (f"`{name}`", _type(field, current.get(name)), "yes" if field.required else "no", field.means)
        for name, field in _flat(fields)
    ]
    return markdown_table(("field", "type", "required", "meaning"), rows)


def _flat(fields: Mapping[str, Field], above: str = "") -> Iterable[tuple[str, Field]]:
    for name, field in fields.items():
        yield above + name, field
        inside = "[]" if field.type == "list" else ""
        yield from _flat(field.fields, f"{above}{name}{inside}.")
        yield from _flat(field.entries, f"{above}{name}.N.")


def _type(field: Field, version: int | str | None) -> str:
    if version is not None:
        return f"{field.type}, `{version}`"
    words: str = "text or list of text" if field.type == "commands" else field.type
    if field.values:
        words = _code_spans(field.values)
    elif field.type == "list" and field.items:
        words = f"list of {field.items}"
    if field.minimum is not None and field.maximum is not None:
        words += f", {field.minimum} to {field.maximum}"
    elif field.minimum is not None:
        words += f", at least {field.minimum}"
    if field.default is not None:
        shown = ", ".join(field.default) if isinstance(field.default, tuple) else field.default
        words += f"; default: {shown}"
    return f"{words}, {field.form}" if field.form and not field.entries else words


def limits_table(limits: Mapping[str, Limit]) -> str:
    """Return every limit with its value and what it means."""
    rows = [
        (
            f"`{name}`",
            _amount(limit),
            limit.means,
        )
        for name, limit in limits.items()
    ]
    return markdown_table(("limit", "value", "means"), rows)


def _amount(limit: Limit) -> str:
    if limit.unit == "port":
        return f"port {limit.value}"  # a number that counts nothing
    return f"{limit.value:,} {limit.unit.removesuffix('s') if limit.value == 1 else limit.unit}"


class _View:
    """A value as templates see it: its own fields, and what the class adds."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._value, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self._value)]


class AgentView(_View):
    """An agent as templates see it."""

    def __init__(self, plugin: Plugin, key: str) -> None:
        super().__init__(plugin.roles[key])
        self.name = plugin.agents[key]
        self.spawned = f"{plugin.settings.name}:{self.name}"

    @property
    def asked(self) -> str:
        """Return what it looks for; fail if its header has no `asked`."""
        return str(self._value.asked or _lacking(f"the header of the agent '{self.name}' has no 'asked'"))


class PartView(_View):
    """A repeated part of a body as templates see it."""

    def __init__(self, name: str, part: Part) -> None:
        super().__init__(part)
        self.name = name
        self.heading = f"{'#' * part.level} {part.heading}"

    def fields_table(self) -> str:
        """Return the fields, which are list items below the heading."""
        return fields_table(self._value.fields)

    def fields_line(self) -> str:
        """Return the fields in one line, each with its allowed values."""
        fields = self._value.fields.items()
        return ", ".join(f"{name} ({', '.join(one.values)})" if one.values else name for name, one in fields)


class GateView(_View):
    """A gate as templates see it."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(gate)
        self._gate = gate
        self.dimensions = len(gate.dimensions)

    @property
    def rework_at(self) -> int:
        """Return the score at or below which a plan must be fixed."""
        rework_at = self._gate.rework_at
        return _lacking("the gate has no rework_at") if rework_at is None else rework_at

    def bar(self, dimension: str) -> int:
        """Return the least passing score of a dimension; an unknown one fails."""
        known = _known(dimension, self._gate.dimensions, "dimension of the gate")
        return self._gate.dimensions[known].passes_at or self._gate.passes_at

    def scale_table(self) -> str:
        """Return the meaning of each score, best first."""
        scale = self._gate.scale or _lacking("the gate has no scale")
        return markdown_table(("score", "means"), sorted(scale.items(), reverse=True))

    def table(self) -> str:
        """Return each dimension with its detail list and the least score that passes."""
        rows = [
            (f"`{name}`", one.means, f"`{one.detail}`", str(self.bar(name)))
            for name, one in self._gate.dimensions.items()
        ]
        return markdown_table(("dimension", "asks", "detail list", "passes at"), rows)

    def verdicts(self) -> str:
        """Return the verdicts in one line."""
        return _code_spans(self._gate.verdicts)

    def verdict(self, name: str) -> str:
        """Return one verdict as a code span; an unknown one fails."""
        return f"`{_known(name, self._gate.verdicts, 'verdict of the gate')}`"


class OutputView(_View):
    """The output block of an agent as templates see it."""

    def __init__(self, output: Output, contracts: Mapping[str, Contract]) -> None:
        super().__init__(output)
        gates = (one.gate for one in contracts.values() if one.artifact == output.gate)
        self._gate = output.scores or next(gates, None)

    def block(self) -> str:
        """Return the block to fill in, in its fence."""
        return f"```json\n{gate_block(self._gate) if self._gate else output_block(self._value)}\n```"

    @property
    def gate(self) -> GateView:
        """Return the gate that reads the block."""
        return GateView(self._gate or _lacking(f"the output {self._value.output} has no gate"))

    def values_table(self, *path: str) -> str:
        """Return the allowed values of a key, named by its path, one per line."""
        fields: Mapping[str, Field] = self._value.fields
        values: Mapping[str, str] = {}
        for name in path:
            field = fields[_known(name, fields, f"key of the output {self._value.output}")]
            fields, values = field.fields, field.values or {}
        return markdown_table((path[-1], "is"), [(f"`{value}`", means) for value, means in values.items()])

    def most(self, name: str) -> int:
        """Return how many entries a list may have."""
        most = self._value.fields[_known(name, self._value.fields, "key of the output")].maximum
        return int(most or _lacking(f"the list {name} of {self._value.output} has no maximum"))


class ContractView(_View):
    """A contract as `{{ contract.<artifact> }}` shows it to a template."""

    def __init__(self, contract: Contract) -> None:
        super().__init__(contract)
        self._contract = contract
        self.consumer = ", ".join(contract.consumers)
        self.version = contract.version.current if contract.version else None
        self.version_field = contract.version.field if contract.version else None
        self.accepts = contract.version.accepts if contract.version else ()
        self.parts = [PartView(name, part) for name, part in contract.parts.items()]
        self.blocks = {name: (one.means, fields_table(one.fields)) for name, one in contract.blocks.items()}
        self.has_stats = bool(contract.stats)
        self.gate = GateView(contract.gate) if contract.gate else None

    def fields_table(self) -> str:
        """Return field, type, need and meaning of every field."""
        return fields_table(self._contract.fields, self._contract.version)

    def stats_table(self) -> str:
        """Return what the stats line of the producing stage may hold."""
        return fields_table(self._contract.stats)

    def moves(self) -> list[tuple[str, str, str]]:
        """Return field, value and next values of every field that is a state machine."""
        return [
            (name, f"`{before}`", " or ".join(f"`{after}`" for after in moves))
            for name, field in self._contract.fields.items()
            for before, moves in field.moves.items()
        ]

    def skeleton(self, *without: str) -> str:
        """Return the artifact as a text to fill in, without the named sections and fields."""
        for name in without:
            self._known(name, {**self._contract.sections, **self._contract.fields}, "section or field")
        return skeleton(self._contract, without=without)

    def outline(self, *without: str) -> str:
        """Return the skeleton without what each section is for."""
        self.skeleton(*without)
        return skeleton(self._contract, without=without, explained=False)

    def template(self, part: str, number: int = 1) -> str:
        """Return one part of the body, such as a step, as a text to fill in."""
        return part_skeleton(self._contract, self._known(part, self._contract.parts, "part"), number)

    def values_table(self, field: str, part: str | None = None) -> str:
        """Return the allowed values of a field, or of a field of a part, and what they mean."""
        rows = [(f"`{value}`", means) for value, means in self._values(field, part)]
        return markdown_table((field, "meaning"), rows)

    def values(self, field: str, part: str | None = None) -> str:
        """Return the allowed values of a field, or of a field of a part, in one line."""
        return _code_spans(value for value, _ in self._values(field, part))

    def value(self, field: str, value: str, part: str | None = None) -> str:
        """Return one allowed value as a code span; a value that the contract does not know fails."""
        known = [word for word, _ in self._values(field, part)]
        return f"`{self._known(value, known, f'value of {field}')}`"

    def field(self, name: str) -> str:
        """Return a field's name as a code span; an unknown one fails."""
        return f"`{self._known(name, self._contract.fields, 'field')}`"

    def code(self, name: str) -> str:
        """Return a code as a code span; an unknown one fails."""
        return f"`{self._known(name, self._contract.codes, 'code')}`"

    def section(self, name: str) -> str:
        """Return the heading of a section as a code span; an unknown one fails."""
        return f"`## {self._known(name, self._contract.sections, 'section')}`"

    def codes_table(self) -> str:
        """Return every code with its severity, meaning and remedy."""
        return codes_table(self._contract.codes)

    def sections_table(self) -> str:
        """Return the sections of the body."""
        rows = [
            (" / ".join([name, *section.names.values()]), "yes" if section.required else "no", section.means)
            for name, section in self._contract.sections.items()
        ]
        return markdown_table(("section", "required", "holds"), rows)

    def sections(self) -> str:
        """Return the names of the required sections in one line."""
        return ", ".join(name for name, section in self._contract.sections.items() if section.required)

    def sections_in(self, language: str) -> str:
        """Return the names of all sections in a language, in their order."""
        return ", ".join(
            section.names.get(language, name) for name, section in self._contract.sections.items()
        )

    def _values(self, field: str, part: str | None = None) -> list[tuple[str, str]]:
        fields = self._contract.fields
        if part is not None:
            fields = self._contract.parts[self._known(part, self._contract.parts, "part")].fields
        values = fields[self._known(field, fields, "field")].values
        if not values:
            raise UltraError(f"the field '{field}' of {self.artifact} has no list of allowed values")
        return list(values.items())

    def _known(self, word: str, known: Iterable[str], kind: str) -> str:
        return _known(word, known, f"{kind} of the contract {self.artifact}")


class PolicyView:
    """The policy as `{{ policy }}` shows it to a template."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def commands_table(self, verdict: str) -> str:
        """Return the rules of commands that have one verdict."""
        return _rules_table(rule for rule in self._policy.commands if rule.verdict == verdict)

    def paths_table(self) -> str:
        """Return the rules of paths."""
        return _rules_table(self._policy.paths)

    def rules_table(self) -> str:
        """Return every rule with its alternative."""
        rules = (*self._policy.commands, *self._policy.paths)
        rows = [(f"`{rule.id}`", rule.verdict, rule.title, rule.instead) for rule in rules]
        return markdown_table(("rule", "verdict", "what", "instead"), rows)

    def packs_table(self) -> str:
        """Return the rules of the packs, and the calls that they list."""
        rows = [
            (f"`{name}`", f"`{rule.id}`", rule.title, _calls(rule.calls), rule.instead)
            for name, pack in self._policy.packs.items()
            for rule in pack.rules
        ]
        return markdown_table(("pack", "rule", "what", "calls", "instead"), rows)

    def patterns_table(self) -> str:
        """Return the paths that the rules name, and their exceptions."""
        rows = [
            (f"`{rule.id}`", _code_spans(rule.patterns), _code_spans(rule.unless) or "none")
            for rule in self._policy.paths
            if rule.patterns
        ]
        return markdown_table(("rule", "paths", "except"), rows)

    def dropped(self) -> str:
        """Return the variables that a plan's commands do not get, and the exceptions."""
        dropped = self._policy.environment.dropped
        return f"{_code_spans(dropped.names)}, except {_code_spans(dropped.unless)}"

    def varying(self) -> str:
        """Return the variables that may differ from call to call."""
        return _code_spans(self._policy.environment.varying.names)


def _rules_table(rules: Iterable[Rule]) -> str:
    rows = [(f"`{rule.id}`", rule.title, rule.why, rule.instead) for rule in rules]
    return markdown_table(("rule", "what", "why", "instead"), rows)


def _calls(calls: Iterable[str]) -> str:
    """Return calls as one cell; of a command with many names, only the first three."""
    shown = []
    for call in calls:
        names, blank, rest = call.partition(" ")
        several = names.split("|")
        shown.append("/".join(several[:3]) + ("/..." if len(several) > 3 else "") + blank + rest)
    return _code_spans(shown)


def _code_spans(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _known(word: str, known: Iterable[str], kind: str) -> str:
    names = tuple(known)
    if word not in names:
        raise NotKnown(f"'{word}' is not a {kind}", nearest(word, names))
    return word


def _lacking(message: str) -> NoReturn:
    raise UltraError(message)
