"""Real shapes of tokens are found with their line; what only looks long and odd is not."""

from __future__ import annotations

import base64
import hashlib
import random
import string
import time
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.table import each
from ultra_runtime.files.secret_scan import (
    FEWEST_LETTERS,
    LONGEST_KEY,
    SHAPES,
    Shape,
    find_secrets,
    secret_lines,
)

RANDOM = random.Random(7)  # noqa: S311 - the same tokens every time
WORD = string.ascii_letters + string.digits


def drawn(count: int, letters: str = WORD) -> str:
    """Return letters that hold a digit, a capital and a small one, where there are such."""
    text = "".join(RANDOM.choices(letters, k=count))
    fixed = "".join(one for one in "3Kq" if one in letters)
    return fixed + text[len(fixed) :]


CAPITALS = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
# Written in pieces, so that no scanner of repositories takes this file for a leak.
TOKENS = {
    "an AWS access key": ["AKI" + "A" + drawn(16, CAPITALS), "ASI" + "A" + drawn(16, CAPITALS)],
    "a GitHub token": [f"gh{kind}" + "_" + drawn(36) for kind in "pousr"] + ["github_" + "pat_" + drawn(22) + "_" + drawn(59)],
    "a GitLab token": ["glpat" + "-" + drawn(20)],
    "a Slack token": ["xoxb" + "-123456789012-1234567890123-" + drawn(24)],
    "a Slack webhook": ["https://hooks.slack.com" + "/services/T0" + drawn(8, CAPITALS) + "/B0" + drawn(8, CAPITALS) + "/" + drawn(24)],
    "a Google API key": ["AIza" + drawn(35)],
    "an Anthropic key": ["sk-ant" + "-api03-" + drawn(93) + "AA"],
    "an OpenAI key": ["sk-" + drawn(48), "sk-proj" + "-" + drawn(60)],
    "an npm token": ["npm" + "_" + drawn(36)],
    "a PyPI token": ["pypi" + "-AgEIcHlwaS5vcmc" + drawn(70)],
    "a Stripe key": ["sk_live" + "_" + drawn(24), "rk_test" + "_" + drawn(24)],
    "a SendGrid key": ["SG" + "." + drawn(22) + "." + drawn(43)],
    "a Hugging Face token": ["hf" + "_" + drawn(34)],
    "a DigitalOcean token": ["dop_v1" + "_" + drawn(64, HEX)],
    "a JSON web token": ["eyJ" + drawn(33) + ".eyJ" + drawn(60) + "." + drawn(43)],
    "a private key": [
        f"-----BEGIN {kind}PRIVATE KEY{end}-----\n{drawn(64)}\n{drawn(64)}\n-----END {kind}PRIVATE KEY{end}-----"
        for kind, end in (("", ""), ("RSA ", ""), ("OPENSSH ", ""), ("EC ", ""), ("ENCRYPTED ", ""), ("PGP ", " BLOCK"))
    ],
    "an AWS secret key": ["aws_secret_access_key = " + drawn(40), 'AWS_SECRET_ACCESS_KEY="' + drawn(40) + '"'],
}  # fmt: skip
AROUND = ["{}", "token: {}", "`{}`", "KEY={}", '"{}",', "export X='{}'", "(see {}).", "https://{}@host/x"]


@each((what, one, around) for what, many in TOKENS.items() for one in many for around in AROUND)
def test_a_token_is_found_wherever_it_stands(what: str, token: str, around: str) -> None:
    if what in ("a private key", "an AWS secret key") and around != "{}":
        around = "{}"
    text = f"# Plan\n\nSome words.\n{around.format(token)}\nMore words.\n"
    assert find_secrets(text) == [(4, what)]
    assert find_secrets(text.replace("\n", "\r\n")) == [(4, what)]


# Shapes whose parts have lengths of their own.
IN_PARTS = ("eyJ", "SG.", "hooks.slack.com/services/T")


# Prefix -> the fewest and the most letters behind it, as the services give their tokens out.
LENGTHS = {
    **dict.fromkeys(("AKIA", "ASIA"), (16, 16)), **{f"gh{kind}_": (36, 255) for kind in "pousr"}, "github_pat_": (40, 255),
    **{f"gl{kind}-": (20, 255) for kind in ("pat", "dt", "rt", "ptt", "cbt", "soat")}, "xapp-": (30, 255),
    **{f"xox{kind}-": (24, 255) for kind in "abeoprs"}, "hooks.slack.com/services/T": (30, 100), "AIza": (35, 35),
    "ya29.": (20, 4096), "GOCSPX-": (28, 28), "sk-": (32, 255), "npm_": (36, 36), "pypi-": (50, 512), "whsec_": (32, 100),
    **{f"sk-{kind}-": (20, 255) for kind in ("ant", "proj", "svcacct", "admin")}, "SG.": (60, 80), "hf_": (34, 40),
    **{f"{kind}_{mode}_": (20, 255) for kind in ("sk", "rk") for mode in ("live", "test")}, "dop_v1_": (64, 64),
    "shpat_": (32, 32), "dckr_pat_": (27, 40), "hvs.": (24, 255), "AGE-SECRET-KEY-1": (58, 58), "AccountKey=": (80, 100),
    "eyJ": (40, 4096),
}  # fmt: skip


def test_every_shape_has_the_lengths_of_its_service() -> None:
    assert {shape.prefix: (shape.least, shape.most) for shape in SHAPES} == LENGTHS


def made(alphabet: str, count: int) -> str:
    """Return a text of all letters of an alphabet in turn, mixed, with no sign at its end."""
    letters = "".join(one for one in alphabet if one.isalnum())
    return "".join(letters[(3 + 7 * at) % len(letters)] for at in range(count))


@each(shape for shape in SHAPES if shape.prefix not in IN_PARTS)
def test_a_token_has_at_least_and_at_most_so_many_letters(shape: Shape) -> None:
    for count in (shape.least - 1, shape.least, shape.most, shape.most + 1):
        token = shape.prefix + made(shape.alphabet, count)
        is_one = shape.least <= count <= shape.most
        assert find_secrets(f"a {token}.\n") == ([(1, shape.what)] if is_one else []), count
        assert find_secrets(f"aB3{token}\n") == []
    few = (made(shape.alphabet, FEWEST_LETTERS - 1) * shape.least)[: shape.least]
    assert find_secrets(f"{shape.prefix}{few}\n") == []


@each((least, parts) for least in (9, 10) for parts in (2, 3, 4))
def test_a_web_token_has_three_parts_of_ten_letters(least: int, parts: int) -> None:
    head, rest = drawn(40), "eyJ" + drawn(least - 3)
    token = ".".join([f"eyJ{head}", rest, *[drawn(least)] * (parts - 2)])
    assert bool(find_secrets(token)) == (least >= 10 and parts == 3)


@pytest.mark.parametrize("length", [LONGEST_KEY - 1, LONGEST_KEY, LONGEST_KEY + 1])
@pytest.mark.parametrize("is_closed", [True, False])
def test_all_lines_of_a_private_key_are_known(length: int, is_closed: bool) -> None:
    end = ["-----END RSA PRIVATE KEY-----"] if is_closed else [drawn(64)]
    key = ["-----BEGIN RSA PRIVATE KEY-----", *(drawn(64) for _ in range(length - 2)), *end]
    found = secret_lines("\n".join(["first", *key, "last"]))
    last = 1 + (length if is_closed and length <= LONGEST_KEY else min(LONGEST_KEY, length + (not is_closed)))
    assert list(found) == list(range(2, last + 1))
    assert set(found.values()) == {"a private key"}


def test_a_key_inside_json_or_a_quotation_is_found_too() -> None:
    body = drawn(64)
    assert find_secrets(f'{{"private_key": "-----BEGIN PRIVATE KEY-----\\n{body}\\n"}}')
    assert find_secrets(f"> -----BEGIN RSA PRIVATE KEY-----\n> Proc-Type: 4,ENCRYPTED\n> {body}\n")
    assert find_secrets(f"    -----BEGIN EC PRIVATE KEY-----\n    {body}\n")


@pytest.mark.parametrize(
    "text",
    [
        hashlib.sha1(b"x", usedforsecurity=False).hexdigest(),
        hashlib.sha256(b"x").hexdigest(),
        "sha256-" + base64.b64encode(hashlib.sha256(b"x").digest()).decode(),
        str(uuid.UUID(int=RANDOM.getrandbits(128))),
        "data:image/png;base64," + base64.b64encode(RANDOM.randbytes(60_000)).decode(),
        base64.urlsafe_b64encode(RANDOM.randbytes(60_000)).decode(),
        "AKIAEXAMPLE",
        "AKIAIOSFODNN7EXAMPLE",
        "AKIAXXXXXXXXXXXXXXXX",
        "ghp_" + "x" * 36,
        "ghp_your_token_here",
        "ghp_" + "yourTokenHere" * 3,
        "sk-ant-...",
        "sk-ant-api03-your-key-goes-here-and-nowhere-else",
        "sk-proj-management-and-other-things-that-matter-2",
        "sk_live_" + "0" * 24,
        "xoxb-this-is-where-your-bot-token-goes-in-the-end",
        "the task-force, a risk-based approach, disk-" + "a" * 40,
        "ask-" + drawn(48),
        "pypi-publish-workflow-with-trusted-publishing-and-attestations-v2",
        "eyJhbGciOiJIUzI1NiJ9",
        "refuse a file with `-----BEGIN PRIVATE KEY-----` in it",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\n" + "A" * 64,
        "-----BEGIN CERTIFICATE-----\n" + "MIIB" * 16,
        "aws_secret_access_key = <your key>",
        "aws_secret_access_key from the environment",
        "ASIA" + "PACIFICREGIONALX",
        "npm_config_registry=https://registry.example.org",
        "https://hooks.slack.com/services/T000/B000/XXX",
        "",
    ],
)  # fmt: skip
def test_what_is_no_secret_passes(text: str) -> None:
    assert find_secrets(text) == []


def test_the_secret_is_never_in_the_answer() -> None:
    for tokens in TOKENS.values():
        for token in tokens:
            told = repr(find_secrets(token))
            assert not any(token[at : at + 12] in told for at in range(0, len(token) - 12, 4))


def test_two_on_two_lines_are_two_and_many_are_some() -> None:
    token = TOKENS["a GitHub token"][0]
    assert [line for line, _ in find_secrets(f"{token}\n\n{token} {token}\n")] == [1, 3]
    assert len(find_secrets(f"{token}\n" * 500)) == 20
    assert list(secret_lines(f"{token}\n" * 500)) == [*range(1, 501)]


@given(st.text())
def test_any_text_gets_an_answer(text: str) -> None:
    assert isinstance(find_secrets(text), list)


def test_the_time_grows_with_the_size_and_not_faster() -> None:
    """Every prefix over and over, alone and run together: the shapes that make a search start again."""
    for joint in ("", " ", "-", "."):
        unit = joint.join(shape.prefix for shape in SHAPES) + joint
        seconds = []
        for size in (40_000, 320_000):
            text = unit * (size // len(unit))
            seconds.append(min(_seconds(text) for _ in range(5)))
        assert seconds[1] < seconds[0] * 8 * 4, (joint, seconds)


def _seconds(text: str) -> float:
    began = time.process_time()  # what this process used: a busy machine does not count
    find_secrets(text)
    return time.process_time() - began
