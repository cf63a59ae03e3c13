set -eu
git init --quiet --initial-branch=main
git config user.name Eval
git config user.email eval@example.invalid
git config commit.gpgsign false
mkdir -p src build
printf '# Greet\n' > README.md
printf 'keep\n' > build/keep.txt
git add .
git commit --quiet --message=Begin
project=.claude/projects/2026-01-31-greet
mkdir -p "$project"
printf '# Brief: greet people\n' > "$project/brief.md"
cat > "$project/.session-state.local.json" <<'STATE'
{
  "schema_version": 1,
  "project": ".claude/projects/2026-01-31-greet",
  "next_session_brief_path": ".claude/projects/2026-01-31-greet/brief.md",
  "next_session_label": "Write the greeting",
  "status": "stopped",
  "updated_at": "2026-01-31T12:00:00Z"
}
STATE
