"""The settings of a project: what holds without a file, what each fault says, and that the YAML is YAML."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.files import write_tree
from tests.kit.names import LAUNCHER, PLUGIN_SOURCE, SOURCES
from tests.kit.quick import examples
from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.settings import read_settings
from ultra_runtime.text.yaml_document import read_yaml
from ultra_runtime.text.yaml_mapping import MappingError

FILE = f".claude/{LAUNCHER}.yaml"
LIMITS = yaml.safe_load((SOURCES / "limits.yaml").read_text())["limits"]


def refusal(root: Path, text: str | bytes) -> str:
    """Return what a file is refused with: one sentence and the remedy."""
    write_tree(root, {FILE: text})
    with pytest.raises(RefusedError) as told:
        read_settings(str(root))
    assert "\n" not in told.value.error
    return f"{told.value.error} | {told.value.next_step}"


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    found = read_settings(str(tmp_path))
    assert (found.setup, found.setup_seconds, found.proof) == ("", LIMITS["setup_seconds"]["value"], "try")
    assert (found.ports, found.limits, found.given) == ((), {}, {})
    assert {"node_modules", ".venv", "venv", "vendor"} <= {*found.dependencies}


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "setup:\nproof: ~\nlimits:\n", "limits:\n  attempts:\nslurm:\n  time: ~\n"]
)
def test_an_empty_file_or_value_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    before = read_settings(str(tmp_path))
    write_tree(tmp_path, {FILE: text})
    found = read_settings(str(tmp_path))
    assert {**vars(found), "given": {}} == {**vars(before), "given": {}}


def test_every_key(tmp_path: Path) -> None:
    write_tree(tmp_path, {FILE: (SOURCES / "contracts/fixtures/settings/valid.yaml").read_bytes()})
    found = read_settings(str(tmp_path))
    assert (found.setup, found.setup_seconds, found.proof) == ("npm ci", 900, "require")
    assert (found.dependencies, found.ports) == (("node_modules",), (4000, 4099))
    assert found.limits == {"attempts": 5, "command_seconds": 1200}


def test_the_keys_of_other_machines(tmp_path: Path) -> None:
    write_tree(tmp_path, {FILE: (SOURCES / "contracts/fixtures/settings/valid-workers.yaml").read_bytes()})
    found = read_settings(str(tmp_path))
    assert (found.hub, found.worker_setup) == (
        "ssh://git@hub.example/waves.git",
        "module load git\nmodule load python",
    )
    assert found.ssh == {"hosts": ["one", "deploy@two"], "options": ["-p", "2222"]}
    assert found.slurm == {"partition": "short", "time": "02:00:00", "options": ["--mem=8G"]}
    assert found.limits == {"lost_seconds": 120, "queue_seconds": 3600}


@pytest.mark.parametrize("hub", ["https://me:secret@hub.example/x.git", "https://secret@hub.example/x.git"])
def test_a_login_in_the_address_of_the_hub_is_refused_and_not_repeated(tmp_path: Path, hub: str) -> None:
    write_tree(tmp_path, {FILE: f"hub: {hub}\n"})
    with pytest.raises(RefusedError) as refused:
        read_settings(str(tmp_path))
    assert refused.value.error == f"{FILE}:1: hub must be an address without a password or token"
    assert "secret" not in str(refused.value)


def test_a_list_of_commands_is_a_script(tmp_path: Path) -> None:
    write_tree(tmp_path, {FILE: (SOURCES / "contracts/fixtures/settings/valid-list.yaml").read_bytes()})
    assert read_settings(str(tmp_path)).setup == "npm ci\nnpm run build: types"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("setup: x\nsetup_second: 9", ":2: setup_second is not one of the settings (did you mean setup_seconds?): dependencies, hub, limits, ports, "),
        ("limits:\n  attempt: 3", ":2: limits.attempt is not one of the settings (did you mean attempts?): attempts, checkout_seconds, "),
        ("proof: maybe", ":1: proof must be require, try or off, not \"maybe\""),
        ("proof: [try]", ":1: proof must be text, not a list"),
        ("setup_seconds: soon", ':1: setup_seconds must be a whole number, not "soon"'),
        ("setup_seconds: 9", ":1: setup_seconds must be at least 10, not 9"),
        ("setup_seconds: 86401", ":1: setup_seconds must be at most 86400, not 86401"),
        ("limits: 3", ":1: limits must be an object, not \"3\""),
        ("limits:\n  - attempts", ":1: limits must be an object, not a list"),
        ("\nlimits:\n  attempts: 1", ":3: limits.attempts must be at least 2, not 1"),
        ("ports: [4000]", ":1: ports must be the first and the last port, such as [4000, 4099]"),
        ("ports: [4099, 4000]", ":1: ports must be the first and the last port, such as [4000, 4099]"),
        ("ports: [80, 90]", ":1: ports has a wrong item: it must be at least 1024, not 80 (and 1 more"),
        ("ports: [a, b]", ":1: ports has a wrong item: it must be a whole number"),
        ("dependencies: [web/node_modules]", ':1: dependencies must be names of folders, not "web/node_modules"'),
        ("setup: a\nsetup: b", ':2: the key "setup" appears twice'),
        ("limits:\n  attempts: 3\n    command_seconds: 4", ":3: a value must be on the line of its key"),
        ("limits:\n  attempts:\n    a: 4", ":3: a mapping cannot contain another mapping"),
        ("just words", ":1: this line is not an entry: write key: value"),
        ("- a", ":1: this is a list where a mapping is expected"),
        ("---\nsetup: a", ":1: --- starts or ends a document"),
        (b"setup: \xff", ":1: the file is not UTF-8"),
        ("setup: a\x07", ":1: the control character U+0007"),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence_with_its_line(tmp_path: Path, text: str | bytes, wanted: str) -> None:
    said = refusal(tmp_path, text)
    assert said.startswith(FILE + wanted), said
    assert said.rpartition(" | ")[2].endswith(".")


@pytest.mark.parametrize("name", ["setup_seconds", "limits.attempts", "limits.command_seconds"])
def test_a_limit_has_the_range_of_the_plugin(tmp_path: Path, name: str) -> None:
    above, _, key = name.rpartition(".")
    entry = LIMITS[key]
    for value, fits in (
        (entry["minimum"], True), (entry["minimum"] - 1, False), (entry["maximum"], True), (entry["maximum"] + 1, False)
    ):  # fmt: skip
        text = f"{above}:\n  {key}: {value}\n" if above else f"{key}: {value}\n"
        if fits:
            write_tree(tmp_path, {FILE: text})
            read_settings(str(tmp_path))
        else:
            assert "must be at " in refusal(tmp_path, text)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir(parents=True)
    with pytest.raises(RefusedError, match="it is a directory, not a file"):
        read_settings(str(tmp_path))


WORDS = st.sampled_from(
    ["a", "b c", "1", "-3", "1.5", "true", "null", "~", "'x: y'", '"#"', "x #c", "[a, 'b']", "[]", ""]
)
KEYS = st.sampled_from(["setup", "limits", "x", "'q'", '"1"'])
LINE = st.one_of(
    st.builds("{}: {}".format, KEYS, WORDS),
    st.builds("{}:{}".format, KEYS, st.sampled_from(["", " ", " # c", "  "])),
    st.builds("{}{}: {}".format, st.sampled_from(["  ", " ", "    ", "\t"]), KEYS, WORDS),
    st.builds("{}- {}".format, st.sampled_from(["", "  ", "    "]), WORDS),
    st.sampled_from(["", "  ", "# c", "  # c", "...", "a b"]),
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(LINE, max_size=7))
def test_what_is_read_is_what_yaml_says(lines: list[str]) -> None:
    """The subset refuses much of YAML; what it takes, it takes as YAML does."""
    text = "\n".join(lines)
    try:
        values = read_yaml(text.encode(), {}).values
    except MappingError:
        return
    wanted = yaml.safe_load(text) or {}

    def plain(value: object) -> object:  # items of lists are text here
        if isinstance(value, list):
            return [None if one is None else str(one).lower() for one in value]
        return {name: plain(one) for name, one in value.items()} if isinstance(value, dict) else value

    assert plain(values) == plain(wanted), text


def test_the_example_of_the_documentation_is_valid(tmp_path: Path) -> None:
    page = (PLUGIN_SOURCE / "docs/PIPELINE.md.j2").read_text()
    (example,) = [part.partition("```")[0] for part in page.split("```yaml\n")[1:]]
    write_tree(tmp_path, {FILE: example})
    assert {*read_settings(str(tmp_path)).given} == {*yaml.safe_load(example)}
