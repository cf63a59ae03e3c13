"""Rendered from contracts/settings.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes
from ultra_runtime.contract.rules import dependencies_are_names, hub_has_no_login, ports_are_a_range

CONTRACT = Contract(
    artifact="settings",
    title="Settings",
    prefix="SETTINGS",
    format="yaml",
    modes=Modes(write="none"),
    places=(".claude/sdd.yaml",),
    fields=(
        Field(name="setup", type="commands", required=False, items="text"),
        Field(name="setup_seconds", type="integer", required=False, minimum=10, maximum=86400, default=600),
        Field(name="proof", type="text", required=False, values={"require": "A run starts only where a clean checkout can be made, and is completed only with the proof.", "try": "Without a clean checkout a run says why and can be completed, but no audit passes; a setup that fails makes it partial.", "off": "No clean checkout is made; every answer about the result says so."}, default="try"),
        Field(name="dependencies", type="list", required=False, items="text", default=("node_modules", "bower_components", ".venv", "venv", ".pixi", "vendor", ".bundle", "Pods", "Carthage", "deps", ".yarn",)),
        Field(name="ports", type="list", required=False, minimum=1024, maximum=65535, items="integer"),
        Field(name="hub", type="text", required=False),
        Field(name="worker_setup", type="commands", required=False, items="text"),
        Field(name="ssh", type="object", required=False, fields=(Field(name="hosts", type="list", required=False, items="text"), Field(name="host_group", type="text", required=False), Field(name="options", type="list", required=False, items="text"),)),
        Field(name="slurm", type="object", required=False, fields=(Field(name="partition", type="text", required=False), Field(name="time", type="text", required=False), Field(name="options", type="list", required=False, items="text"),)),
        Field(name="limits", type="object", required=False, fields=(Field(name="attempts", type="integer", required=False, minimum=2, maximum=9), Field(name="command_seconds", type="integer", required=False, minimum=10, maximum=86400), Field(name="test_first_seconds", type="integer", required=False, minimum=10, maximum=86400), Field(name="proof_seconds", type="integer", required=False, minimum=10, maximum=86400), Field(name="finish_seconds", type="integer", required=False, minimum=1, maximum=86400), Field(name="checkout_seconds", type="integer", required=False, minimum=10, maximum=86400), Field(name="lost_seconds", type="integer", required=False, minimum=4, maximum=86400), Field(name="queue_seconds", type="integer", required=False, minimum=1, maximum=2592000),)),
    ),
    rules=(dependencies_are_names, hub_has_no_login, ports_are_a_range,),
    codes={
        "SETTINGS_NOT_FOUND": Code(name="SETTINGS_NOT_FOUND", severity="error", remedy="Nothing; without it the defaults apply."),
        "SETTINGS_READ_ERROR": Code(name="SETTINGS_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "SETTINGS_PARSE_ERROR": Code(name="SETTINGS_PARSE_ERROR", severity="error", remedy="Write one key per line: a value, a list, or under limits, ssh and slurm one key per line."),
        "SETTINGS_BAD_TYPE": Code(name="SETTINGS_BAD_TYPE", severity="error", remedy="Write a value of that type, or leave the key out."),
        "SETTINGS_BAD_VALUE": Code(name="SETTINGS_BAD_VALUE", severity="error", remedy="Write an allowed value, or leave the key out."),
        "SETTINGS_UNKNOWN_FIELD": Code(name="SETTINGS_UNKNOWN_FIELD", severity="error", remedy="Correct its name, or remove it."),
    },
)
