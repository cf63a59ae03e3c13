"""Any plugin: every file ships, every key of the client can be said, and the rules of the house are a choice."""

from __future__ import annotations

import json
import mmap
import os
import re
import stat
import zipfile
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.generator.sample import PLUGIN, SUITE, write_sample
from tests.kit.files import write_tree
from tests.kit.names import ROOT
from ultra_plugin import keys
from ultra_plugin.check.manifest_shape import FIELDS, LISTING_SHAPE
from ultra_plugin.check.marketplace_shape import MARKETPLACE_FIELDS
from ultra_plugin.config import load
from ultra_plugin.errors import UltraError
from ultra_plugin.model import Bundle, PluginSettings, SuiteSettings
from ultra_plugin.pipeline import build, checked, judged
from ultra_plugin.reference import page, schemas
from ultra_plugin.render import render
from ultra_plugin.source import SourceTree

FOLDER = "plugins/acme-plan"
SETTINGS = f"{FOLDER}/plugin.yaml"
Changes = dict[str, str | bytes | None]


def rendered(tmp_path: Path, changes: Changes) -> Bundle:
    tree = SourceTree(write_sample(tmp_path, changes))
    return render(tree, load(tree))[0]


def refusal(tmp_path: Path, changes: Changes) -> str:
    with pytest.raises(UltraError) as caught:
        checked(SourceTree(write_sample(tmp_path, changes)), "dist")
    return str(caught.value).replace(f"{tmp_path}/plugin_src/", "")


# --- nothing is dropped -----------------------------------------------------------------------------------------


def test_every_file_ships_with_its_bytes_mode_and_links_and_the_build_names_what_does_not(
    tmp_path: Path,
) -> None:
    source = write_sample(
        tmp_path,
        {
            f"{FOLDER}/.mcp.json": '{"mcpServers": {}}',
            f"{FOLDER}/.lsp.json": "{}",
            f"{FOLDER}/lib/index.js": "export default 1\r\n",
            f"{FOLDER}/lib/run": "#!/bin/sh\n",
            f"{FOLDER}/lib/data.bin": b"\x00\xff\xfe",
            f"{FOLDER}/.hidden/notes": "kept\n",
            f"{FOLDER}/lib/page.html.j2": "<b>{{ plugin.title }}</b>\n",
            f"{FOLDER}/lib/raw.html.j2": "<b>{{ theirs }}</b>\n",
            f"{FOLDER}/lib/.DS_Store": b"\0",
            f"{FOLDER}/lib/__pycache__/x.pyc": b"\0",
            f"{FOLDER}/drafts/idea.md": "later\n",
            SETTINGS: PLUGIN + "copy: [lib/raw.*]\nskip: [drafts]\nallow: [symlink, crlf]\n",
        },
    )
    os.symlink("index.js", source / FOLDER / "lib/main.js")
    os.symlink("../lib", source / FOLDER / "docs/lib")
    report = build(source, tmp_path / "dist")
    built = tmp_path / "dist/acme-plan"
    assert (built / "lib/index.js").read_bytes() == b"export default 1\r\n"
    assert (built / "lib/data.bin").read_bytes() == b"\x00\xff\xfe"
    assert (built / "lib/page.html").read_text() == "<b>Acme Plan</b>\n"
    assert (built / "lib/raw.html.j2").read_text() == "<b>{{ theirs }}</b>\n"
    assert {".mcp.json", ".lsp.json", ".hidden"} <= {path.name for path in built.iterdir()}
    runs = {path.name for path in (built / "lib").iterdir() if path.stat().st_mode & stat.S_IXUSR}
    assert runs == {"run"}
    assert os.readlink(built / "lib/main.js") == "index.js"
    assert os.readlink(built / "docs/lib") == "../lib"
    names = [path.partition(f"{FOLDER}/")[2] for path in report.unshipped]
    assert names == ["drafts/idea.md", "lib/.DS_Store", "lib/__pycache__"]
    with zipfile.ZipFile(tmp_path / "dist/acme-plan-1.2.3.zip") as archive:
        link = archive.getinfo("lib/main.js")
        assert (stat.S_ISLNK(link.external_attr >> 16), archive.read(link)) == (True, b"index.js")
    assert build(source, tmp_path / "dist").written == 0
    (built / "lib/main.js").unlink()
    (built / "lib/main.js").write_text("index.js")
    assert build(source, tmp_path / "dist").written == 1
    assert (built / "lib/main.js").is_symlink()


@pytest.mark.parametrize(
    ("link", "refused"), [("../../x", True), ("/etc/passwd", True), ("../docs", False), ("gone", False)]
)
def test_a_link_that_leaves_the_plugin_is_refused(tmp_path: Path, link: str, refused: bool) -> None:
    source = write_sample(tmp_path, {f"{FOLDER}/lib/a.txt": "a\n"})
    os.symlink(link, source / FOLDER / "lib/b.txt")
    tree = SourceTree(source)
    if not refused:
        assert render(tree, load(tree))[0].files["lib/b.txt"].symlink
        return
    with pytest.raises(UltraError, match=rf"lib/b.txt: link-outside: links to '{link}', outside the plugin"):
        render(tree, load(tree))


def test_a_pipe_in_a_plugin_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    source = write_sample(tmp_path)
    os.mkfifo(source / FOLDER / "pipe")
    with pytest.raises(UltraError, match="acme-plan/pipe: is neither a file, a folder nor a link; remove it"):
        SourceTree(source)


def test_commands_in_folders_keep_their_folders_and_are_typed_with_colons(tmp_path: Path) -> None:
    text = "---\ndescription: Do this part of the work\n---\nDo it, then {{ command('deep/er/one') }}.\n"
    bundle = rendered(
        tmp_path, {f"{FOLDER}/commands/deep/er/one.md.j2": text, f"{FOLDER}/commands/deep/help.py": "x = 1\n"}
    )
    assert "/acme-plan:deep:er:one." in bundle.files["commands/deep/er/one.md"].text
    assert bundle.files["commands/deep/help.py"].text == "x = 1\n"


def test_rendered_text_stays_as_it_is_unless_the_plugin_asks(tmp_path: Path) -> None:
    text = "---\nbudget: {on_invoke: 999}\ndescription: x\n---\n# T\n\n\n\nOne \ntwo {{ plugin.name }}\n\n|a|b|\n|-|-|\n|ccc|d|\n\n"
    place = f"{FOLDER}/guides/brief.md.j2"
    kept = rendered(tmp_path / "a", {place: text}).files["guides/brief.md"].text
    budget = "budget: {on_invoke: 999}\n"
    assert kept == text.replace(budget, "").replace("{{ plugin.name }}", "acme-plan")
    filled = rendered(tmp_path / "b", {place: text, SETTINGS: f"{PLUGIN}fill: true\n"})
    assert "# T\n\nOne two acme-plan\n" in filled.files["guides/brief.md"].text


# --- a folder that is already a plugin --------------------------------------------------------------------------

OWN = {
    "plugins/theirs/.claude-plugin/plugin.json": '{"name":"theirs",\t"version":"7.0.0"}',
    "plugins/theirs/commands/Go.md": "Go  \n\n\n\nnow",
    "plugins/theirs/plugin.yaml": "theirs: too\n",
    "plugins/theirs/icon/icon.svg": "<svg/>",
}


def test_a_folder_with_its_own_manifest_is_built_as_it_is(tmp_path: Path) -> None:
    files = {path: text for path, text in OWN.items() if not path.endswith("plugin.yaml")}
    source = write_tree(
        tmp_path / "plugin_src",
        {"suite.yaml": f"{SUITE}profile: client\n".replace("license: MIT\n", ""), **files},
    )
    tree = SourceTree(source)
    bundles, offer = checked(tree, "dist")
    assert {f"plugins/theirs/{path}": file.text for path, file in bundles[0].files.items()} == files
    assert bundles[0].version == json.loads(offer)["plugins"][0]["version"] == "7.0.0"


def test_settings_beside_the_folder_leave_every_name_in_it_to_the_plugin(tmp_path: Path) -> None:
    settings = "name: theirs\nexact: true\nprofile: client\n"
    tree = SourceTree(write_sample(tmp_path, {**OWN, "plugins/theirs.yaml": settings}))
    bundle = {one.name: one for one in checked(tree, "dist")[0]}["theirs"]
    assert bundle.files["plugin.yaml"].text == "theirs: too\n"
    said = refusal(tmp_path / "b", {**OWN, "plugins/theirs.yaml": f"{settings}title: Theirs\n"})
    assert said.startswith("plugins/theirs.yaml:4: exact-plugin: 'title' has no effect")


# --- every key --------------------------------------------------------------------------------------------------

MORE = """\
homepage: https://acme.example
repository: https://acme.example/git
defaultEnabled: true
dependencies: [other@acme]
engines: {claude-code: ">=2.1.0"}
mcpServers: {clock: {command: python3, args: [-V], timeout: 1.5}}
lspServers: {go: {command: gopls, extensionToLanguage: {.go: go}}}
experimental: {themes: ./themes/}
userConfig: {token: {type: string, title: Token, description: For the service, sensitive: true}}
author: {name: Someone else}
manifest: {brandNew: [1, {a: null}]}
entry: {category: planning, tags: [x]}
allow: [unknown-key, unused-agent]
"""


def test_plugin_yaml_takes_every_key_of_the_client(tmp_path: Path) -> None:
    changes: Changes = {SETTINGS: PLUGIN + MORE, f"{FOLDER}/themes/dark.json": "{}"}
    tree = SourceTree(write_sample(tmp_path, changes))
    (bundle,), offer = checked(tree, "dist")
    fields = json.loads(bundle.files[".claude-plugin/plugin.json"].text)
    given = yaml.safe_load(MORE)
    for key in set(given) - {"manifest", "entry", "allow"}:
        assert fields[key] == given[key]
    assert fields["brandNew"] == [1, {"a": None}]
    assert (json.loads(offer)["plugins"][0]["category"], fields["version"]) == ("planning", "1.2.3")


def test_options_are_said_in_one_place(tmp_path: Path) -> None:
    option = "{a: {type: string, title: A, description: b}}"
    said = refusal(tmp_path, {SETTINGS: f"{PLUGIN}options: {option}\nuserConfig: {option}\n"})
    assert said.startswith(f"{SETTINGS}:8: two-sources: 'options' and 'userConfig' say the same")


def test_a_plugin_given_as_a_source_tree_is_told_from_one(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "theirs", {".claude-plugin/plugin.json": "{}"})
    with pytest.raises(
        UltraError, match="theirs: is a plugin, not a source tree; to make one from it: ultra-plugin adopt"
    ):
        load(SourceTree(folder))


def test_suite_yaml_takes_every_key_of_a_marketplace(tmp_path: Path) -> None:
    more = "renames: {old: acme-plan}\nforceRemoveDeletedPlugins: true\noffers: [{name: far, source: {source: github, repo: a/b}}]\n"
    tree = SourceTree(write_sample(tmp_path, {"suite.yaml": SUITE + more}))
    offer = json.loads(checked(tree, "dist")[1])
    assert (offer["renames"], offer["forceRemoveDeletedPlugins"]) == ({"old": "acme-plan"}, True)
    assert [one["name"] for one in offer["plugins"]] == ["acme-plan", "far"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("homepage: nowhere", f"{SETTINGS}:7: manifest-value: 'homepage' is not an absolute URL"),
        ("lspServers:\n  go:\n    command: go pls\n    extensionToLanguage: {.go: go}", f"{SETTINGS}:9: manifest-value: 'lspServers.go.command' must be a program without arguments"),
        ("manifest: {nme: 1}", f"{SETTINGS}:7: unknown-key: the client does not know the key 'nme'"),
        ("hompage: x", f"{SETTINGS}:7: unknown-key: unknown key 'hompage' in the file (did you mean 'homepage'?)"),
        ("metadata: 0x1F", f"{SETTINGS}:7: wrong-type: 'metadata' must be a whole number (write a decimal number)"),
    ],
)  # fmt: skip
def test_a_wrong_key_or_value_is_told_with_its_line_in_plugin_yaml(
    tmp_path: Path, line: str, expected: str
) -> None:
    lines = PLUGIN.splitlines(keepends=True)
    text = (
        "".join(lines[:3]) + "keywords: [a]\nversion: 1.2.3\nfill: true\n" + f"{line}\n" + "".join(lines[3:])
    )
    assert expected in refusal(tmp_path, {SETTINGS: text})


def test_one_table_has_the_keys_their_meanings_and_their_shapes() -> None:
    free = {"metadata", "binaries"}  # the client accepts anything there
    assert {*FIELDS, *LISTING_SHAPE} | free == set(keys.MANIFEST)
    assert set(MARKETPLACE_FIELDS) == set(keys.MARKETPLACE)


def test_the_tables_have_exactly_the_keys_of_the_clients_own_schemas(client_binary: Path) -> None:
    """The client lists each key of a manifest with its shape in one object: `{$schema:()=>..., name:()=>...}`.

    The object of a marketplace begins the same way and has nested ones; an entry has the keys of a manifest and more.
    """
    with open(client_binary, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as client:
        start = client.find(b"{$schema:()=>")
        manifest = client[start : client.find(b"}", start)].decode()
        start = client.find(b"{$schema:", client.find(b",relevance:", start))
        marketplace = client[start : start + 4000].decode("utf-8", "replace")
        end = client.rfind(b",relevance:", 0, start)
        entry = client[client.rfind(b".extend({", 0, end) : end + 200].decode("utf-8", "replace")
    found = re.findall(r"[{,]([$\w]+):\(\)=>", manifest)
    assert found == [key for key in keys.MANIFEST if key not in keys.LISTING]
    assert _outer_keys(marketplace) == [*keys.MARKETPLACE]
    assert {*_outer_keys(entry[len(".extend(") :]), *found} == {*keys.ENTRY}


def _outer_keys(text: str) -> list[str]:
    """Return the keys of the object that a text of JavaScript begins with, without those of objects in it."""
    found, depth = [], 0
    for part in re.finditer(r"""(["'`])(?:\\.|(?!\1).)*\1|[{},(\[\])]""", text):
        depth += (part[0] in "{([") - (part[0] in "})]")
        if depth == 0:
            break
        if depth == 1 and part[0] in "{," and (key := re.compile(r"([$\w]+):").match(text, part.end())):
            found.append(key[1])
    return found


def test_the_schemas_accept_what_loads_and_refuse_what_does_not() -> None:
    plugin, suite = (json.loads(schemas()[f"{name}.schema.json"]) for name in ("plugin", "suite"))
    for schema in (plugin, suite):
        jsonschema.Draft202012Validator.check_schema(schema)
    valid = jsonschema.Draft202012Validator(plugin)
    own = yaml.safe_load((ROOT / "plugin_src/plugins/ultraplan-local/plugin.yaml").read_text())
    for good in (own, yaml.safe_load(PLUGIN + MORE)):
        assert [error.message for error in valid.iter_errors(good)] == []
    for bad in (
        {"name": "x", "hompage": ""},
        {"title": "x"},
        {"name": "x", "lspServers": {"a": {}}},
        {"name": "x", "profile": "lax"},
    ):
        assert not valid.is_valid(bad)
    assert jsonschema.Draft202012Validator(suite).is_valid(yaml.safe_load(SUITE))
    assert {*plugin["properties"]} >= PluginSettings.MORE
    assert {*suite["properties"]} >= SuiteSettings.MORE


def test_the_reference_page_is_what_the_table_renders_to() -> None:
    said = "run .venv/bin/ultra-plugin schemas --page > docs/reference.md"
    assert (ROOT / "docs/reference.md").read_text() == page(), said


# --- profiles ---------------------------------------------------------------------------------------------------

NO_ICON: Changes = {f"{FOLDER}/icon/icon.png": None}


def codes(
    tmp_path: Path, suite: str = "", plugin: str = "", changes: Changes | None = None
) -> tuple[list[str], list[str]]:
    """Return the codes that fail the build, and those that are only told."""
    files: Changes = {**NO_ICON, "suite.yaml": SUITE + suite, SETTINGS: PLUGIN + plugin, **(changes or {})}
    try:
        told = judged(SourceTree(write_sample(tmp_path, files)), "dist")[2]
    except UltraError as error:
        return [line.split(": ")[1] for line in str(error).splitlines()], []
    return [], [problem.code for found in told.values() for problem in found]


def test_strict_fails_on_a_rule_of_the_house_and_client_only_tells_it(tmp_path: Path) -> None:
    assert codes(tmp_path / "a") == (["icon-missing"], [])
    assert codes(tmp_path / "b", "profile: client\n") == ([], ["icon-missing"])
    assert codes(tmp_path / "c", "profile: client\n", "profile: strict\n") == (["icon-missing"], [])
    assert codes(tmp_path / "d", "", "profile: client\n") == ([], ["icon-missing"])


def test_a_build_with_warnings_says_them_again_when_there_is_nothing_to_do(tmp_path: Path) -> None:
    source = write_sample(tmp_path, {**NO_ICON, "suite.yaml": f"{SUITE}profile: client\n"})
    first, again = build(source, tmp_path / "dist"), build(source, tmp_path / "dist")
    assert (first.written > 0, again.written) == (True, 0)
    assert first.warnings == again.warnings == {"icon-missing": 1}


def test_single_codes_are_allowed_and_denied(tmp_path: Path) -> None:
    assert codes(tmp_path / "a", "", "allow: [icon-missing]\n") == ([], [])
    assert codes(tmp_path / "b", "profile: client\n", "deny: [icon-missing]\n") == (["icon-missing"], [])
    assert codes(tmp_path / "c", "profile: client\ndeny: [icon-missing]\n") == (["icon-missing"], [])
    assert codes(tmp_path / "d", "allow: [icon-missing]\n", "allow: [icon-mising]\n") == (
        ["unknown-code"],
        [],
    )
    assert codes(tmp_path / "e", "", "allow: [icon-missing]\ndeny: [icon-missing]\n")[0] == [
        "icon-missing",
        "unknown-code",
    ]


def test_what_the_client_calls_an_error_fails_every_profile(tmp_path: Path) -> None:
    broken: Changes = {f"{FOLDER}/hooks/hooks.json": '{"PreToolUse": []}'}
    for extra in ("", "profile: client\n", "profile: client\nallow: [hooks-wrapper, hooks-value]\n"):
        found = codes(tmp_path / str(len(extra)), extra, changes=broken)[0]
        assert "hooks-wrapper" in found or "hooks-value" in found


def test_the_sources_of_client_plugins_may_have_any_name(tmp_path: Path) -> None:
    text = "---\ndescription: Do this part of the work\n---\nDo it.\n"
    change: Changes = {f"{FOLDER}/commands/Do_It.md": text}
    assert "bad-name" in codes(tmp_path / "a", changes=change)[0]
    assert codes(tmp_path / "b", "profile: client\n", changes=change)[0] == []
