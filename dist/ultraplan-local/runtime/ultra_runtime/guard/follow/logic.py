"""The names that rules in the policy use for their logic, and the modules that hold it.

A module is loaded when a rule first asks for it: most commands need none.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND_LOGIC = {
    "adds_package": "packages",
    "always": "system",
    "any_disk": "devices",
    "at_job": "system",
    "crontab": "system",
    "disk_verb": "devices",
    "eval_expansion": "sources",
    "force_push": "git_use",
    "hard_reset": "git_use",
    "history_command": "history",
    "history_file": "history",
    "history_unset": "history",
    "kill_by_user": "system",
    "kill_everything": "system",
    "launch": "system",
    "make_filesystem": "devices",
    "mode_option": "file_use",
    "open_mode": "file_use",
    "partition": "devices",
    "power_message": "system",
    "power_off": "system",
    "power_verb": "system",
    "remove": "file_use",
    "remove_windows": "file_use",
    "run_level": "system",
    "schedule_edit": "system",
    "timer": "system",
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
    "disk_write": "devices",
    "history_assign": "history",
    "history_write": "history",
    "power_write": "system",
    "schedule_write": "system",
}

_found: dict[str, Callable[..., bool]] = {}


def logic(table: dict[str, str], name: str) -> Callable[..., bool]:
    """Return the function of that name."""
    place = table[name] + "." + name
    if place not in _found:
        module = __import__("ultra_runtime.guard.rules." + table[name], fromlist=["*"])
        _found[place] = getattr(module, name)
    return _found[place]
