"""Packs and the files that add rules: off unless somebody turns them on, and nothing that they say lifts a rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import load, packs
from tests.guard.scene import Scene
from tests.kit.names import LAUNCHER
from tests.kit.quick import examples
from tests.kit.table import each
from ultra_runtime.answer import RefusedError
from ultra_runtime.guard.added_rules import LARGEST, AddedRules, added_rules
from ultra_runtime.guard.judge import Judge, load_policy, rules_file
from ultra_runtime.guard.site import site_of_plan

FILE = f".claude/{LAUNCHER}-guard.yaml"
DEPLOY = "rules:\n  - id: deploy\n    call: make deploy\n    why: people deploy\n    instead: ask them\n"
MATCHES = [
    (name, rule["id"], text)
    for name, rules in packs().items()
    for rule in rules
    for text in rule["examples"]["match"]
]
BLOCKED = [
    text for rule in load("commands.yaml") if rule["verdict"] == "block" for text in rule["examples"]["match"]
]


def judge(home: Path, root: Path, in_run: bool = True) -> Judge:
    return Judge(str(root), site_of_plan(str(root), "") if in_run else None, str(home))


def say(folder: Path, text: str) -> None:
    path = Path(rules_file(str(folder)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root/.git").mkdir(parents=True)
    return tmp_path / "root"


def test_there_are_four_packs_and_all_are_off(home: Path, root: Path) -> None:
    assert list(packs()) == ["cloud", "databases", "git_discards", "secrets"]
    for _, rule, command in MATCHES:
        assert judge(home, root).command(command).rule != rule


@pytest.mark.parametrize("whose", ["home", "root"])
def test_a_file_of_the_user_or_the_project_turns_a_pack_on(home: Path, root: Path, whose: str) -> None:
    say(home if whose == "home" else root, "packs:\n  - git_discards\n")
    assert judge(home, root).command("git clean -fdx").rule == "git_clean"
    assert judge(home, root, in_run=False).command("git clean -fdx").rule == "git_clean"
    assert judge(home, root).command("kubectl delete pod x").verdict == "allow"
    assert judge(home, root).command("git status").verdict == "allow"


def test_rules_of_both_files_add_up(home: Path, root: Path) -> None:
    say(home, "packs: [cloud]\n" + DEPLOY)
    say(root, DEPLOY.replace("id: deploy", "id: publish").replace("make deploy", "npm publish"))
    asked = judge(home, root)
    assert asked.command("cd web && make -j2 deploy").rule == "deploy"
    assert asked.command("bash -c 'npm publish'").rule == "publish"
    assert asked.command("terraform destroy").rule == "infrastructure_destroy"
    verdict = asked.command("make deploy")
    assert (verdict.verdict, verdict.instead) == ("block", "ask them")
    assert "people deploy" in verdict.reason
    assert asked.command("make test").verdict == "allow"


def test_a_rule_may_only_warn(home: Path, root: Path) -> None:
    say(root, DEPLOY + "    verdict: warn\n")
    assert judge(home, root).command("make deploy").verdict == "warn"


FAULTS = {
    "packs: [clouds]": ":1: there is no pack 'clouds'",
    "packs: cloud": ":1: packs must be a list",
    "allow: [rm]": ":1: the key 'allow' is not known",
    "rules:\n  - rm": ":2: a rule must be a mapping",
    "rules:\n  - id: a\n    call: b\n    why: c": ":2: the rule has no instead",
    DEPLOY + "    verdict: allow\n": ":2: verdict must be block or warn, not allow",
    DEPLOY + "    unless: x\n": ":2: the key 'unless' of a rule is not known",
    DEPLOY.replace("deploy\n", "shutdown\n", 1): ":2: there is already a rule 'shutdown'",
    DEPLOY + DEPLOY.partition("\n")[2]: ":6: there is already a rule 'deploy'",
    "rules\n": ":1: ",
    "\x01": ":1: ",
}


def test_a_file_that_cannot_be_read_whole_is_refused(root: Path) -> None:
    path = Path(rules_file(str(root)))
    path.mkdir(parents=True)
    with pytest.raises(RefusedError, match=": cannot be read: Is a directory"):
        added_rules([str(path)])
    path.rmdir()
    for more in (-1, 0, 1):
        path.write_text("#" * (LARGEST + more - len(DEPLOY) - 1) + "\n" + DEPLOY)
        if more <= 0:
            assert list(added_rules([str(path), str(path)]).rules) == ["deploy"]
            continue
        with pytest.raises(RefusedError, match=": has more than 64 KiB"):
            added_rules([str(path)])
    assert added_rules([str(path / "below"), str(root / "none")]).rules == {}


@each(FAULTS.items())
def test_a_wrong_file_is_refused_with_a_sentence(text: str, message: str) -> None:
    from ultra_runtime.guard.added_rules import _read  # the file itself is tried below

    with pytest.raises(RefusedError) as refused:
        _read(AddedRules(), "guard.yaml", text.encode())
    assert refused.value.error.startswith(f"guard.yaml{message}")
    assert refused.value.next_step


def test_a_wrong_file_stops_a_run_and_nobody_else(scene: Scene) -> None:
    say(scene.repo, "packs: [clouds]\n")
    told = scene.bash("ls", guard="always")
    assert (told.status, told.out) == (1, "")
    scene.start_run()
    told = scene.bash("ls")
    assert (told.status, told.out) == (2, "")
    assert f"{FILE}:1: there is no pack 'clouds'; use one of cloud, databases" in told.err
    say(scene.repo, "packs: [git_discards]\n")
    assert "rule git_clean" in scene.bash("git clean -fd").reason
    for path in (FILE, scene.home / FILE):
        for told in (scene.write(path), scene.bash(f"echo x > {path}"), scene.bash(f"rm {path}")):
            assert told.decision == "deny", path
    assert "rule run_settings" in scene.write(FILE).reason


@pytest.mark.parametrize("whose", ["home", "repo"])
def test_every_pack_reaches_the_hook_and_a_project_only_adds(scene: Scene, whose: str) -> None:
    scene.start_run()
    for name, rules in packs().items():
        rule = next(rule for rule in rules if rule["verdict"] == "block")
        command, fine = rule["examples"]["match"][0], rule["examples"]["pass"][0]
        say(getattr(scene, whose), f"packs: [{name}]\n")
        assert f"rule {rule['id']}" in scene.bash(command).reason, command
        assert scene.bash(fine).decision == "", fine
        if whose == "home":
            say(scene.repo, "packs: []\nrules: []\n")  # what a project says lifts nothing
            assert scene.bash(command).decision == "deny"
            assert scene.bash("rm -rf src").decision == "deny"


@settings(deadline=None, max_examples=examples(120))
@given(
    st.sampled_from(BLOCKED),
    st.lists(st.sampled_from(list(packs())), unique=True),
    st.lists(
        st.text("abrmgit -.*|'\"", min_size=1, max_size=12).filter(lambda text: text.split("'")[0].split()),
        max_size=3,
    ),
)
def test_nothing_that_is_added_lifts_a_rule(command: str, on: list[str], calls: list[str]) -> None:
    added = AddedRules()
    for pack in on:
        added.turn_on(pack)
    for at, call in enumerate(calls):
        added.rules[f"own_{at}"] = ("warn", call, "", "")
        added.add(f"own_{at}", call)
    assert verdict_for(command, load_policy().with_added(added.rules, added.listed)).verdict == "block"


@each(
    [
        ("git push --delete", "git push origin --delete x", True),
        ("git push --delete", "git push origin x", False),
        ("git push --delete", "git -c a.b=c -C lib push --delete origin x", True),
        ("git clean -f", "git clean -xdf", True),
        ("git clean -f", "git clean -- -f", False),
        ("git checkout --", "git checkout main -- a", True),
        ("git push * :*", "git push origin :x", True),
        ("git push * :*", "git push :x", False),
        ("aws ... delete-*", "aws --profile p rds delete-db x", True),
        ("aws ... delete-*", "aws rds describe-db delete", False),
        ("kubectl|oc delete", "oc delete x", True),
        ("kubectl delete", "kubectl -n prod delete x", True),
        ("kubectl delete", "kubectl get delete", False),
        ("kubectl delete", "kubectl", False),
        ("dropdb", "dropdb x", True),
        ("psql 'drop table'", 'psql -c "DROP   TABLE x"', True),
        ("psql 'drop table'", "psql <<< 'drop table x'", True),
        ("psql 'drop table'", "psql -c 'select 1'", False),
        ("cat|< ... .env", "cat web/.env", True),
        ("cat|< ... .env", "wc -l < web/.env", True),
        ("cat|< ... .env", "cat .envrc", False),
        ("cat ... ~/.ssh/id_*", "cat $HOME/.ssh/id_rsa", True),
    ]
)
def test_a_listed_call_matches_what_it_says(call: str, command: str, matches: bool) -> None:
    added = AddedRules()
    added.rules["own"] = ("block", call, "", "")
    added.add("own", call)
    assert (
        verdict_for(command, load_policy().with_added(added.rules, added.listed)).rule == "own"
    ) == matches
    assert added.may_match(command)
    assert [added.may_match(one) for one in ("ls -l", "$X", "`x`")] == [False, True, True]
