#!/bin/sh
# A client without a model for the tests that kill: does the one step of its session with git alone, as often as it is asked.
# `claude -p "... --session N ..."`; step N makes src/partN.py, and a ref says that it is done.
case " $* " in *" --version "*) echo "99.0.0 (Claude Code)"; exit 0 ;; esac
rest=${2#*--session }
number=${rest%% *}
set -e
rm -f "$(git rev-parse --git-dir)/index.lock" # this attempt is alone in its tree, and the one before it may have been killed
if ! git log --format=%s | grep -qx "feat: part $number"; then
    mkdir -p src
    echo "part $number" >"src/part$number.py"
    git add "src/part$number.py"
    git commit --quiet --message="feat: part $number"
fi
git update-ref "refs/ultra/run/2026-01-31-greet-session-$number/step-$number" HEAD
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","total_cost_usd":0.25,"usage":{"input_tokens":100}}'
