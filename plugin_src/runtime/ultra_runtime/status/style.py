"""The style sheet of the page."""

STYLE = """
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --text: #1b2430; --quiet: #5d6b7c; --line: #dde3ea;
  --done: #177245; --done-b: #e2f4ea; --now: #1f5fbf; --now-b: #e3edfb; --wait: #57626e; --wait-b: #eceff3;
  --bad: #b3261e; --bad-b: #fbe6e4; --warn: #8a5a00; --warn-b: #fbf0d5; }
@media (prefers-color-scheme: dark) {
  :root { --back: #12171e; --card: #1a212b; --text: #e6ebf1; --quiet: #98a6b5; --line: #2c3744;
    --done: #5fd39a; --done-b: #173527; --now: #7fb2ff; --now-b: #1a2d4a; --wait: #95a2b0; --wait-b: #242d38;
    --bad: #ff8f86; --bad-b: #43211f; --warn: #f0c05a; --warn-b: #3a2f16; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 1060px; margin: 0 auto; padding: 32px 20px 48px; }
h1 { margin: 2px 0 8px; font-size: 26px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0 0 10px; font-size: 17px; }
h3 { margin: 0 0 8px; font-size: 14px; color: var(--quiet); }
header p { margin: 0 0 14px; }
.path, code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
.path, .quiet { color: var(--quiet); }
.quiet { font-size: 13px; overflow-wrap: anywhere; }
section { margin-top: 18px; padding: 18px 20px; background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; }
section > p { margin: 0 0 10px; }
section > :last-child { margin-bottom: 0; }
.next { border-left: 5px solid var(--now); }
pre { margin: 0; padding: 11px 14px; background: var(--back); border: 1px solid var(--line); border-radius: 8px;
  white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 5px 22px; margin: 18px 0 0; padding: 16px 20px;
  background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
a { color: var(--now); }
:focus-visible { outline: 2px solid var(--now); outline-offset: 2px; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 14px; font-size: 13px; }
details { margin-top: 4px; font-size: 13px; }
article + article, section + article { margin-top: 44px; padding-top: 12px; border-top: 2px solid var(--line); }
@media (max-width: 480px) { main { padding: 16px 10px 32px; } section { padding: 14px 12px; } dl { grid-template-columns: 1fr; } }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 8px 12px 8px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child td { border-bottom: 0; }
th { color: var(--quiet); font-weight: 600; font-size: 13px; white-space: nowrap; }
td { overflow-wrap: anywhere; min-width: 3em; }
td:last-child, th:last-child { padding-right: 0; }
ul { margin: 0; padding-left: 20px; overflow-wrap: anywhere; }
.tight { white-space: nowrap; }
.pill { display: inline-block; padding: 1px 10px; border-radius: 99px; font-size: 13px; font-weight: 600;
  white-space: nowrap; color: var(--c); background: var(--b); }
.done { --c: var(--done); --b: var(--done-b); }
.now { --c: var(--now); --b: var(--now-b); }
.wait { --c: var(--wait); --b: var(--wait-b); }
.bad { --c: var(--bad); --b: var(--bad-b); }
.warn { --c: var(--warn); --b: var(--warn-b); }
svg { display: block; }
.pipeline { width: 100%; min-width: 760px; height: auto; font: 12.5px system-ui, "DejaVu Sans", sans-serif; }
.pipeline rect { fill: var(--b); stroke: var(--c); stroke-opacity: .35; }
.pipeline .here rect { stroke-opacity: 1; stroke-width: 2.5; }
.pipeline text { fill: var(--text); }
.pipeline .name { font-weight: 650; font-size: 16px; }
.disc { fill: var(--c); }
.sign { fill: none; stroke: var(--card); stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round; }
.link { fill: none; stroke: var(--quiet); stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.track { width: 100%; height: 12px; margin: 4px 0 12px; }
.track rect { fill: var(--c); }
.track .wait rect { fill: var(--line); }
.waves { display: flex; flex-wrap: wrap; gap: 18px; }
.wave { flex: 1 1 220px; }
.cards { display: grid; gap: 10px; }
.card { padding: 12px 14px; border: 1px solid var(--line); border-radius: 10px; overflow-wrap: anywhere; }
.card .pill { margin-top: 6px; }
footer { margin-top: 22px; color: var(--quiet); font-size: 13px; }
@media print { body { background: none; } section, dl { break-inside: avoid; } }
"""
