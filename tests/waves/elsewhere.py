"""Other machines, on this one: two sshd and a Slurm cluster of two nodes, with folders, ports and keys of their own.

Everything is started here and ended by its process id. No service of this machine is used or changed.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.kit.files import write_tree
from tests.waves.sample import QUICK

NAMES = ("one", "two")
NEEDED = {"ssh": ("parallel", "openssh-server"), "slurm": ("slurm-wlm", "munge")}
"""Engine -> packages of Debian."""
START_SECONDS = 60
SSHD = "/usr/sbin/sshd"
HERE = "127.0.0.1"
SLURM = """ClusterName=ultratest
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdTimeout=6
KillWait=2
InactiveLimit=0
MinJobAge=300
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
TaskProlog={folder}/prolog
PartitionName=work Nodes={nodes} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
"""


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


class Daemons:
    """Programs that run in the foreground as children of the tests, each with its output in a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.words: dict[str, tuple[Sequence[str], Mapping[str, str]]] = {}

    def start(self, name: str, words: Sequence[str], env: Mapping[str, str]) -> None:
        """Start a program."""
        self.words[name] = (words, env)
        dies_with_us = ["setpriv", "--pdeathsig", "KILL", *words]
        with (self.folder / f"{name}.out").open("ab") as out:
            self.running[name] = subprocess.Popen(
                dies_with_us, env=dict(env), stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True, cwd="/"
            )  # fmt: skip

    def again(self, name: str) -> None:
        """Start a program again that was killed."""
        if self.running[name].poll() is not None:
            self.start(name, *self.words[name])

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """Send a signal to a program, and wait until it has ended."""
        self.running[name].send_signal(number)
        self.running[name].wait(30)

    def stop(self) -> None:
        """End all programs, the last first."""
        for one in reversed(list(self.running.values())):
            if one.poll() is None:
                one.terminate()
                try:
                    one.wait(10)
                except subprocess.TimeoutExpired:
                    one.kill()
                    one.wait(10)

    def told(self, name: str) -> str:
        """Return what a program printed."""
        return (self.folder / f"{name}.out").read_text(errors="replace")


def plain_environment() -> dict[str, str]:
    """Return the environment of a daemon: nothing of the tests'."""
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


def make_home(folder: Path) -> Path:
    """Return an empty home below a folder: a login shell there must not read the settings of whoever runs the tests."""
    home = folder / "home"
    home.mkdir()
    return home


def wait_for(is_true: object, what: object = "") -> None:
    """Wait until a function returns something true, not for ever."""
    end = time.monotonic() + START_SECONDS
    while not is_true():  # type: ignore[operator]
        assert time.monotonic() < end, what() if callable(what) else what
        time.sleep(0.05)


def listens(port: int, address: str = HERE) -> bool:
    """Tell whether somebody listens on a port."""
    with socket.socket() as tried:
        tried.settimeout(1)
        return tried.connect_ex((address, port)) == 0


class Hosts:
    """Two sshd; `ssh -F config one` and `two` reach them."""

    on = "ssh"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.daemons = Daemons(folder)
        self.config = folder / "config"

    def start(self) -> None:
        """Make keys and settings, and start both."""
        Path("/run/sshd").mkdir(exist_ok=True)  # the empty folder that sshd asks for
        home = make_home(self.folder)
        for name in ("user", *NAMES):
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / f"key-{name}")]
            subprocess.run(words, check=True, timeout=60)
        rows = []
        for name in NAMES:
            port = free_port()
            settings = self.folder / f"sshd-{name}"
            settings.write_text(
                f"Port {port}\nListenAddress {self.address(name)}\nHostKey {self.folder}/key-{name}\nPidFile none\n"
                f"AuthorizedKeysFile {self.folder}/key-user.pub\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n"
                f"PasswordAuthentication no\nKbdInteractiveAuthentication no\nSetEnv WORKER={name} HOME={home}\nMaxStartups 200\n"
            )
            rows.append(
                f"Host {name}\n  HostName {self.address(name)}\n  Port {port}\n  IdentityFile {self.folder}/key-user\n"
                f"  IdentitiesOnly yes\n  UserKnownHostsFile {self.folder}/known\n  StrictHostKeyChecking accept-new\n"
            )
            words = [*self.inside(name), SSHD, "-D", "-e", "-f", str(settings)]
            self.daemons.start(name, words, plain_environment())
            wait_for(
                lambda name=name, port=port: listens(port, self.address(name)),
                lambda name=name: self.daemons.told(name),
            )
        self.config.write_text("".join(rows))

    def address(self, name: str) -> str:
        """Return where a host listens."""
        return HERE

    def inside(self, name: str) -> list[str]:
        """Return the words that start a program at a host."""
        return []

    def settings(self) -> str:
        """Return what the project's settings say of these machines."""
        return f"ssh:\n  hosts: [one, two]\n  options: [-F, {self.config}]\n"

    def environment(self) -> dict[str, str]:
        """Return what a controller needs to use them."""
        return {}

    def stop(self) -> None:
        self.daemons.stop()


class CutHosts(Hosts):
    """Two hosts of which the first has a network of its own, with one cable to this machine; the hub is at its other end."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        number = os.getpid() % 60_000
        self.space, self.cable = f"ultra-{number}", f"ultra{number}"
        self.net = f"10.213.{number % 250}"
        self.port = free_port()

    def start(self) -> None:
        """Lay the cable, then start both hosts."""
        self._ip(f"netns add {self.space}")
        self._ip(f"link add {self.cable} type veth peer name {self.cable}b netns {self.space}")
        self._ip(f"addr add {self.net}.1/30 dev {self.cable}")
        self._ip(f"-n {self.space} addr add {self.net}.2/30 dev {self.cable}b")
        self._ip(f"-n {self.space} link set lo up")
        self._ip(f"-n {self.space} link set {self.cable}b up")
        self.join()
        super().start()

    def address(self, name: str) -> str:
        return f"{self.net}.2" if name == NAMES[0] else HERE

    def inside(self, name: str) -> list[str]:
        return ["ip", "netns", "exec", self.space] if name == NAMES[0] else []

    def serve(self, hub: Path) -> str:
        """Serve a repository to both hosts, and return its address."""
        words = [
            "git",
            "daemon",
            "--reuseaddr",
            "--export-all",
            "--enable=receive-pack",
            f"--base-path={hub.parent}",
        ]
        env = {**plain_environment(), "HOME": str(self.folder)}
        self.daemons.start("hub", [*words, f"--listen={self.net}.1", f"--port={self.port}"], env)
        wait_for(lambda: listens(self.port, f"{self.net}.1"), lambda: self.daemons.told("hub"))
        return f"git://{self.net}.1:{self.port}/{hub.name}"

    def cut(self) -> None:
        """Pull the cable."""
        self._ip(f"link set {self.cable} down")

    def join(self) -> None:
        self._ip(f"link set {self.cable} up")

    def stop(self) -> None:
        super().stop()
        self._ip(f"netns delete {self.space}", check=False)

    @staticmethod
    def _ip(words: str, check: bool = True) -> None:
        subprocess.run(["ip", *words.split()], check=check, timeout=30, capture_output=True)


class Cluster:
    """A Slurm controller and two nodes, with a munged of their own."""

    on = "slurm"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.daemons = Daemons(folder)
        self.conf = folder / "slurm.conf"

    def start(self) -> None:
        """Make the settings, and start all four."""
        for name in ("munge", "state"):
            (self.folder / name).mkdir(mode=0o755)
        home = make_home(self.folder)
        write_tree(self.folder, {"prolog": f"#!/bin/sh\necho export HOME={home}\n"})
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        host = socket.gethostname().partition(".")[0]
        nodes = "".join(
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=16 RealMemory=1000 State=UNKNOWN\n"
            for name in NAMES
        )
        text = SLURM.format(host=host, port=free_port(), folder=self.folder, nodes=",".join(NAMES))
        self.conf.write_text(text.replace("PartitionName", nodes + "PartitionName"))
        own = self.folder / "munge"
        env = {**plain_environment(), "SLURM_CONF": str(self.conf)}
        words = [
            "munged",
            "--foreground",
            "--force",
            f"--key-file={key}",
            f"--socket={own}/socket",
            f"--pid-file={own}/pid",
        ]
        self.daemons.start("munged", [*words, f"--log-file={own}/log", f"--seed-file={own}/seed"], env)
        wait_for(lambda: (own / "socket").exists(), lambda: self.daemons.told("munged"))
        self.daemons.start("slurmctld", ["slurmctld", "-D"], env)
        for name in NAMES:
            self.daemons.start(name, ["slurmd", "-D", "-N", name], env)
        wait_for(self.is_ready, lambda: self.daemons.told("slurmctld") + self.daemons.told("one"))

    def is_ready(self) -> bool:
        """Tell whether both nodes take jobs."""
        states = self.ask("sinfo", "--noheader", "--Node", "--format=%N %t").split("\n")
        return sorted(row.split()[1] for row in states if row.split()) in (
            ["idle", "idle"],
            ["idle", "mix"],
            ["mix", "mix"],
        )

    def ask(self, *words: str) -> str:
        """Return what a program of Slurm prints."""
        env = {**plain_environment(), "SLURM_CONF": str(self.conf)}
        return subprocess.run(words, env=env, capture_output=True, text=True, check=False, timeout=60).stdout

    def settings(self) -> str:
        return "slurm:\n  partition: work\n  options: [--mem=1M]\n"

    def environment(self) -> dict[str, str]:
        return {"SLURM_CONF": str(self.conf)}

    def stop(self) -> None:
        self.ask("scancel", "--user=root")
        self.daemons.stop()


Machines = Hosts | Cluster


def make_folder(name: str) -> Path:
    """Return a new folder with a short path, since sockets are made in it."""
    return Path(tempfile.mkdtemp(prefix=f"ultra-{name}-", dir="/tmp"))


def drop_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def files_for(machines: Machines, hub: Path, setup: Path, **limits: int) -> dict[str, str]:
    """Return the files of a project whose sessions run on these machines."""
    rows = "".join(f"  {name}: {value}\n" for name, value in limits.items())
    settings = f"proof: off\nhub: {hub}\nworker_setup: . {setup}\n{machines.settings()}"
    return {**QUICK, ".claude/ultra.yaml": settings + (f"limits:\n{rows}" if rows else "")}


def worker_environment(env: Mapping[str, str], folder: Path) -> Path:
    """Return a script that a worker reads first: its client, and a folder for temporary files of its own."""
    names = ("PATH", "PLAY", "PLAY_BUNDLE", "HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
    rows = [f"export {name}='{env[name]}'" for name in names if name in env]
    rows.append("worker=${WORKER:-$SLURMD_NODENAME}")
    rows.append(f"export WORKER=$worker TMPDIR={folder}/$worker; mkdir -p $TMPDIR")
    path = folder / "worker.sh"
    path.write_text(
        "\n".join(rows) + f"\n[ -e {folder}/extra-$worker.sh ] && . {folder}/extra-$worker.sh\ntrue\n"
    )
    return path
