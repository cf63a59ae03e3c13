"""Rules on disks: making file systems, wiping, and writing to a block device."""

from __future__ import annotations

from ultra_runtime.guard.shell.calls import Call, Write, options
from ultra_runtime.guard.shell.marks import UNKNOWN, collapsed, known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Policy

NEEDS = {"any_disk": ("dev",), "disk_write": ("dev",), "partition": ("dev",)}

# Everything below /dev that is not a disk: this list is shorter and safer than one of disks.
_NO_DISK = frozenset(
    (
        "null", "zero", "full", "random", "urandom", "ptmx", "console", "stdin", "stdout", "stderr", "log", "kmsg", "kvm",
        "fuse", "uinput", "hwrng", "mem", "port", "rfkill", "ppp", "dsp", "ashmem", "kfd", "userfaultfd",
    )
)  # fmt: skip
_NO_DISK_BEGINNINGS = (
    "tty", "pts/", "fd/", "shm/", "mqueue/", "tcp/", "udp/", "input/", "snd/", "dri/", "net/", "usb/", "bus/", "char/",
    "serial/", "cu.", "cuaU", "video", "rfcomm", "i2c-", "spidev", "gpio", "watchdog", "vhost-", "nvidia", "hidraw",
    "lp", "rtc", "binder", "midi", "vcs", "fb", "ptp", "pps", "tpm", "ipmi", "media", "iio:", "vfio/", "cpu/",
)  # fmt: skip


def _is_disk(path: str, unknown: bool = False) -> bool:
    """Tell whether a path is that of a block device; the second argument is the answer for /dev/$X."""
    path = collapsed(path)
    if not path.startswith("/dev/") or len(path) == 5 or " " in path:
        return False
    name = path[5:]
    if name[0] == UNKNOWN or not known(name[:1]):
        return unknown
    if name == "disk" or name.startswith(("disk/", "mapper/", "block/")):
        return True
    return name not in _NO_DISK and not name.startswith(_NO_DISK_BEGINNINGS)


def disk_write(write: Write) -> bool:
    """Match a redirection or a copy onto a block device."""
    return "dev" in write.path and write.how != "link" and _is_disk(write.path, unknown=write.via == "dd")


def make_filesystem(call: Call, policy: Policy) -> bool:
    """Match mkfs and its like, unless the target is plainly an ordinary file."""
    found = options(call.args, "tLUEObiIGNgrCdTmMvcnsS", "type label")
    if not found.operands:
        return False
    return any(_is_disk(item) or not known(item) or ":" in item for item in found.operands)


def any_disk(call: Call, policy: Policy) -> bool:
    """Match a tool that destroys its target, when that is a disk."""
    return any(_is_disk(arg, True) for arg in call.args)


_LISTS = {
    "wipefs": ("n", "no-act", "J", "json", "p", "parsable"),
    "sgdisk": ("p", "print", "i", "info", "v", "verify", "L", "list-types", "P", "pretend", "D"),
    "gdisk": ("l", "list"),
    "fdisk": ("l", "list", "s", "getsz", "x"),
    "cfdisk": (),
    "sfdisk": (
        "l", "list", "d", "dump", "J", "json", "n", "no-act", "V", "verify", "F", "list-free", "s",
        "show-size",
    ),
    "parted": ("l", "list"),
}  # fmt: skip


def partition(call: Call, policy: Policy) -> bool:
    """Match a partition tool that changes a disk rather than lists it."""
    found = options(call.args, "tonbcuAe", "")
    if found.has("h", "help", "version", *_LISTS.get(call.name, ())):
        return False
    if call.name == "wipefs" and not found.has("a", "all", "o", "offset", "f", "force"):
        return False
    if call.name == "parted" and (
        len(found.operands) < 2 or found.operands[1] in ("print", "p", "unit", "help")
    ):
        return False
    return any(_is_disk(arg, True) for arg in call.args)


_DISK_VERBS = {
    "diskutil": (
        "erasedisk", "erasevolume", "eraseoptical", "secureerase", "zerodisk", "randomdisk", "partitiondisk",
        "reformat", "deletecontainer", "deletevolume",
    ),
    "nvme": ("format", "sanitize"),
    "cryptsetup": ("luksformat", "erase", "lukserase", "reencrypt"),
    "zpool": ("destroy", "labelclear"),
    "mdadm": ("--zero-superblock",),
    "hdparm": ("--security-erase", "--security-erase-enhanced", "--trim-sector-ranges"),
    "badblocks": ("-w", "-wsv", "-wv", "-ws", "-wvs", "-svw"),
    "vgremove": ("",), "pvremove": ("",), "lvremove": ("",),
    "asr": ("--erase", "-erase"),
}  # fmt: skip


def disk_verb(call: Call, policy: Policy) -> bool:
    """Match the subcommands of disk tools that destroy."""
    verbs = _DISK_VERBS.get(call.name, ())
    return any(arg.lower() in verbs for arg in call.args) or (verbs == ("",) and bool(call.args))
