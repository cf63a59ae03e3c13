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
cat > "$project/plan.md" <<'PLAN'
---
plan_version: "1.7"
---

# Greet people

## Implementation Plan

### Step 1: Write the greeting

- **Files:** `src/greeting.txt`
- **Changes:** Write the one line `Hello, Ada!`.
- **Verify:** `grep -c Ada src/greeting.txt`
- **On failure:** revert
- **Checkpoint:** `git commit -m "feat: write the greeting"`
- **Manifest:**

  ```yaml
  manifest:
    expected_paths: [src/greeting.txt]
    min_file_count: 1
    commit_message_pattern: "^feat: write"
    bash_syntax_check: []
    forbidden_paths: [build/]
    must_contain: [{path: src/greeting.txt, pattern: "^Hello, Ada!$"}]
  ```

### Step 2: Tell where it is

- **Files:** `README.md`
- **Changes:** Add the line `The greeting is in src/greeting.txt.` at the end.
- **Verify:** `grep -c greeting.txt README.md`
- **On failure:** revert
- **Checkpoint:** `git commit -m "docs: tell where the greeting is"`
- **Manifest:**

  ```yaml
  manifest:
    expected_paths: [README.md]
    min_file_count: 1
    commit_message_pattern: "^docs: tell"
    bash_syntax_check: []
    forbidden_paths: [src/]
    must_contain: []
  ```

## Verification

- `grep -c Ada src/greeting.txt`
PLAN
# The case continues the session of history.jsonl, so the run belongs to that session.
export CLAUDE_CODE_SESSION_ID=11111111-2222-4333-8444-555555555555
ultra run start "$project/plan.md" > /dev/null
