"""The worker of one attempt on another machine: makes the working copy, runs the session, pushes the result, leaves nothing.

Run as a script by the line of `ultra_runtime.waves.worker_line`, out of the bundle that the line has fetched.
"""

from __future__ import annotations

import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.files.git import Git
    from ultra_runtime.waves.hub import Hub
    from ultra_runtime.waves.local_engine import Attempt

NAP = 0.1
LOCK = "lock"
RETRY_SECONDS = 2.0
PUSHING_SECONDS = 3600.0
"""How long a worker tries to reach the hub with a result before it gives up."""
STARTING_SECONDS = 86400.0
"""After this time a worker without a lock is not starting any more."""
TERMINATED = -15
POINTER = b"version https://git-lfs"


class EndedEarly(Exception):
    """Somebody asked this worker to end."""


def main(folder: str, url: str, lease: str) -> int:
    """Do one attempt; return the status of this process."""
    rooms = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    sys.path.insert(0, os.path.dirname(rooms))
    from ultra_runtime.checkout.worktree import remove_tree
    from ultra_runtime.files.git import find_git
    from ultra_runtime.waves.hub import Hub, told_by

    held = _hold(folder)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    try:
        _sweep(os.path.dirname(folder), remove_tree)
        repo = os.path.join(folder, "repo")
        git = find_git(repo)
        job = told_by(git, lease)
        hub = Hub(git, url, job["prefix"])
        result, parents = _work(git, hub, job, folder, lease)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is done is pushed
        _push(hub, job, result, parents)
    except EndedEarly:
        return 1
    finally:
        os.chdir("/")
        remove_tree(folder)
        os.close(held)
    return 0


def _leave(*_: object) -> None:
    raise EndedEarly


def _hold(folder: str) -> int:
    """Return a lock on the folder of this worker, by which others see that it is alive."""
    import fcntl

    held = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    return held


def _sweep(place: str, remove_tree: Any) -> None:
    """Remove the folders of workers of this user that were killed here."""
    import fcntl

    from ultra_runtime.waves.worker_line import FOLDERS

    for name in os.listdir(place):
        path = os.path.join(place, name)
        try:
            if not name.startswith(FOLDERS) or os.path.islink(path) or os.lstat(path).st_uid != os.getuid():
                continue
            descriptor = os.open(os.path.join(path, LOCK), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:  # it is starting, or was killed while it did
            if time.time() - os.lstat(path).st_mtime > STARTING_SECONDS:
                remove_tree(path)
            continue
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(path)
        except OSError:
            continue  # it is at work
        finally:
            os.close(descriptor)


def _work(
    git: Git, hub: Hub, job: Mapping[str, Any], folder: str, lease: str
) -> tuple[dict[str, Any], list[str]]:
    """Run the session, and return what there is to tell, with the commits that go along."""
    from ultra_runtime.checkout.settings import read_settings
    from ultra_runtime.waves.local_engine import LocalEngine
    from ultra_runtime.waves.stream import read_stream

    end: dict[str, Any] = {"status": None, "late": False, "why": "", "seconds": 0}
    attempt = None
    try:
        _check_out(git, job)
        attempt = _attempt(job, folder, git.root)
        engine = LocalEngine(read_settings(git.root))
        try:
            end = _follow(engine, attempt, hub, job, lease)
        finally:
            engine.end(attempt)
    except EndedEarly:
        end["status"] = TERMINATED
    except Exception as problem:  # whatever it is, the supervisor should read it
        end["why"] = getattr(problem, "error", "") or f"{type(problem).__name__}: {problem}"
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    spoken = vars(read_stream(attempt.log)) if attempt else {}
    return _told(git, job, end, spoken, lease)


def _check_out(git: Git, job: Mapping[str, Any]) -> None:
    """Make the repository of this worker the working tree of the session, on the session's branch."""
    for name, value in job["author"].items():
        git.ask("config", name, value)
    git.ask("config", "gc.auto", "0")
    git.ask("checkout", "--quiet", "--no-track", "-B", job["branch"], job["start"])
    if os.path.exists(os.path.join(git.root, ".gitmodules")):
        git.ask("submodule", "--quiet", "update", "--init", "--recursive")
    _refuse_pointers(git)
    for slug, facts in job["facts"].items():
        git.set_refs(slug, facts)
    for path, text in job["files"].items():
        place = os.path.join(git.root, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)


def _refuse_pointers(git: Git) -> None:
    """Refuse a working copy in which files of git-lfs are only pointers, before the client starts."""
    from ultra_runtime.answer import RefusedError
    from ultra_runtime.files.git import fields
    from ultra_runtime.run.tree.raw import LARGE

    for path in fields(git.ask("ls-files", "-z", "--", LARGE)):
        place = os.path.join(git.root, path)
        if os.path.isfile(place) and not os.path.islink(place):
            with open(place, "rb") as file:
                if file.read(len(POINTER)) == POINTER:
                    error = (
                        f"{path} is only a pointer on {os.uname().nodename}, which lacks git-lfs or its files"
                    )
                    raise RefusedError(error, "install git-lfs there, and name its server in .lfsconfig")


def _attempt(job: Mapping[str, Any], folder: str, root: str) -> Attempt:
    from ultra_runtime.doctor.client_version import CLIENT, find_client
    from ultra_runtime.rendered import BUNDLE
    from ultra_runtime.waves.client_words import client_words
    from ultra_runtime.waves.local_engine import Attempt

    temporary = os.path.join(folder, "tmp")
    os.mkdir(temporary, 0o700)
    words = client_words(
        find_client() or CLIENT, BUNDLE, job["prompt"], job["mode"], job["model"], job["dollars"]
    )
    log = os.path.join(folder, "log", "session.log")
    return Attempt(
        job["session"],
        job["attempt"],
        root,
        words,
        job["name"],
        temporary,
        job["mark"],
        job["seconds"],
        log,
        folder,
    )


def _follow(engine: Any, attempt: Attempt, hub: Hub, job: Mapping[str, Any], lease: str) -> dict[str, Any]:
    """Run the client until it ends, with a sign of life from time to time."""
    beat, count = time.monotonic(), 0
    _beat(hub, job, lease, count)
    engine.start(attempt)
    while True:
        found = engine.state(attempt)
        if found is not None:
            return dict(found) or {"status": -9, "late": False, "why": "", "seconds": 0}
        if time.monotonic() - beat >= job["beat_seconds"]:
            beat, count = time.monotonic(), count + 1
            _beat(hub, job, lease, count)
        time.sleep(NAP)


def _beat(hub: Hub, job: Mapping[str, Any], lease: str, count: int) -> None:
    """Give a sign of life; if the hub cannot be reached now, the next one follows."""
    from ultra_runtime.files.git import GitError
    from ultra_runtime.waves.hub import BEAT, told_commit
    from ultra_runtime.waves.masking import masked

    try:
        told = masked({"beat": count, "progress": _texts(hub.git.root, job["progress"])})
        made = told_commit(hub.git, told, [lease], "a sign of life")
        hub.put({hub.of(BEAT, job["session"], job["attempt"]): made})
    except (GitError, OSError):
        return


def _texts(root: str, paths: list[str]) -> dict[str, str]:
    """Return the small files of the run that the supervisor shows."""
    found = {}
    for path in paths:
        place = os.path.join(root, path)
        if os.path.isfile(place):
            with open(place, encoding="utf-8", errors="replace") as file:
                found[path] = file.read()
    return found


def _told(
    git: Git, job: Mapping[str, Any], end: Mapping[str, Any], spoken: Mapping[str, Any], lease: str
) -> tuple[dict[str, Any], list[str]]:
    from ultra_runtime.waves.leasing import facts_of
    from ultra_runtime.waves.masking import masked
    from ultra_runtime.waves.saving import save_rest

    tip = git.head()
    rest = save_rest(
        git,
        f"what attempt {job['attempt']} of session {job['session']} had not committed\n",
        list(job["files"]),
    )
    kept = facts_of(git.refs(job["slug"]))
    told = {
        "mark": job["mark"], "session": job["session"], "attempt": job["attempt"], "machine": os.uname().nodename,
        "end": dict(end), "spoken": dict(spoken), "tip": tip, "rest": rest, "refs": kept,
        "progress": _texts(git.root, job["progress"]),
    }  # fmt: skip
    return masked(told), [tip, lease, *([rest] if rest else []), *kept.values()]


def _push(hub: Hub, job: Mapping[str, Any], result: Mapping[str, Any], parents: list[str]) -> None:
    """Push the result create-only, again and again while the hub cannot be reached."""
    from ultra_runtime.waves.hub import ATTEMPT, HubError, told_commit

    words = f"result of attempt {job['attempt']} at session {job['session']}"
    made = told_commit(hub.git, result, parents, words)
    deadline = time.monotonic() + PUSHING_SECONDS
    while True:
        try:
            hub.create(hub.of(ATTEMPT, job["session"], job["attempt"]), made)
            return
        except HubError:
            if time.monotonic() > deadline:
                raise
        time.sleep(RETRY_SECONDS)


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))
