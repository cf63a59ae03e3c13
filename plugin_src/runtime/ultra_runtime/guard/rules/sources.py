"""Where foreign text comes from, and eval, which runs whatever text it gets."""

from __future__ import annotations

from ultra_runtime.guard.shell.calls import HELP, Call, options
from ultra_runtime.guard.shell.marks import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Policy


def eval_expansion(call: Call, policy: Policy) -> bool:
    """Match eval of anything that is expanded, before or by it."""
    return call.expands


def always(call: Call) -> bool:
    """Take the output of the command for foreign, but not its help."""
    return call.args not in HELP


_DOWNLOADS = {"aws": ("s3",), "gsutil": ("cat", "cp"), "rclone": ("cat",), "gh": ("api", "gist")}


def downloads(call: Call) -> bool:
    """Match the subcommands of larger tools that print what they fetch."""
    return any(word in call.args for word in _DOWNLOADS[call.name])


def decodes(call: Call) -> bool:
    """Match a tool with two directions when it goes the decoding way."""
    return any(
        arg in ("--decode", "-decode", "--revert", "-revert")
        or (arg[:1] == "-" and arg[:2] != "--" and ("d" in arg or "r" in arg or "D" in arg))
        for arg in call.args
    )


def openssl_decodes(call: Call) -> bool:
    """Match openssl when it decodes or decrypts."""
    return "-d" in call.args or "-decrypt" in call.args


def jq_decodes(call: Call) -> bool:
    """Match jq with its own decoder."""
    return any("@base64d" in arg for arg in call.args)


def listens(call: Call) -> bool:
    """Match netcat and its kin unless they only probe a port."""
    return not any(arg[:1] == "-" and arg[:2] != "--" and "z" in arg for arg in call.args)


_TO_FILE = {
    "curl": ("oHdAubeFTXxUmwEKCcDQrtyYz", "output header data user-agent user request"),
    "wget": ("OoaiPUetTwQBDAR", "output-document output-file"),
    "aria2c": ("odx", "out dir"),
    "fetch": ("o", "output"),
    "http": ("o", "output"),
    "https": ("o", "output"),
}


def saved(call: Call) -> list[str]:
    """Return the files that a downloader or decoder saves to."""
    if call.name not in _TO_FILE:
        return []
    found = options(call.args, *_TO_FILE[call.name])
    names = ("O", "output-document") if call.name == "wget" else ("o", "output", "out")
    out = [value for name, value in found.values if name in names and value not in ("-", "/dev/stdout")]
    if not out and (call.name in ("wget", "aria2c") or found.has("O", "remote-name")):
        out = [base_name(operand.split("?", 1)[0]) for operand in found.operands if "/" in operand]
    return [name for name in out if name]
