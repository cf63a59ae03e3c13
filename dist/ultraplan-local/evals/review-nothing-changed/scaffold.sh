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
git add .
git commit --quiet --message='Add the brief'
