"""Rendered from contracts/settings.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes
from ultra_runtime.contract.rules import dependencies_are_names, ports_are_a_range

CONTRACT = Contract(
    artifact="settings",
    title="Settings",
    prefix="SETTINGS",
    format="yaml",
    modes=Modes(write="none", read="strict"),
    places=(".claude/ultra.yaml",),
    fields=(
        Field(name="setup", type="commands", required=False, means="What makes a fresh checkout ready, for example `npm ci`; in a list, each command after the one before succeeded.", items="text"),
        Field(name="setup_seconds", type="integer", required=False, means="How long the setup may take.", minimum=10, maximum=86400, default=600),
        Field(name="proof", type="text", required=False, means="Whether the result of a run is proved in a clean checkout.", values={"require": "A run starts only where a clean checkout can be made, and is completed only with the proof.", "try": "Where no clean checkout can be made, the run says why and goes on without the proof.", "off": "There is no clean checkout; the summary says so."}, default="try"),
        Field(name="dependencies", type="list", required=False, means="Names of folders with installed dependencies, which a working copy gets as you have them; [] for none.", items="text", default=("node_modules", "bower_components", ".venv", "venv", ".pixi", "vendor", ".bundle", "Pods", "Carthage", "deps", "elm-stuff", ".yarn",)),
        Field(name="ports", type="list", required=False, means="The first and the last port that working copies may use, so that several can run at a time.", minimum=1024, maximum=65535, items="integer"),
        Field(name="limits", type="object", required=False, means="Limits that differ from those of the plugin.", fields=(Field(name="attempts", type="integer", required=False, means="How often a step is verified before its On failure applies.", minimum=2, maximum=9), Field(name="command_seconds", type="integer", required=False, means="How long a Verify, an entry condition or an exit condition may run.", minimum=10, maximum=86400), Field(name="test_first_seconds", type="integer", required=False, means="How long the Test first of a step may run.", minimum=10, maximum=86400), Field(name="checkout_seconds", type="integer", required=False, means="How long git may take to check out a commit in a working copy.", minimum=10, maximum=86400),)),
    ),
    rules=(dependencies_are_names, ports_are_a_range,),
    codes=(
        Code(name="SETTINGS_NOT_FOUND", severity="error", means="There is no file at this path.", remedy="Nothing; without it the defaults hold."),
        Code(name="SETTINGS_READ_ERROR", severity="error", means="The file cannot be read.", remedy="Make it a regular file that you can read."),
        Code(name="SETTINGS_PARSE_ERROR", severity="error", means="The file is not YAML of the accepted kind.", remedy="Write one key per line: a value, a list, or under limits one limit per line."),
        Code(name="SETTINGS_BAD_TYPE", severity="error", means="A key has a value of the wrong type.", remedy="Write a value of that type, or leave the key out."),
        Code(name="SETTINGS_BAD_VALUE", severity="error", means="A key has a value that is not allowed or out of range.", remedy="Write an allowed value, or leave the key out."),
        Code(name="SETTINGS_UNKNOWN_FIELD", severity="error", means="There is no such key.", remedy="Correct its name, or remove it."),
    ),
)
