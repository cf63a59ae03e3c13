"""Merge a patch into YAML data: mappings by key, rules by id, with $remove, $before and $after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.overlay.values import Value

REMOVE, BEFORE, AFTER = "$remove", "$before", "$after"
_ORDERS = (REMOVE, BEFORE, AFTER)
ID = "id"


class Merge:
    """One patched file: the merged value, what it overrides, and what is wrong with the patch."""

    def __init__(self, base: Value, patch: Value) -> None:
        self.problems: list[Problem] = []
        self.overridden: dict[str, Value] = {}
        """Part (keys and ids joined by slashes) -> the value below the patch."""
        self.value = self._merged(base, patch, "")

    def _merged(self, base: Value, patch: Value, part: str) -> Value:
        if isinstance(base.content, Mapping) and isinstance(patch.content, Mapping):
            return self._mapping(base, patch, part)
        if base.items and isinstance(patch.content, tuple) and _have_ids((*base.items, *patch.items)):
            return self._rules(base, patch, part)
        if isinstance(base.content, tuple) and patch.pairs and not {*patch.pairs} - {*_ORDERS}:
            return self._edited(base, patch, part)
        self.overridden[part] = base
        return self._new(patch)

    def _mapping(self, base: Value, patch: Value, part: str) -> Value:
        pairs = dict(base.pairs)
        for asked in _listed(patch.pairs.get(REMOVE)):
            if self._is_known(asked, pairs, "removes", part):
                self.overridden[_below(part, asked.text)] = pairs.pop(asked.text)
        for key, value in patch.pairs.items():
            if key in _ORDERS:
                continue
            below = _below(part, key)
            pairs[key] = self._merged(pairs[key], value, below) if key in pairs else self._new(value)
            if isinstance(pairs[key].content, Mapping):  # in a list they say where to put items
                self._order(pairs, key, value, part)
        return Value(pairs, base.place)

    def _rules(self, base: Value, patch: Value, part: str) -> Value:
        pairs = {item.pairs[ID].text: item for item in base.items}
        for item in patch.items:
            name = item.pairs[ID]
            below = _below(part, name.text)
            if REMOVE in item.pairs:
                if self._is_known(name, pairs, "removes", part):
                    self.overridden[below] = pairs.pop(name.text)
                continue
            if name.text in pairs:
                rest = {key: value for key, value in item.pairs.items() if key != ID}
                pairs[name.text] = self._merged(pairs[name.text], Value(rest, item.place), below)
            else:
                pairs[name.text] = self._new(item)
            self._order(pairs, name.text, item, part)
        return Value(tuple(pairs.values()), base.place)

    def _edited(self, base: Value, patch: Value, part: str) -> Value:
        """Return a list with items removed, and others put before and after the rest."""
        self.overridden[part] = base
        known = [item.text for item in base.items]
        gone = {
            asked.text
            for asked in _listed(patch.pairs.get(REMOVE))
            if self._is_known(asked, known, "removes", part)
        }
        kept = [item for item in base.items if item.text not in gone]
        before, after = (map(self._new, _listed(patch.pairs.get(key))) for key in (BEFORE, AFTER))
        return Value((*before, *kept, *after), base.place)

    def _order(self, pairs: dict[str, Value], key: str, value: Value, part: str) -> None:
        """Move a key before or after the one that its patch names."""
        for order in (BEFORE, AFTER):
            anchor = value.pairs.get(order)
            if anchor is None or not self._is_known(anchor, pairs, f"puts '{key}' {order[1:]}", part):
                continue
            moved = pairs.pop(key)
            names = [*pairs]
            names.insert(names.index(anchor.text) + (order == AFTER), key)
            rest = {**pairs, key: moved}
            pairs.clear()
            pairs.update({name: rest[name] for name in names})

    def _is_known(self, asked: Value, known: Iterable[str], does: str, part: str) -> bool:
        names = [name for name in known if name]
        if asked.text in names:
            return True
        where = f" in '{part}'" if part else ""
        message = f"the patch {does} '{asked.text}', which upstream does not have{where}"
        self.problems.append(Problem(*asked.place, "unknown-key", message, nearest(asked.text, names)))
        return False

    def _new(self, value: Value) -> Value:
        """Return an added value without its orders; an order that has nothing to remove is a problem."""
        if removes := value.pairs.get(REMOVE):
            message = f"'{REMOVE}' has nothing to remove here"
            self.problems.append(
                Problem(*removes.place, "unknown-key", message, "name a key that upstream has")
            )
        if value.pairs:
            pairs = {key: self._new(part) for key, part in value.pairs.items() if key not in _ORDERS}
            return Value(pairs, value.place)
        return Value(tuple(map(self._new, value.items)), value.place) if value.items else value


def _have_ids(items: Sequence[Value]) -> bool:
    return all(ID in item.pairs for item in items)


def _listed(value: Value | None) -> Iterator[Value]:
    """Yield the items of a list, or the one value."""
    if value is not None:
        yield from value.items if isinstance(value.content, tuple) else (value,)


def _below(part: str, key: str) -> str:
    return f"{part}/{key}" if part else key
