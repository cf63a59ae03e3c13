"""Find what looks like a secret: private keys and the token shapes that well-known services give out.

    for line, what in find_secrets(text):
        report.add("SECRET_FOUND", f"this looks like {what}", line, mild=reading)

The secret itself is never returned, so that nobody can print it. No regular expressions: a rule is a
prefix to search for and the letters that may follow it.
"""

from __future__ import annotations

from ultra_runtime.typed import Callable, Iterator

MOST_FOUND = 20
LONGEST = 4096
DIGITS = "0123456789"
HEX = DIGITS + "abcdef"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
UPPER = DIGITS + CAPITALS
WORD = UPPER + CAPITALS.lower()
DIGIT = frozenset(DIGITS)
URL = WORD + "_-"
BASE64 = WORD + "+/="
# A real token uses its whole alphabet; a few letters repeated are a placeholder.
FEWEST_LETTERS = 6
PLACEHOLDERS = ("example", "placeholder", "redacted", "dummy", "your", "xxxx", "1234567890123456")


class Shape:
    """A prefix, the letters that may follow it and how many, and what such a text is."""

    # No Struct: every validation makes all of them.
    __slots__ = ("alphabet", "fits", "least", "most", "prefix", "what")

    def __init__(
        self,
        prefix: str,
        alphabet: str,
        least: int,
        most: int,
        what: str,
        fits: Callable[[str], bool] | None = None,
    ) -> None:
        self.prefix = prefix
        self.alphabet = alphabet
        self.least = least
        self.most = most
        self.what = what
        self.fits = fits


def _is_web_token(rest: str) -> bool:
    parts = rest.split(".")
    return len(parts) == 3 and parts[1].startswith("eyJ") and all(len(part) >= 10 for part in parts)


def _is_slack_hook(rest: str) -> bool:
    parts = rest.split("/")
    return len(parts) == 3 and parts[1].startswith("B") and len(parts[2]) >= 20


def _has_digit(rest: str) -> bool:
    return not DIGIT.isdisjoint(rest)


def _is_mixed(rest: str) -> bool:
    """Tell a random text from words with dashes between them."""
    return _has_digit(rest) and rest.lower() != rest != rest.upper()


SHAPES = (
    Shape("AKIA", UPPER, 16, 16, "an AWS access key"),
    Shape("ASIA", UPPER, 16, 16, "an AWS access key", _has_digit),
    *[Shape(f"gh{kind}_", WORD, 36, 255, "a GitHub token") for kind in "pousr"],
    Shape("github_pat_", WORD + "_", 40, 255, "a GitHub token"),
    *[
        Shape(f"gl{kind}-", URL + ".", 20, 255, "a GitLab token")
        for kind in ("pat", "dt", "rt", "ptt", "cbt", "soat")
    ],
    *[Shape(f"xox{kind}-", WORD + "-", 24, 255, "a Slack token", _is_mixed) for kind in "abeoprs"],
    Shape("xapp-", WORD + "-", 30, 255, "a Slack token", _is_mixed),
    Shape("hooks.slack.com/services/T", WORD + "/", 30, 100, "a Slack webhook", _is_slack_hook),
    Shape("AIza", URL, 35, 35, "a Google API key"),
    Shape("ya29.", URL, 20, LONGEST, "a Google access token", _is_mixed),
    Shape("GOCSPX-", URL, 28, 28, "a Google client secret"),
    Shape("sk-ant-", URL, 20, 255, "an Anthropic key", _is_mixed),
    *[
        Shape(f"sk-{kind}-", URL, 20, 255, "an OpenAI key", _is_mixed)
        for kind in ("proj", "svcacct", "admin")
    ],
    Shape("sk-", WORD, 32, 255, "an OpenAI key", _is_mixed),
    Shape("npm_", WORD, 36, 36, "an npm token"),
    Shape("pypi-", URL, 50, 512, "a PyPI token", _is_mixed),
    *[
        Shape(f"{kind}_{mode}_", WORD, 20, 255, "a Stripe key")
        for kind in ("sk", "rk")
        for mode in ("live", "test")
    ],
    Shape("whsec_", BASE64, 32, 100, "a webhook secret", _is_mixed),
    Shape("SG.", URL + ".", 60, 80, "a SendGrid key", lambda rest: rest.count(".") == 1),
    Shape("hf_", WORD, 34, 40, "a Hugging Face token"),
    Shape("dop_v1_", HEX, 64, 64, "a DigitalOcean token"),
    Shape("shpat_", HEX, 32, 32, "a Shopify token"),
    Shape("dckr_pat_", URL, 27, 40, "a Docker token"),
    Shape("hvs.", URL, 24, 255, "a Vault token", _is_mixed),
    Shape("AGE-SECRET-KEY-1", UPPER, 58, 58, "a private key"),
    Shape("AccountKey=", BASE64, 80, 100, "an Azure storage key"),
    Shape("eyJ", URL + ".", 40, LONGEST, "a JSON web token", _is_web_token),
)
NAMED_VALUE = "aws_secret_access_key"
KEY_HEAD = "-----BEGIN "
KEY_NAME = "PRIVATE KEY"
KEY_END = "-----END "
PRIVATE_KEY = "a private key"
LONGEST_KEY = 120
KEY_FIELDS = ("Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:")


def find_secrets(text: str) -> list[tuple[int, str]]:
    """Return line and kind of the first things that look like secrets."""
    return list(_by_line(text, MOST_FOUND).items())


def secret_lines(text: str) -> dict[int, str]:
    """Return every line that looks like a secret or a part of one, with its kind."""
    lines = _by_line(text, None)
    texts = text.split("\n")
    for first in [line for line, what in lines.items() if what == PRIVATE_KEY]:
        rest = texts[first - 1 : first - 1 + LONGEST_KEY]
        ends = (number for number, line in enumerate(rest, first) if KEY_END in line)
        # Without an end, every line that could belong to the key counts.
        last = next(ends, first + len(rest) - 1)
        lines.update((number, PRIVATE_KEY) for number in range(first, last + 1))
    return lines


def _by_line(text: str, most: int | None) -> dict[int, str]:
    """Return the lines on which a secret begins, each with its kind."""
    found = {place: shape.what for shape in SHAPES for place in _places(text, shape)}
    found.update((place, PRIVATE_KEY) for place in _private_keys(text))
    found.update((place, "an AWS secret key") for place in _named_values(text))
    lines: dict[int, str] = {}
    line, counted = 1, 0
    for place in sorted(found)[:most]:
        line, counted = line + text.count("\n", counted, place), place
        lines.setdefault(line, found[place])
    return lines


def _occurrences(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + len(part))


def _places(text: str, shape: Shape) -> Iterator[int]:
    prefix = shape.prefix
    for place in _occurrences(text, prefix):
        before = text[place - 1 : place]
        if before.isascii() and before.isalnum():
            continue
        rest = _run(text, place + len(prefix), shape)
        fits = shape.least <= len(rest) <= shape.most and (shape.fits is None or shape.fits(rest))
        if fits and not _is_placeholder(rest):
            yield place


def _run(text: str, start: int, shape: Shape) -> str:
    """Return the letters of the alphabet from here on, without the full stop or dash that ends a sentence."""
    if text[start : start + shape.least].rstrip(shape.alphabet):
        return ""
    piece = text[start : start + shape.most + 1]
    return piece[: len(piece) - len(piece.lstrip(shape.alphabet))].rstrip(".-/")


def _is_placeholder(rest: str) -> bool:
    low = rest.lower()
    return len(set(rest)) < FEWEST_LETTERS or any(word in low for word in PLACEHOLDERS)


def _private_keys(text: str) -> Iterator[int]:
    """Yield the places of private keys; a head alone, as prose quotes it, does not count."""
    for place in _occurrences(text, KEY_HEAD):
        head, dashes, body = text[place + len(KEY_HEAD) : place + 400].partition("-----")
        body = body.replace("\\r", "").replace("\\n", "\n").lstrip(" \t\r>|\"'+")
        if dashes and KEY_NAME in head and "\n" not in head and body.startswith("\n"):
            first = body.lstrip(" \t\r\n>|\"'+").split("\n", 1)[0]
            if first.startswith(KEY_FIELDS) or len(first) - len(first.lstrip(BASE64)) >= 16:
                yield place


def _named_values(text: str) -> Iterator[int]:
    low = text.lower() if NAMED_VALUE[:3] in text or NAMED_VALUE[:3].upper() in text else ""
    for place in _occurrences(low, NAMED_VALUE):
        start = place + len(NAMED_VALUE)
        value = text[start : start + 60].lstrip(" \t:=\"'")
        run = value[: len(value) - len(value.lstrip(BASE64))]
        if len(run) == 40 and not _is_placeholder(run):
            yield place
