"""What the generator has read stays as it was read, and a name that a value lacks cannot be set."""

from __future__ import annotations

import dataclasses
from importlib import import_module
from inspect import getmembers, isclass

from tests.kit.names import ROOT

GENERATOR = ROOT / "generator"
# They are filled while a text is read or a plugin is checked. The installer runs on Python 3.9, which has no slots.
CHANGING = {"fill._Paragraph", "fill._Reader", "check.jsontext._Level", "check.profile.Verdict"}


def test_values_are_frozen_and_have_no_room_for_other_names() -> None:
    modules = [
        path.relative_to(GENERATOR).with_suffix("") for path in sorted(GENERATOR.glob("ultra_plugin/**/*.py"))
    ]
    names = [
        ".".join(one.parts)
        for one in modules
        if "install" not in one.parts and one.name not in ("__main__", "errors")
    ]
    found = {
        f"{name.removeprefix('ultra_plugin.')}.{kind.__name__}": kind
        for name in names
        for _, kind in getmembers(import_module(name), isclass)
        if dataclasses.is_dataclass(kind) and kind.__module__ == name
    }
    assert len(found) > 90
    assert {name for name, kind in found.items() if not vars(kind)["__dataclass_params__"].frozen} == CHANGING
    assert [name for name, kind in found.items() if "__slots__" not in vars(kind)] == []
