"""Serve the page of all projects on this machine alone: read-only, under an address that only its reader knows."""

from __future__ import annotations

import hmac
import os
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from ultra_runtime.errors import UltraError
from ultra_runtime.files.git import run_git
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import PROJECTS
from ultra_runtime.run.life.new_audit import add_audit
from ultra_runtime.standing.project_standing import ProjectStanding, find_projects
from ultra_runtime.status.links import COMMITS, FILES, BoardLinks
from ultra_runtime.status.page import page

HOST = "127.0.0.1"
TEXT, HTML = "text/plain; charset=utf-8", "text/html; charset=utf-8"
LARGEST = 2_000_000
COMMIT_LINES = "--stat", "--patch", "--no-color", "--no-ext-diff", "--no-textconv"
# Fetches the page again and shows what has changed; nothing else moves, so the place and the focus stay.
SCRIPT = """
addEventListener("DOMContentLoaded", () => {
  let tag = "";
  setInterval(async () => {
    try {
      const told = await fetch(location.pathname, {headers: tag ? {"If-None-Match": tag} : {}, cache: "no-store"});
      if (told.status !== 200) return;
      const known = tag; tag = told.headers.get("ETag") || "";
      if (!known) return;
      const fresh = new DOMParser().parseFromString(await told.text(), "text/html").querySelector("main");
      document.querySelector("main").replaceWith(fresh);
    } catch (gone) { document.title = "The board has ended"; }
  }, 2000);
});
"""


class Board:
    """A server for one repository; its address holds a token that is new each time."""

    def __init__(self, root: str, port: int) -> None:
        self.root = root
        self.token = secrets.token_urlsafe(16)
        self.server = ThreadingHTTPServer((HOST, port), _handler(self))
        self.server.daemon_threads = True

    @property
    def address(self) -> str:
        """The address to open."""
        return f"http://{HOST}:{self.server.server_port}/{self.token}/"

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Return the type and the bytes of what an address names, or nothing."""
        _, token, rest = [*path.partition("?")[0].split("/", 2), "", ""][:3]
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        wanted = unquote(rest)
        if not wanted:
            return HTML, self._page()
        if wanted.startswith(FILES):
            return self._file(wanted[len(FILES) :])
        return self._commit(wanted[len(COMMITS) :]) if wanted.startswith(COMMITS) else None

    def _page(self) -> bytes:
        standings = [ProjectStanding(project).audit(add_audit) for project in find_projects(self.root)]
        links = BoardLinks(self.root)
        return page(standings, links, SCRIPT, "board").encode()

    def _file(self, name: str) -> tuple[str, bytes] | None:
        """Return a file of a project, or one that is in the last commit: no other file leaves the disk."""
        path = os.path.realpath(os.path.join(self.root, name))
        if not path.startswith(os.path.realpath(os.path.join(self.root, PROJECTS)) + os.sep):
            return self._git("show", f"HEAD:{name}")
        try:
            return TEXT, read_regular(path)[:LARGEST]
        except UnreadableError:
            return None

    def _commit(self, name: str) -> tuple[str, bytes] | None:
        if not name or name.strip("0123456789abcdef"):
            return None
        return self._git("show", *COMMIT_LINES, name, "--")

    def _git(self, *words: str) -> tuple[str, bytes] | None:
        try:
            done = run_git(self.root, words)
        except UltraError:
            return None
        return None if done.status else (TEXT, done.out[:LARGEST])


def _handler(board: Board) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        server_version, sys_version = "board", ""

        def do_GET(self) -> None:
            # A page of another site may make a browser ask here, but not with the name of this host.
            port = board.server.server_port
            named = self.headers.get("Host", "") in (f"{HOST}:{port}", f"localhost:{port}")
            found = board.answer(self.path) if named else None
            if found is None:
                self._send(404, TEXT, b"not found\n", "")
                return
            kind, content = found
            tag = f'"{hash(content):x}"'
            if self.headers.get("If-None-Match") == tag:
                self._send(304, kind, b"", tag)
            else:
                self._send(200, kind, content, tag)

        def _send(self, status: int, kind: str, content: bytes, tag: str) -> None:
            self.send_response(status)
            for name, value in (
                ("Content-Type", kind),
                ("Content-Length", str(len(content))),
                ("ETag", tag),
                ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
            ):
                if value:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *words: object) -> None:
            """Print nothing: the terminal shows the address."""

    return Handler
