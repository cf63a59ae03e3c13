"""`doctor --on`: every machine is asked for what a worker needs, and what is missing is named with its remedy."""

from __future__ import annotations

from collections.abc import Callable

from tests.waves.elsewhere import Hosts, Machines
from tests.waves.sample import WITHOUT_VERBS, Waves

Make = Callable[..., Waves]
KEY = "sk-ant-api03-" + "Zq7" * 30


def checks(repo: Waves, on: str) -> dict[str, list[str]]:
    """Return machine -> what the doctor says of it."""
    found: dict[str, list[str]] = {}
    for check in repo("doctor", "--on", on).data["checks"]:
        found.setdefault(check["name"], []).append(f"{check['status']} {check['message']}")
    return found


def test_good_machines_pass(machines: Machines, elsewhere: Make) -> None:
    repo = elsewhere(machines, without_verbs=WITHOUT_VERBS)
    with (repo.machines / "worker.sh").open("a") as file:
        file.write(f"export ANTHROPIC_API_KEY={KEY}\n")
    told = repo("doctor", "--on", machines.on)
    assert told.status == 0, told.out
    assert KEY not in told.out + told.err
    found = checks(repo, machines.on)
    for name in ("one", "two"):
        assert found[name] == ["ok git, Python, the hub, and Claude Code 99.0.0, login by a variable"]
    assert found["hub"] == [f"ok {repo.hub}"]


def test_what_a_machine_lacks_is_named(machines: Machines, elsewhere: Make) -> None:
    repo = elsewhere(machines, without_verbs=WITHOUT_VERBS)
    (repo.machines / "extra-one.sh").write_text(
        f"mkdir -p {repo.machines}/few; for p in bash sh python3 tar mktemp setsid base64 df awk rm mkdir; do "
        f"ln -sf $(command -v $p) {repo.machines}/few/$p; done; export PATH={repo.machines}/few\n"
    )
    found = checks(repo, machines.on)
    assert "fail it lacks git" in found["one"]
    assert "fail it lacks claude, the client" in found["one"]
    assert "fail it lacks the hub: it cannot fetch from it and push to it" in found["one"]
    assert found["two"] == ["warn no login of its client was found"]
    away = repo.hub.rename(repo.hub.with_name("away.git"))
    found = checks(repo, machines.on)
    assert found["two"][0] == "fail it lacks the hub: it cannot fetch from it and push to it"
    assert found["hub"][0].startswith("fail ")
    assert away.exists()


def test_a_host_that_does_not_answer_is_named(hosts: Hosts, elsewhere: Make) -> None:
    repo = elsewhere(hosts, without_verbs=WITHOUT_VERBS)
    settings = repo.read(".claude/ultra.yaml").replace("[one, two]", "[one, nowhere.invalid]")
    repo.write({".claude/ultra.yaml": settings})
    found = checks(repo, "ssh")
    assert found["nowhere.invalid"][0].startswith("fail it does not answer: ")
    assert found["one"][0].startswith("warn ")


def test_hosts_may_be_a_group_of_the_ssh_config(hosts: Hosts, elsewhere: Make) -> None:
    repo = elsewhere(hosts, without_verbs=WITHOUT_VERBS)
    settings = repo.read(".claude/ultra.yaml").replace("hosts: [one, two]", "host_group: waves")
    repo.write({".claude/ultra.yaml": settings})
    told = repo("doctor", "--on", "ssh")
    assert "~/.ssh/config has no line `Host waves ...` with the names of hosts" in told.out
    config = repo.folder.parent / ".ssh/config"  # HOME of the controller
    config.parent.mkdir()
    config.write_text("Host waves one two *.example\n  ForwardAgent no\n")
    assert {"one", "two"} == set(checks(repo, "ssh")) - {"hub"}
