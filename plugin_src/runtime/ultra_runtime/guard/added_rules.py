"""Rules that people add to the policy: packs that they turn on, and calls that they list, for themselves or a project.

Both files can only add. Nothing in them lifts a rule, so a project cannot loosen what its user has.
"""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.guard.follow.listed import split_call
from ultra_runtime.guard.policy import BLOCK, WARN
from ultra_runtime.rendered import table
from ultra_runtime.text.yaml_mapping import MappingError, MappingReader, clean
from ultra_runtime.text.yaml_value import Scalar
from ultra_runtime.words import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Listed, Texts

PACKS, RULES = "packs", "rules"
ID, CALL, WHY, INSTEAD, VERDICT = "id", "call", "why", "instead", "verdict"
LARGEST = 64 * 1024
NEEDED = (ID, CALL, WHY, INSTEAD)


class AddedRules:
    """The rules of packs and files: texts by rule, and the listed calls by command."""

    def __init__(self) -> None:
        self.rules: dict[str, Texts] = {}
        self.listed: dict[str, list[Listed]] = {}

    def turn_on(self, pack: str) -> None:
        """Add the rules of a pack."""
        for rule, (texts, calls, unless) in table("packs").PACKS[pack].items():
            self.rules[rule] = texts
            for call in calls:
                self.add(rule, call, unless)

    def add(self, rule: str, call: str, unless: tuple[str, ...] = ()) -> None:
        """Add one call of a rule."""
        names, *words = split_call(call)
        for name in names.split("|"):
            self.listed.setdefault(name, []).append((rule, words, unless))

    def may_match(self, command: str) -> bool:
        """Tell whether a command mentions anything that is listed, or may hide it."""
        return "$" in command or "`" in command or any(name in command for name in self.listed)


def added_rules(paths: list[str], packs: tuple[str, ...] = ()) -> AddedRules:
    """Return what the files of the user and the project add, and the packs that are on anyway."""
    texts = [(path, text) for path in dict.fromkeys(paths) if (text := _content(path)) is not None]
    added = AddedRules()
    for pack in packs:
        added.turn_on(pack)
    for path, text in texts:
        _read(added, path, text)
    return added


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        raise _refusal(
            path, 0, f"cannot be read: {problem.strerror}", "make it readable, or remove it"
        ) from None
    if len(data) > LARGEST:
        raise _refusal(path, 0, f"has more than {LARGEST // 1024} KiB", "leave out what you do not need")
    return data


def _read(added: AddedRules, path: str, data: bytes) -> None:
    """Add what a file says."""
    try:
        lines = data.decode("utf-8").split("\n")
        reader = MappingReader([clean(line, row) for row, line in enumerate(lines)], records=True)
        reader.read()
    except UnicodeDecodeError:
        raise _refusal(path, 0, "is not UTF-8", "save it as UTF-8") from None
    except MappingError as problem:
        raise _refusal(path, problem.row + 1, str(problem), "correct the line") from None
    for key, value in reader.values.items():
        line = reader.row_of[key] + 1
        if key not in (PACKS, RULES):
            raise _refusal(path, line, f"the key '{key}' is not known", f"use {PACKS} or {RULES}")
        if not isinstance(value, list):
            raise _refusal(path, line, f"{key} must be a list", "write one item per line, with a dash")
        rows = reader.item_rows.get(key, [])
        for at, item in enumerate(value):
            line = rows[at] + 1 if at < len(rows) else line
            if key == PACKS:
                _add_pack(added, path, line, item.text if isinstance(item, Scalar) else "")
            else:
                _add_rule(added, path, line, item)


def _add_pack(added: AddedRules, path: str, line: int, pack: str) -> None:
    packs = list(table("packs").PACKS)
    if pack not in packs:
        raise _refusal(
            path, line, f"there is no pack '{pack}'", f"use one of {', '.join(packs)}{nearest(pack, packs)}"
        )
    added.turn_on(pack)


def _add_rule(added: AddedRules, path: str, line: int, item: object) -> None:
    """Add a rule of a file, which may not have the name of one that exists."""
    if not isinstance(item, dict):
        raise _refusal(path, line, "a rule must be a mapping", f"give it {', '.join(NEEDED)}")
    given = {key: value.text for key, value in item.items()}
    for key in (*NEEDED, *given):
        if key not in (*NEEDED, VERDICT):
            raise _refusal(
                path, line, f"the key '{key}' of a rule is not known", f"use {', '.join(NEEDED)} or {VERDICT}"
            )
        if not given.get(key, "").strip():
            raise _refusal(path, line, f"the rule has no {key}", f"add '{key}:'")
    verdict = given.get(VERDICT, BLOCK)
    if verdict not in (BLOCK, WARN):
        raise _refusal(
            path, line, f"{VERDICT} must be {BLOCK} or {WARN}, not {verdict}", "a file can only add rules"
        )
    rule = given[ID]
    if rule in added.rules or rule in table("policy").RULES:
        raise _refusal(
            path, line, f"there is already a rule '{rule}'", f"choose another {ID}: a rule cannot be replaced"
        )
    added.rules[rule] = verdict, given[CALL], given[WHY], given[INSTEAD]
    added.add(rule, given[CALL])


def _refusal(path: str, line: int, what: str, remedy: str) -> RefusedError:
    return RefusedError(f"{path}{f':{line}' if line else ''}: {what}", remedy)
