"""Rules on foreign text: the commands that print it, and eval, which runs any text."""

from __future__ import annotations

from ultra_runtime.guard.shell.calls import HELP, Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Policy


def eval_expansion(call: Call, policy: Policy) -> bool:
    """Match eval of text with an expansion."""
    return call.expands


def always(call: Call) -> bool:
    """Treat the output of the command as foreign, except its help."""
    return call.args not in HELP


_DOWNLOADS = {"aws": ("s3",), "gsutil": ("cat", "cp"), "rclone": ("cat",), "gh": ("api", "gist")}
_ANY_DOWNLOAD = ("api", "cat", "cp", "download", "get")


def downloads(call: Call) -> bool:
    """Match the subcommands of larger tools that print what they fetch."""
    return any(word in call.args for word in _DOWNLOADS.get(call.name, _ANY_DOWNLOAD))


def decodes(call: Call) -> bool:
    """Match a tool with two directions when it goes the decoding way."""
    return any(
        arg in ("--decode", "--decrypt", "-decode", "--revert", "-revert")
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
    """Match netcat and its like unless they only probe a port."""
    return not any(arg[:1] == "-" and arg[:2] != "--" and "z" in arg for arg in call.args)
