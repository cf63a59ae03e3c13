"""Commands that run another command: the words between their name and the other one."""

from __future__ import annotations

# name: (options with a value: letters, long names; how many of its own words precede the command)
PLAIN: dict[str, tuple[str, str, int]] = {
    "arch": ("ed", "", 0),
    "builtin": ("", "", 0),
    "busybox": ("", "", 0),
    "caffeinate": ("tw", "", 0),
    "catchsegv": ("", "", 0),
    "ccache": ("", "", 0),
    "chpst": ("uUbneoptmfdcr/", "", 0),
    "chroot": ("", "userspec groups", 1),
    "chronic": ("", "", 0),
    "chrt": ("TPD", "sched-runtime sched-period sched-deadline", 1),
    "choom": ("n", "adjust", 0),
    "command": ("", "", 0),
    "cross-env": ("", "", 0),
    "cpulimit": ("lpe", "limit pid exe", 0),
    "dbus-run-session": ("", "config-file dbus-daemon", 0),
    "doas": ("Cua", "", 0),
    "dumb-init": ("r", "rewrite", 0),
    "eatmydata": ("", "", 0),
    "env": ("uCS", "unset chdir split-string", 0),
    "envdir": ("", "", 1),
    "exec": ("a", "", 0),
    "faketime": ("", "", 1),
    "fakeroot": ("lsiub", "lib faked", 0),
    "flock": ("wE", "timeout conflict-exit-code", 1),
    "genv": ("uCS", "unset chdir split-string", 0),
    "gnice": ("n", "adjustment", 0),
    "gosu": ("", "", 1),
    "gtime": ("fo", "format output", 0),
    "gtimeout": ("ks", "kill-after signal", 1),
    "ionice": ("cnpP", "class classdata", 0),
    "linux32": ("", "", 0),
    "linux64": ("", "", 0),
    "ltrace": ("aAbDeFlnopPsSuwxX", "", 0),
    "nice": ("n", "adjustment", 0),
    "nohup": ("", "", 0),
    "noglob": ("", "", 0),
    "nocorrect": ("", "", 0),
    "numactl": ("imNCpP", "interleave membind cpunodebind physcpubind preferred", 0),
    "pkexec": ("", "user", 0),
    "prlimit": ("", "", 0),
    "proxychains": ("f", "", 0),
    "proxychains4": ("f", "", 0),
    "rlwrap": ("aAbBcCdDefgGHilMnoOpPqrRsStTwWzaAN", "", 0),
    "setarch": ("", "", 1),
    "setpriv": ("", "reuid regid groups inh-caps ambient-caps bounding-set securebits", 0),
    "setsid": ("", "", 0),
    "shx": ("", "", 0),
    "softlimit": ("acdflmoprst", "", 0),
    "stdbuf": ("ioe", "input output error", 0),
    "strace": ("aeEIoOpPsSuXb", "output trace attach user string-limit", 0),
    "su-exec": ("", "", 1),
    "sudo": (
        "CDghpRrTtUu",
        "chdir close-from group host prompt chroot role type other-user user command-timeout",
        0,
    ),
    "systemd-inhibit": ("", "what who why mode", 0),
    "systemd-run": (
        "HMpuE",
        "unit property description slice host machine uid gid nice working-directory setenv service-type "
        "on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar path-property "
        "socket-property timer-property",
        0,
    ),
    "taskset": ("", "", 1),
    "time": ("fo", "format output", 0),
    "timeout": ("ks", "kill-after signal", 1),
    "tini": ("p", "", 0),
    "torsocks": ("aiuPq", "", 0),
    "toybox": ("", "", 0),
    "trickle": ("udwtlsnL", "", 0),
    "ts": ("", "", 0),
    "unbuffer": ("", "", 0),
    "unshare": ("SGRwl", "propagate setgroups root wd map-user map-group setuid setgid kill-child", 0),
    "valgrind": ("", "tool log-file", 0),
    "xvfb-run": ("efnpsw", "error-file auth-file server-num xauth-protocol server-args wait", 0),
}

# Too many options to list: the first word that is a command of interest is taken for the command.
# The words that must come first, so that `docker rm` is not `rm`.
SCANNED: dict[str, tuple[str, ...]] = {
    "aws-vault": ("exec",),
    "bundle": ("exec",),
    "bunx": (),
    "bwrap": (),
    "conda": ("run",),
    "direnv": ("exec",),
    "docker": ("exec", "run"),
    "docker-compose": ("exec", "run"),
    "doppler": ("run",),
    "dotenv": (),
    "dotenvx": ("run",),
    "entr": (),
    "expect": (),
    "firejail": (),
    "flatpak-spawn": (),
    "gdb": ("--args",),
    "hatch": ("run",),
    "ip": ("exec",),
    "kubectl": ("exec", "run"),
    "lxc": ("exec",),
    "mamba": ("run",),
    "mise": ("exec", "x"),
    "nerdctl": ("exec", "run"),
    "nix": ("develop", "run", "shell"),
    "npm": ("exec", "x"),
    "npx": (),
    "nsenter": (),
    "oc": ("exec", "run"),
    "op": ("run",),
    "pdm": ("run",),
    "perf": ("stat", "record", "trace"),
    "pipenv": ("run",),
    "pnpm": ("exec", "dlx"),
    "podman": ("exec", "run"),
    "poetry": ("run",),
    "proot": (),
    "rye": ("run",),
    "screen": (),
    "start-stop-daemon": (),
    "systemd-nspawn": (),
    "uv": ("run",),
    "uvx": (),
    "yarn": ("exec",),
    "xterm": (),
}

# Options whose value is shell text, and commands whose operands are.
TEXT_OPTIONS: dict[str, tuple[str, str]] = {
    "cargo": ("s", "shell"),
    "chokidar": ("c", "command"),
    "flock": ("c", "command"),
    "nix-shell": ("", "run command"),
    "nodemon": ("x", "exec"),
    "npx": ("c", "call"),
    "runuser": ("c", "command session-command"),
    "script": ("c", "command"),
    "sg": ("c", ""),
    "su": ("c", "command session-command"),
    "vagrant": ("c", "command"),
}
ATTACHED = frozenset(
    ("cargo", "env", "genv", "npx")
)  # everyday commands whose -cTEXT hides the first word of TEXT
TEXT_OPERANDS: dict[str, tuple[str, str]] = {
    "concurrently": ("ncp", "names prefix-colors prefix"),
    "hyperfine": (
        "wmMrpcSiLPnu",
        "warmup min-runs max-runs runs prepare cleanup setup shell parameter-list command-name",
    ),
}

TMUX_RUNS = frozenset(
    (
        "new", "new-session", "new-window", "neww", "split-window", "splitw", "respawn-pane", "respawn-window",
        "run", "run-shell", "send", "send-keys", "pipe-pane", "display-popup", "popup", "if-shell",
    )
)  # fmt: skip

SSH_VALUES = "BbcDEeFIiJLlmOopQRSWw"
XARGS = (
    "IJRSnLPsdEa",
    "arg-file delimiter max-lines max-args max-procs max-chars process-slot-var",
)
PARALLEL = (
    "aCDEIjLnNPsSU",
    "arg-file arg-sep colsep delay delimiter halt halt-on-error jobs joblog load max-args max-chars max-procs "
    "memfree nice results retries return seqreplace sshlogin sshloginfile tempdir timeout tmpdir tagstring "
    "workdir wd env profile block recstart recend basefile header progress-interval",
)
FIND_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
