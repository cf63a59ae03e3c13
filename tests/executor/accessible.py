"""Ask axe-core, in a real browser, what people with a keyboard, a screen reader or little contrast cannot use on a page."""

from __future__ import annotations

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.client.binary import cache, locked, run_npm

AXE, VERSION = "axe-core", "4.14.0"
ASK = """
axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]}).then(found => {
  const said = {violations: found.violations.map(one => [one.id, one.nodes.map(node => node.html.slice(0, 200))]),
    passes: found.passes.length, wider: document.documentElement.scrollWidth - innerWidth};
  const place = document.createElement("pre"); place.id = "said"; place.textContent = JSON.stringify(said);
  document.body.append(place);
});
"""


def axe() -> str:
    """Return the script of axe-core, fetched once with npm."""
    folder = cache() / f"{AXE}-{VERSION}"
    cache().mkdir(parents=True, exist_ok=True)
    with locked(cache() / f".{AXE}.lock"):
        script = folder / "node_modules" / AXE / "axe.min.js"
        if not script.is_file():
            run_npm(VERSION, folder, AXE)
    return script.read_text()


def look(browser: str, page: str, folder: Path, width: int, scheme: str) -> dict[str, Any]:
    """Return what axe-core finds on a page that is so wide, and by how much its content is wider."""
    without_policy = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    path = folder / "page.html"
    inner = without_policy.replace("</body>", f"<script>{axe()}</script><script>{ASK}</script></body>")
    path.write_text(inner)
    options = [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900", "--virtual-time-budget=20000",
        f"--blink-settings=preferredColorScheme={1 if scheme == 'light' else 0}", "--dump-dom",
    ]  # fmt: skip
    done = subprocess.run(
        [browser, *options, path.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    found = re.search(r'<pre id="said">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stdout[-500:]
    said: dict[str, Any] = json.loads(html.unescape(found[1]))
    return said
