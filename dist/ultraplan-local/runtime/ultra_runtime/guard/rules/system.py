"""Rules on the machine: power, processes, and scheduled commands."""

from __future__ import annotations

from ultra_runtime.guard.shell.calls import Call, Write, is_opaque, options
from ultra_runtime.guard.shell.marks import HOME, collapsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Policy

NEEDS = {
    "kill_everything": ("-*",),
    "power_write": ("proc", "*sysrq*"),
    "run_level": ("0", "6"),
    "schedule_edit": ("*cron*", "*launch*", "*private*", "*spool*", "*timer*"),
    "schedule_write": ("*cron*", "*launch*", "*private*", "*spool*", "*timer*"),
}

_POWER = frozenset(("poweroff", "reboot", "halt", "kexec", "soft-reboot", "shutdown"))
_POWER_TARGETS = frozenset(
    ("poweroff.target", "reboot.target", "halt.target", "kexec.target", "shutdown.target")
)


def power_off(call: Call, policy: Policy) -> bool:
    """Match the commands whose name says it all."""
    return not any(arg in ("--help", "--version", "-c", "-k", "--wtmp-only", "/a", "/?") for arg in call.args)


def power_verb(call: Call, policy: Policy) -> bool:
    """Match systemctl and loginctl with a verb that ends the machine."""
    found = options(
        call.args, "HMtpPnos", "host machine type property lines output signal state root job-mode when"
    )
    if found.has("help", "version") or not found.operands:
        return False
    verb = found.operands[0]
    if verb in _POWER:
        return True
    return verb in ("start", "isolate") and any(name in _POWER_TARGETS for name in found.operands[1:])


def run_level(call: Call, policy: Policy) -> bool:
    """Match init and telinit with a run level that halts or reboots."""
    operands = options(call.args, "te", "").operands
    return bool(operands) and operands[0] in ("0", "6")


def power_message(call: Call, policy: Policy) -> bool:
    """Match a message on the bus, or to the kernel, that ends the machine."""
    if call.name == "kexec":
        return any(arg in ("-e", "--exec", "-f", "--force") for arg in call.args)
    return any(
        arg.endswith((".PowerOff", ".Reboot", ".Halt", ".Restart", ".Stop"))
        for arg in call.args
        if "login1" in arg or "ConsoleKit" in arg
    )


def power_write(write: Write) -> bool:
    """Match a write to the kernel's emergency keys."""
    return "sysrq" in write.path and collapsed(write.path) == "/proc/sysrq-trigger"


def kill_everything(call: Call, policy: Policy) -> bool:
    """Match a signal to process -1, which means every process."""
    args = list(call.args)
    if not args or any(arg in ("-l", "-L", "--list", "--table") for arg in args):
        return False
    signal, first = "", args[0]
    if first in ("-s", "-n", "--signal"):
        signal, args = "".join(args[1:2]), args[2:]
    elif first.startswith(("--signal=", "-s")) and len(first) > 2:
        signal, args = first.removeprefix("--signal=").removeprefix("-s"), args[1:]
    elif first == "-1":
        # alone it is the process; before others it is the signal HUP
        args = args if len(args) == 1 else args[1:]
    elif is_opaque(first) or (first[:1] == "-" and first != "--"):
        signal, args = first[1:], args[1:]
    elif call.guess:
        return False
    return "-1" in args and signal not in ("0", "EXIT")


_EVERY_NAME = frozenset((".", ".*", "", "^", "*", ".+", "^.*$"))


def kill_by_user(call: Call, policy: Policy) -> bool:
    """Match pkill, killall and skill when they kill all processes of a user, or of everybody."""
    found = options(
        call.args,
        "uUgGPstFvZonyk",
        "euid uid group parent pgroup session terminal ns nslist signal user older-than younger-than",
    )
    if "-1" in call.args[1:]:  # in front it is the signal HUP
        return True
    if found.has("help", "version", "V", "l", "list"):
        return False
    user = found.value("u", "U", "euid", "uid", "user") is not None
    return (user and not found.operands) or any(name in _EVERY_NAME for name in found.operands)


def always(call: Call, policy: Policy) -> bool:
    """Match the command whatever follows it."""
    return True


def crontab(call: Call, policy: Policy) -> bool:
    """Match every use of crontab but listing."""
    found = options(call.args, "uscx", "user")
    return not found.has("l", "V", "help", "version", "T")


def at_job(call: Call, policy: Policy) -> bool:
    """Match at and batch when they take a job."""
    found = options(call.args, "qftdrc", "")
    if found.has("l", "d", "r", "c", "V", "help", "version"):
        return False
    return bool(found.operands) or found.has("f", "t") or call.name == "batch"


_TIMER_VERBS = frozenset(
    ("enable", "start", "restart", "reenable", "link", "preset", "unmask", "try-restart")
)


def timer(call: Call, policy: Policy) -> bool:
    """Match the start of a timer."""
    if call.name == "systemd-run":
        return any(arg.startswith(("--on-", "--timer-property")) for arg in call.args)
    operands = options(call.args, "HMtpPnos", "host machine type property lines output root").operands
    return (
        bool(operands)
        and operands[0] in _TIMER_VERBS
        and any(name.endswith(".timer") for name in operands[1:])
    )


_LAUNCH_VERBS = frozenset(("load", "bootstrap", "submit", "enable", "kickstart", "start"))


def launch(call: Call, policy: Policy) -> bool:
    """Match launchctl and schtasks when they set something up."""
    if call.name == "launchctl":
        return bool(call.args) and call.args[0] in _LAUNCH_VERBS
    return any(arg.lower() in ("/create", "-create", "/change") for arg in call.args)


_SCHEDULES = (
    "/etc/cron", "/var/spool/cron", "/var/cron", "/usr/lib/cron", "/etc/anacrontab", "/var/spool/at", "/private/etc/cron",
    "/private/var/at",
)  # fmt: skip
_LAUNCHED = ("/Library/LaunchAgents", "/Library/LaunchDaemons", "/System/Library/Launch")
_UNITS = (
    "/etc/systemd/", "/lib/systemd/", "/usr/lib/systemd/", "/run/systemd/", "/.config/systemd/", "/.local/share/systemd/",
)  # fmt: skip


def _scheduled(path: str) -> bool:
    """Tell whether what is in a file will be run by a scheduler."""
    if path[:1] not in ("/", HOME):
        return False
    path = collapsed(path)
    inside = path[len(HOME) :] if path.startswith(HOME) else path
    is_unit = inside.startswith(_UNITS) and inside.endswith(".timer")
    return path.startswith(_SCHEDULES) or inside.startswith(_LAUNCHED) or is_unit


def schedule_write(write: Write) -> bool:
    """Match a write to a file of a scheduler."""
    return _scheduled(write.path) or any(
        _scheduled(write.path.rstrip("/") + "/" + name) for name in write.names
    )


def schedule_edit(call: Call, policy: Policy) -> bool:
    """Match a file of a scheduler as the operand of an editor or of rm."""
    return any(_scheduled(arg) for arg in call.args)
