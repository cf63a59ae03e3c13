"""Commands that run another command: the words between their name and the other one."""

from __future__ import annotations

# These have no option with a value.
_BARE = (
    "builtin", "busybox", "catchsegv", "ccache", "chronic", "command", "corepack", "cross-env", "dbus-launch",
    "distcc", "eatmydata", "fakechroot", "gbusybox", "ifne", "linux32", "linux64", "nohup", "noglob", "nocorrect",
    "nq", "pipexec", "prlimit", "run-one", "run-this-one", "sccache", "setsid", "shx", "ssh-agent", "toybox",
    "torify", "ts", "tsocks", "tsp", "unbuffer", "uncache", "x86_64", "zsh-defer",
)  # fmt: skip
# name: (options with a value: letters, long names; how many of its own words precede the command)
PLAIN: dict[str, tuple[str, str, int]] = {
    **dict.fromkeys(_BARE, ("", "", 0)),
    **dict.fromkeys(
        (
            "dotenv-run",
            "envdir",
            "faketime",
            "gosu",
            "lckdo",
            "s6-setuidgid",
            "setarch",
            "setlock",
            "setuidgid",
            "su-exec",
            "taskset",
        ),
        ("", "", 1),
    ),
    "cgexec": ("g", "", 0),
    "daemonize": ("ceolpuE", "", 0),
    "dtach": ("aAcnNer", "", 0),
    "logsave": ("", "", 1),
    "schedtool": ("apnM", "", 0),
    "sshpass": ("pfdP", "", 0),
    "systemd-cat": ("tp", "identifier priority", 0),
    "watchexec": ("wiefdsE", "watch ignore exts filter debounce signal env shell", 0),
    "arch": ("ed", "", 0),
    "caffeinate": ("tw", "", 0),
    "chpst": ("uUbneoptmfdcr/", "", 0),
    "chroot": ("", "userspec groups", 1),
    "chrt": ("TPD", "sched-runtime sched-period sched-deadline", 1),
    "choom": ("n", "adjust", 0),
    "cpulimit": ("lpe", "limit pid exe", 0),
    "dbus-run-session": ("", "config-file dbus-daemon", 0),
    "doas": ("Cua", "", 0),
    "dumb-init": ("r", "rewrite", 0),
    "env": ("auCS", "argv0 unset chdir split-string", 0),
    "exec": ("a", "", 0),
    "fakeroot": ("lsiub", "lib faked", 0),
    "flock": ("wE", "timeout wait conflict-exit-code", 1),
    "genv": ("auCS", "argv0 unset chdir split-string", 0),
    "gnice": ("n", "adjustment", 0),
    "gtime": ("fo", "format output", 0),
    "gtimeout": ("ks", "kill-after signal", 1),
    "ionice": ("cnpP", "class classdata", 0),
    "ltrace": ("aAbDeFlnopPsSuwxX", "", 0),
    "nice": ("n", "adjustment", 0),
    "numactl": ("imNCpP", "interleave membind cpunodebind physcpubind preferred", 0),
    "pkexec": ("", "user", 0),
    "proxychains": ("f", "", 0),
    "proxychains4": ("f", "", 0),
    "rlwrap": ("aAbBcCdDefgGHilMnoOpPqrRsStTwWzaAN", "", 0),
    "setpriv": (
        "",
        "ruid euid reuid rgid egid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig ptracer "
        "selinux-label apparmor-profile landlock-access landlock-rule seccomp-filter",
        0,
    ),
    "softlimit": ("acdflmoprst", "", 0),
    "stdbuf": ("ioe", "input output error", 0),
    "strace": (
        "aeEIoOpPsSuUXb",
        "abbrev argv0 attach columns const-print-style detach-on env fault inject interruptible kvm output raw read "
        "signal signals status string-limit summary-columns summary-sort-by summary-syscall-overhead trace trace-path "
        "user verbose write",
        0,
    ),
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
    "time": ("fo", "format output", 0),
    "timeout": ("ks", "kill-after signal", 1),
    "tini": ("p", "", 0),
    "torsocks": ("aiuPq", "", 0),
    "trickle": ("udwtlsnL", "", 0),
    "unshare": (
        "SGRwl",
        "propagate setgroups root wd map-user map-users map-group map-groups setuid setgid monotonic boottime load-interp",
        0,
    ),
    "valgrind": ("", "tool log-file", 0),
    "xvfb-run": ("efnpsw", "error-file auth-file server-num xauth-protocol server-args wait", 0),
}
# The options with which some of them start the command in another folder.
CHDIR = {
    **dict.fromkeys(("env", "genv"), ("C", "chdir")), "sudo": ("D", "chdir"), "systemd-run": ("working-directory",),
    "unshare": ("w", "wd"),
}  # fmt: skip

# Too many options to list: the first word that is a command of interest is taken for the command.
# The words that must come first, so that `docker rm` is not `rm`.
SCANNED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("asdf", "aws-vault", "bundle", "direnv", "fnm", "ip", "jenv", "lxc", "nodenv", "nvm", "pyenv", "rbenv", "yarn"),
        ("exec",)
    ),
    **dict.fromkeys((
        "bunx", "bwrap", "dotenv", "entr", "firejail", "flatpak-spawn", "npx", "nsenter", "proot",
        "screen", "start-stop-daemon", "systemd-nspawn", "uvx", "xterm"
    ), ()),
    **dict.fromkeys((
        "conda", "doppler", "dotenvx", "hatch", "mamba", "op", "pdm", "pipenv", "pipx", "pixi", "poetry", "rustup", "rye",
        "uv", "volta"
    ), ("run",)),
    **dict.fromkeys(("docker", "docker-compose", "kubectl", "nerdctl", "oc", "podman"), ("exec", "run")),
    "gdb": ("--args",),
    "mise": ("exec", "x"),
    "npm": ("exec", "x"),
    "nix": ("develop", "run", "shell"),
    "perf": ("stat", "record", "trace"),
    "pnpm": ("exec", "dlx"),
}  # fmt: skip

# How many words of their own stand in front of the command: an image, a pod, a version.
OWN_WORDS = dict.fromkeys(
    (
        "asdf",
        "aws-vault",
        "conda",
        "direnv",
        "docker",
        "docker-compose",
        "fnm",
        "ip",
        "kubectl",
        "lxc",
        "mamba",
        "mise",
        "nerdctl",
        "nvm",
        "oc",
        "podman",
        "rustup",
        "systemd-nspawn",
    ),
    1,
)

# Options whose value is shell text, and commands whose operands are.
TEXT_OPTIONS: dict[str, tuple[str, str]] = {
    "cargo": ("s", "shell"),
    "chokidar": ("c", "command"),
    "flock": ("c", "command"),
    "less": ("", "tag-cmd"),
    "man": ("PH", "pager html"),
    "ncat": ("c", "sh-exec"),
    "nix-shell": ("", "run command"),
    "nodemon": ("x", "exec"),
    "npm": ("c", "call"),
    "npx": ("c", "call"),
    "pnpm": ("c", "shell-mode"),
    "rsync": ("e", "rsh rsync-path"),
    "runuser": ("c", "command session-command"),
    "script": ("c", "command"),
    "sg": ("c", ""),
    "su": ("c", "command session-command"),
    "vagrant": ("c", "command"),
    "zip": ("", "unzip-command"),
}
ATTACHED = frozenset(
    ("cargo", "env", "genv", "less", "man", "npm", "npx", "pnpm", "rsync", "zip")
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
XARGS = ("IJRSnLPsdEa", "arg-file delimiter max-args max-procs max-chars process-slot-var")
PARALLEL = (
    "aCDEIjLnNPsSU",
    "arg-file arg-sep colsep delay delimiter halt halt-on-error jobs joblog load max-args max-chars max-procs "
    "memfree nice results retries return seqreplace sshlogin sshloginfile tempdir timeout tmpdir tagstring "
    "workdir wd env profile block recstart recend basefile header progress-interval",
)
FIND_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
FIND_WRITES = frozenset(("-fls", "-fprint", "-fprint0", "-fprintf"))
