"""The names that rules in the policy use for their logic, and the modules that hold it.

A module is loaded when a rule first asks for it: most commands need none.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND_LOGIC = {
    "adds_package": "rules_packages",
    "always": "rules_system",
    "any_disk": "rules_devices",
    "at_job": "rules_system",
    "crontab": "rules_system",
    "disk_verb": "rules_devices",
    "eval_expansion": "sources",
    "force_push": "rules_git",
    "hard_reset": "rules_git",
    "history_command": "rules_history",
    "history_file": "rules_history",
    "history_unset": "rules_history",
    "kill_by_user": "rules_system",
    "kill_everything": "rules_system",
    "launch": "rules_system",
    "make_filesystem": "rules_devices",
    "mode_option": "rules_files",
    "open_mode": "rules_files",
    "partition": "rules_devices",
    "power_message": "rules_system",
    "power_off": "rules_system",
    "power_verb": "rules_system",
    "remove": "rules_files",
    "remove_windows": "rules_files",
    "run_level": "rules_system",
    "schedule_edit": "rules_system",
    "timer": "rules_system",
}

SOURCE_LOGIC = {
    "always": "sources",
    "decodes": "sources",
    "downloads": "sources",
    "openssl_decodes": "sources",
    "jq_decodes": "sources",
    "listens": "sources",
}

EVENT_LOGIC = {
    "disk_write": "rules_devices",
    "history_assign": "rules_history",
    "history_write": "rules_history",
    "power_write": "rules_system",
    "schedule_write": "rules_system",
}

_found: dict[str, Callable[..., bool]] = {}


def logic(table: dict[str, str], name: str) -> Callable[..., bool]:
    """Return the function of that name."""
    place = table[name] + "." + name
    if place not in _found:
        module = __import__("ultra_runtime.guard." + table[name], fromlist=["*"])
        _found[place] = getattr(module, name)
    return _found[place]
