"""Tasks on machines that ssh reaches, by GNU parallel and its --sshlogin. The handle is the host.

A task leaves the connection that started it behind, so neither the end of this machine's work nor that of sshd ends it.
"""

from __future__ import annotations

import os
from binascii import b2a_base64

from ultra_runtime.answer import RefusedError
from ultra_runtime.engines.engine import (
    CALL_SECONDS,
    GONE,
    RUNNING,
    TASK_VARIABLE,
    UNREACHED,
    Engine,
    MachineAnswer,
    TaskState,
    call,
    said,
)
from ultra_runtime.files.regular_file import read_text
from ultra_runtime.tables.fields import settings_fields as fields
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.engines.engine import EngineTask
    from ultra_runtime.files.process import Done

CONNECT_SECONDS = 10
SSH = ("ssh", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT_SECONDS}", "-o", "ServerAliveInterval=5")
NO_ENVIRONMENT = ("-o", "SendEnv=-*")
HERE = "ULTRA-REACHED"
CONFIG = "~/.ssh/config"
# The processes that have the name of a task in their environment.
FIND = "grep -lsxz {variable}={name} /proc/[0-9]*/environ | cut -d/ -f3"
# TERM lets the worker end its client and report; what is left after some seconds is killed.
END = """
pids=$({find}); for pid in $pids; do kill -TERM $pid 2>/dev/null; done
for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do pids=$({find}); [ -z "$pids" ] && exit 0; sleep 0.5; done
for pid in $pids; do kill -KILL $pid 2>/dev/null; done; sleep 0.5; pids=$({find}); [ -z "$pids" ]
"""


class SshEngine(Engine):
    """Machines that ssh reaches."""

    name = "ssh"
    packages = "parallel openssh-client"
    programs = ("parallel", "ssh")

    def __init__(self, settings: Settings) -> None:
        self.hosts = hosts_of(settings)
        self.ssh = " ".join(
            map(shell_word, (*SSH, *NO_ENVIRONMENT, *settings.ssh.get(fields.SSH_OPTIONS, ())))
        )

    def start(self, task: EngineTask) -> str:
        """Start a task at the host whose turn it is, or at the next one that answers."""
        text = f"{TASK_VARIABLE}={task.name} setsid bash -lc {shell_word(task.text)} </dev/null >/dev/null 2>&1 &"
        why = []
        for turn in range(len(self.hosts)):
            host = self.hosts[(task.turn + turn) % len(self.hosts)]
            done = self._run(host, text)
            if done.status == 0 and _reached(done):
                return host
            why.append(f"{host}: {said(done)}")
        raise RefusedError(
            f"no host takes the attempt ({'; '.join(why)})", "check `ssh` to them, then resume"
        )

    def state(self, name: str, handle: str) -> TaskState:
        """Look for the processes of a task; on every host if it is not known where it was started."""
        found = [self._look(name, host) for host in ([handle] if handle else self.hosts)]
        for state in (RUNNING, UNREACHED):
            for one in found:
                if one.state == state:
                    return one
        return found[0]

    def end(self, name: str, handle: str) -> str:
        """End the processes of a task by their ids."""
        text = END.format(find=_find(name))
        failed = []
        for host in [handle] if handle else self.hosts:
            done = self._run(host, text)
            if done.status or not _reached(done):
                failed.append(f"{name} may still run on {host}: {said(done)}")
        return "; ".join(failed)

    def ask_all(self, text: str) -> list[MachineAnswer]:
        """Ask one host after the other."""
        return [MachineAnswer(one, self._run(one, f"bash -lc {shell_word(text)}")) for one in self.hosts]

    def _look(self, name: str, host: str) -> TaskState:
        done = self._run(host, _find(name))
        if not _reached(done):
            return TaskState(UNREACHED, f"{host} does not answer: {said(done)}")
        pids = done.out.replace(HERE.encode(), b"").split()
        return TaskState(
            RUNNING if pids else GONE, f"on {host}" if pids else f"its process on {host} is gone"
        )

    def _run(self, host: str, text: str) -> Done:
        """Run a text at a host; that it was reached is told by a word, since ssh's own failures have statuses too."""
        words = [
            "parallel",
            "--will-cite",
            "--retries",
            "1",
            "--jobs",
            "1",
            "--ssh",
            self.ssh,
            "--sshlogin",
            host,
        ]
        encoded = b2a_base64(f"echo {HERE}; {text}\n".encode(), newline=False).decode()
        wrapped = f'bash -c "$(echo {encoded} | base64 -d)"'  # no shell on the way can misread it
        return call([*words, ":::", wrapped], seconds=CALL_SECONDS)


def _reached(done: Done) -> bool:
    return HERE.encode() in done.out


def _find(name: str) -> str:
    return FIND.format(variable=TASK_VARIABLE, name=name)


def hosts_of(settings: Settings) -> list[str]:
    """Return the hosts of the settings, or those of a group in the user's ssh config."""
    hosts = list(settings.ssh.get(fields.SSH_HOSTS) or ())
    group = settings.ssh.get(fields.SSH_HOST_GROUP)
    if group and not hosts:
        hosts = _group(str(group))
        if not hosts:
            error = f"{CONFIG} has no line `Host {one_line(str(group))} ...` with the names of hosts"
            raise RefusedError(error, "add it, or list `hosts` under `ssh` in the settings")
    if not hosts:
        raise RefusedError("the settings name no hosts", "list them as `hosts` under `ssh`")
    strange = [
        one
        for one in hosts
        if one.startswith("-") or not one.strip() or any(sign in one for sign in " ,/\t\n")
    ]
    if strange:
        raise RefusedError(f"{one_line(strange[0])} is not the name of a host", "write it as `ssh` takes it")
    return hosts


def _group(name: str) -> list[str]:
    for line in read_text(os.path.expanduser(CONFIG)).splitlines():
        words = line.replace("=", " ").split()
        if len(words) > 2 and words[0].lower() == "host" and words[1] == name:
            return [word for word in words[2:] if not set(word) & set("*?!")]
    return []
