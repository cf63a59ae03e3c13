"""Programs that run text although that is not their work, and programs in other languages: what they run is found."""

from __future__ import annotations

import re

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.kit.table import each

POLICY = policy()
BAD, GOOD, RULE = "rm -rf d", "ls -rf d", "recursive_force_delete"
# Where BAD stands it is run.
# Files and texts beside that of a shell, and what xargs leaves of quotes.
BESIDE = re.compile("ENV=|--rcfile|--init-file|PROMPT_COMMAND|[|] xargs [|]")
RUN = r"""
sed 'e BAD' f
sed -n '1e BAD' f
sed -e p -e 'e BAD' f
sed --expression='e BAD' f
sed '/a/e BAD' f
sed '\,a,e BAD' f
sed 's/a/b/;e BAD' f
sed 'y/a/b/;e BAD' f
sed 's/e/w/;e BAD' f
sed 's/a\/b/c/;e BAD' f
sed '$!{e BAD' f
sed '1~2e BAD' f
sed 's/.*/BAD/e' f
sed 's/.*/BAD/ge' f
sed '1d;2p;e BAD' f
echo 'e BAD' > s; sed -f s f
echo 'e BAD' > s; sed --file=s f
echo '!BAD' | ed f
ed f <<< 'r !BAD'
ed f <<< 'w !BAD'
echo '!BAD' | dc
sqlite3 f '.shell BAD'
sqlite3 f '.system BAD'
echo '.shell BAD' | sqlite3 f
psql -c '\! BAD'
psql -c 'select 1 \! BAD'
mysql -e '\! BAD'
mysql -e 'select 1; \! BAD'
mariadb -e 'a \! BAD'
mysql -e 'system BAD'
gdb -ex 'shell BAD'
gdb -ex '!BAD'
lldb -o 'platform shell BAD'
expect -c 'spawn BAD'
expect -c 'set x 1; exec BAD'
expect -c 'system BAD'
expect -c 'spawn -noecho BAD'
echo 'spawn BAD' | expect
echo 'spawn BAD' > x; expect x
echo 'syscmd(BAD)' | m4
echo 'esyscmd(`BAD`)' | m4
echo 'a syscmd("BAD") b' > x; m4 x
emacs --eval '(shell-command "BAD")'
emacs --eval '(call-process "rm" nil nil nil "-rf" "d")'
emacs --eval '(shell "BAD")'
socat - EXEC:'BAD'
socat - system:'BAD'
socat - SHELL:'BAD'
socat - EXEC:'BAD',pty
tar -I 'BAD' -cf x y
tar --use-compress-program='BAD' -cf x y
tar --to-command='BAD' -xf x
tar --to-command 'BAD' -xf x
tar --checkpoint-action=exec='BAD' -cf x y
tar --info-script='BAD' -xf x
tar -F 'BAD' -xf x
tar --rsh-command='BAD' -xf x
ssh -o ProxyCommand='BAD' host
ssh -o 'ProxyCommand BAD' host
ssh -oLocalCommand='BAD' host
scp -o KnownHostsCommand='BAD' a b
sftp -o proxycommand='BAD' host
make --eval='a: ; BAD'
make --eval 'a:; BAD'
printf 'a:\n\tBAD\n' > Makefile; make
printf 'a:\n\t@BAD\n' > makefile; make
printf 'a:\n\t-BAD\n' > GNUmakefile; make
printf 'a:\n\t+@BAD\n' > x; make -f x
printf 'a:\n\tBAD\n' > x; make --file=x
printf 'a:\n\tBAD\n' > x; make --makefile x
printf 'a:\n\tBAD\n' | make -f -
printf 'a:\n\tBAD\n' | make -f /dev/stdin
printf 'R = rm\na:\n\t$(R) -rf d\n' > Makefile; make
printf 'R := rm\na:\n\t${R} -rf d\n' > Makefile; make
printf 'R ?= rm\na:\n\t${R} -rf d\n' > Makefile; make
printf 'x = $(shell BAD)\n' > Makefile; make
printf 'a: ; BAD\n' > Makefile; make
npm pkg set scripts.x='BAD'; npm run x
npm pkg set scripts.prex='BAD'; npm run x
npm pkg set scripts.postx='BAD'; npm run-script x
npm set-script x 'BAD'; npm run x
npm pkg set scripts.test='BAD'; npm test
npm pkg set a=b scripts.x='BAD'; yarn x
echo '{"scripts": {"x": "BAD"}}' > package.json; npm run x
echo '{"scripts": {"prex": "BAD"}}' > package.json; pnpm x
echo '{"scripts": {"postx": "BAD"}}' > package.json; bun run x
echo 'BAD' > f; split --filter=sh f
echo 'BAD' | split --filter='bash -s'
split --filter='BAD' f
cmd /c 'BAD'
cmd.exe /C BAD
cmd /k BAD
cmd //c BAD
cmd /q /c BAD
iex 'BAD'
echo 'BAD' | iex
pwsh -Command 'BAD'
pwsh -c 'BAD'
pwsh -c '-not 1; BAD'
echo 'BAD' | pwsh -c -
pwsh -co BAD
pwsh -NoProfile -Command BAD
pwsh BAD
echo 'BAD' | pwsh
echo 'BAD' | pwsh -Command -
env -S 'BAD'
$X bash -c 'BAD'
$X sh -c 'BAD' x
env -S 'rm -rf' d
env --split-string='BAD'
env -S 'FOO=1 rm -rf' d
sudo -s <<< 'BAD'
sudo -i <<< 'BAD'
sudo --shell <<< 'BAD'
sudo --login <<< 'BAD'
doas -s <<< 'BAD'
chroot /x <<< 'BAD'
unshare -r <<< 'BAD'
fakeroot <<< 'BAD'
flock x -c 'BAD'
flock x --command 'BAD'
flock x BAD
su -c 'BAD'
su bob -c 'BAD'
su --command='BAD' bob
su --session-command 'BAD' bob
su <<< 'BAD'
runuser -u bob -- BAD
runuser -u bob BAD
runuser bob -c 'BAD'
runuser <<< 'BAD'
script -c 'BAD'
script -c 'BAD' file
script file BAD
watch BAD
watch 'BAD'
watch -n 1 BAD
watch -x BAD
watch --exec BAD
watch bash -c 'BAD'
ssh host BAD
ssh host 'BAD'
ssh -p 22 host BAD
ssh host <<< 'BAD'
tmux new 'BAD'
tmux new-session -d 'BAD'
tmux new BAD
tmux new -d BAD
tmux new -d -s x rm -rf d
tmux display-popup -d dir BAD
tmux send-keys 'BAD' Enter
tmux send -t x 'BAD' Enter
tmux -L x new 'BAD'
tmux if-shell true 'BAD'
vim -c ':!BAD'
vim '+!BAD'
vim -c '!BAD' f
vim -c 'silent !BAD'
vim -c 'silent! !BAD'
vim -c 'r !BAD'
vim -c 'w !BAD'
vim -c '%!BAD'
vim -c 'call system("BAD")'
vim -c 'exe "!BAD"'
echo ':!BAD' | ex f
xargs -a f rm -rf
echo d | xargs rm -rf
echo '-rf d' | xargs rm
echo 'rm -rf d' | xargs -I{} sh -c '{}'
echo 'rm -rf d' | xargs -I % sh -c %
echo 'rm -rf d' | xargs -i sh -c '{}'
echo 'rm -rf d' | xargs --replace=@ sh -c @
echo 'rm -rf d' | xargs --replace sh -c '{}'
printf 'ls\nrm -rf d\n' | xargs -I{} sh -c '{}'
echo 'BAD' > x; xargs -a x -I{} sh -c '{}'
echo 'BAD' > x; xargs --arg-file=x -I{} sh -c '{}'
printf 'rm -rf d\0' | xargs -0 sh -c
echo "'rm -rf d'" | xargs sh -c
echo 'rm -rf d' | xargs -d '\n' sh -c
echo 'rm -rf d' | xargs -d '\n' sh -c --
echo 'd' | xargs -n 1 rm -rf
echo 'BAD' | xargs | sh
parallel ::: 'BAD'
parallel rm -rf ::: d
parallel rm -rf {} ::: d
parallel '{}' ::: 'BAD'
parallel 'rm {1}' ::: '-rf d'
parallel rm '{.}' d ::: -rf
parallel -j 2 rm -rf ::: d
parallel sh -c ::: 'BAD'
parallel bash -c '"BAD"' ::: x
echo 'BAD' | parallel
printf 'ls\nrm -rf d\n' | parallel
echo d | parallel rm -rf
parallel ::: ls 'BAD'
parallel rm -rf :::: f
find . -exec BAD \;
find . -exec rm -rf {} \;
find . -exec rm -rf {} +
find . -execdir BAD \;
find . -ok BAD \;
find . -okdir BAD \;
find . -exec ls \; -exec BAD \;
find . -exec ls {} + -exec BAD \;
find . -exec sh -c 'BAD' \;
find . -name x -printf 'BAD\n' | sh
find . -fprintf x 'BAD\n'; sh x
fd -x BAD
fd x -X BAD
fd --exec BAD
fd --exec-batch rm -rf
npx BAD
docker exec box BAD
docker run image BAD
docker run --rm image BAD
docker exec -it box sh -c 'BAD'
kubectl exec pod -- BAD
kubectl exec pod -c box -- BAD
poetry run BAD
nix shell BAD
screen -dm BAD
screen 'BAD'
xterm 'BAD'
npm exec -- BAD
gdb --args BAD
awk 'BEGIN { system("BAD") }'
awk 'BEGIN { "BAD" | getline }'
awk 'BEGIN { print "x" | "BAD" }'
awk 'BEGIN { print "BAD" | "sh" }'
awk 'BEGIN { print "rm" " -rf d" | "sh" }'
awk 'BEGIN { printf "BAD" | "bash" }'
awk -v c='BAD' 'BEGIN { system(c) }'
awk --assign c='BAD' 'BEGIN { system(c) }'
echo 'BAD' | awk '{ system($0) }'
echo 'BAD' | awk '{ system( $0 ) }'
awk 'BEGIN { print "BAD" }' | sh
jq -n '"BAD"' | sh
node -p '"BAD"' | sh
node -pe '"BAD"' | sh
node --print '"BAD"' | sh
python3 -c 'print("BAD")' | sh
ruby -e 'puts "BAD"' | sh
php -r 'echo "BAD";' | sh
perl -e 'print "BAD"' | sh
python3 -c 'open("x","w").write("BAD")'; sh x
python3 -c 'exec("import os; os.system(\"BAD\")")'
node -e 'eval("require(\"child_process\").execSync(\"BAD\")")'
python3 <<< 'import os; os.system("BAD")'
echo 'import os; os.system("BAD")' > x; python3 x
echo 'import os; os.system("BAD")' | python3 -
deno eval 'new Deno.Command("rm", {args: ["-rf", "d"]})'
python3 -W ignore -c 'import os; os.system("BAD")'
python3 -Wignore -c 'import os; os.system("BAD")'
python3 -Bc 'import os; os.system("BAD")'
python3 -c'import os; os.system("BAD")'
perl -we 'system("BAD")'
perl -MPOSIX -e 'system("BAD")'
perl -e 'print 1' -e 'system("BAD")'
ruby -rfileutils -e 'system("BAD")'
node --eval='require("child_process").execSync("BAD")'
node --eval 'require("child_process").execSync("BAD")'
node -r x -e 'require("child_process").execSync("BAD")'
node --require x -e 'require("child_process").execSync("BAD")'
python3 -c 'from os import system as s; s("BAD")'
python3 -c 'import os; getattr(os, "system")("BAD")'
python3 -c 'import os; os.__dict__["system"]("BAD")'
python3 -c 'import os; x = "BAD"; os.system(x)'
python3 -c 'import os; os.system("rm" + " -rf d")'
python3 -c 'import os; os.system("rm %s d" % "-rf")'
python3 -c 'import os; os.system("rm {} d".format("-rf"))'
python3 -c 'import os; os.system(" ".join(["rm", "-rf", "d"]))'
python3 -c 'import os; [os.system(c) for c in ["BAD"]]'
python3 -c 'import subprocess; subprocess.run(["rm", "-rf", "d"])'
python3 -c 'import subprocess; subprocess.call("BAD", shell=True)'
python3 -c 'import os; os.execvp("rm", ["rm", "-rf", "d"])'
python3 -c 'import pty; pty.spawn(["rm", "-rf", "d"])'
python3 -c 'import shutil; shutil.rmtree("d")'
python3 -c 'from shutil import rmtree as r; r("d")'
node -e 'require("fs").rmSync("d", {recursive: true, force: true})'
node -e 'require("child_process").spawn("rm", ["-rf", "d"])'
ruby -e 'require "fileutils"; FileUtils.rm_rf "d"'
ruby -e 'FileUtils.rm_r "d", force: true'
perl -e 'use File::Path; remove_tree("d")'
perl -e 'open(F, "BAD |")'
perl -e 'open(F, "| BAD")'
perl -e 'exec "BAD"'
perl -e 'system qw(rm -rf d)'
perl -e 'my $x = "BAD"; system($x)'
php -r '$x = "BAD"; shell_exec($x);'
osascript -e 'do shell script "BAD"'
lua -e 'os.execute("BAD")'
tclsh <<< 'exec "rm" "-rf" "d"'
git -c core.pager='BAD' log
git -c core.sshCommand='BAD' fetch
git -c alias.x='!BAD' x
git config alias.x '!BAD'; git x
git config --global core.editor 'BAD'; git commit
git submodule foreach 'BAD'
git submodule foreach --recursive BAD
git submodule --quiet foreach -q BAD
git rebase -x 'BAD' HEAD~1
git rebase --exec 'BAD' HEAD~1
git rebase --exec='BAD' HEAD~1
git filter-branch --tree-filter 'BAD'
git filter-branch --index-filter='BAD'
git bisect run BAD
git difftool -x 'BAD'
git difftool --extcmd='BAD'
git grep -O'BAD' x
git grep --open-files-in-pager='BAD' x
git clone -u 'BAD' x
git clone --upload-pack 'BAD' x
git fetch --upload-pack='BAD' x
git push --receive-pack='BAD' x
git archive --exec='BAD' x
git ls-remote --exec='BAD' x
git send-email --to-cmd='BAD' x
git clone 'ext::rm% -rf% d'
PAGER='BAD' git log
GIT_SSH_COMMAND='BAD' git fetch
EDITOR='BAD' visudo
KUBE_EDITOR='BAD' kubectl edit x
PAGER='BAD' man ls
MANPAGER='BAD' man ls
LESSOPEN='|BAD' less f
RSYNC_RSH='BAD' rsync a b:
BASH_ENV=x; echo 'BAD' > x; bash -c ls
ENV=x; echo 'BAD' > x; sh -c ls
echo 'BAD' > x; bash --rcfile x
echo 'BAD' > x; bash --init-file x
PROMPT_COMMAND='BAD' bash
PS1='$(BAD)' bash
PS4='`BAD`' bash -x x
alias ls='BAD'; ls
alias x='rm'; x -rf d
hash -p /bin/rm ls; ls -rf d
trap 'BAD' EXIT
trap -- 'BAD' 0
echo 'BAD' > x; . x
echo 'BAD' > x; source x
echo 'BAD' > x; . ./x
echo 'BAD' > /tmp/x; source /tmp/x
echo 'BAD' > x; chmod +x x; ./x
echo 'BAD' > bin/x; PATH=bin; x
echo 'BAD' > bin/x; PATH=a:bin; x
eval 'BAD'
eval rm -rf d
eval -- 'BAD'
eval "$(echo BAD)"
read x <<< 'BAD'; $x
read -r a b <<< 'rm -rf'; $a $b d
IFS=: read a b <<< rm:-rf; $a $b d
IFS=: read a b <<< rm:-rf:d; $a $b
read -a x <<< 'rm -rf d'; "${x[@]}"
read -d : x <<< 'rm -rf d:x'; $x
IFS= read x <<< 'rm -rf d'; $x
echo 'BAD' > f; read -u 3 x 3< f; $x
mapfile -t x <<< 'BAD'; ${x[0]}
mapfile x <<< 'BAD'; $x
readarray -t <<< 'BAD'; ${MAPFILE[0]}
exec 3<<< 'BAD'; sh <&3
printf -v x 'BAD'; $x
printf -v x '%s' 'BAD'; $x
printf -vx '%s' 'BAD'; $x
printf -v x -- '%s' 'BAD'; $x
set -- rm -rf d; "$@"
set rm -rf d; $@
set -e -- rm -rf d; "$@"
set -o pipefail; set -- rm; $1 -rf d
set -- x rm; shift; $1 -rf d
set -- x y rm; shift 2; $1 -rf d
declare x=rm; $x -rf d
declare -r x=rm; $x -rf d
export x=rm; $x -rf d
x=r; declare x+=m; $x -rf d
x=r; x+=m; $x -rf d
declare -n y=x; x=rm; $y -rf d
declare -n y=x; y=rm; $x -rf d
typeset -n y=x; x=rm; $y -rf d
x=(ls rm); ${x[1]} -rf d
x=([1]=rm); ${x[1]} -rf d
x[1]=rm; ${x[1]} -rf d
x=(a); x+=(rm); ${x[1]} -rf d
let x=1; set -- a rm; shift $x; $1 -rf d
x=rm; y=$x; $y -rf d
x=ls; if a; then x=rm; fi; $x -rf d
x=rm; if a; then x=ls; fi; $x -rf d
x=rm; a && x=ls; $x -rf d
x=ls; for x in a rm; do $x -rf d; done
for x in ls; do y=rm; done; $y -rf d
case $z in a) x=rm;; *) x=ls;; esac; $x -rf d
f() { ls; }; if a; then f() { BAD; }; fi; f
f() { BAD; }; if a; then f() { ls; }; fi; f
set -- ls; if a; then set -- rm; fi; $1 -rf d
set -- rm; if a; then set -- ls; fi; $1 -rf d
f() { "$@"; }; f BAD
f() { $1 -rf d; }; f rm
f() { BAD; }; f
f() { BAD; }
f() { local x=rm; $x -rf d; }; f
cat <<< 'BAD' | sh
echo ${ BAD; }
echo ${| BAD; }
x=${ echo rm; }; $x -rf d
sh <<< 'BAD'
"""


def rows(text: str) -> list[str]:
    """Return the commands of a table, one a line."""
    return text.strip().splitlines()


@each(rows(RUN))
def test_text_that_is_run_is_followed(row: str) -> None:
    assert verdict_for(row.replace("BAD", BAD), POLICY).rule in (RULE, "eval_expansion"), "not seen"


@each(row for row in rows(RUN) if "BAD" in row)
def test_the_same_with_a_harmless_text_passes(row: str) -> None:
    assert verdict_for(row.replace("BAD", GOOD), POLICY).rule in ("", "eval_expansion", "cron_persistence")


# Text that is not run.
NOT_RUN = r"""
sed 's/a/BAD/' f
sed 's/a/e/;p' f
sed 'w BAD' f
sed 'a BAD' f
sed 'i e BAD' f
sed ':e BAD' f
sed '# e BAD' f
sed '/e BAD/d' f
sed 'y/e BAD/f cbd/' f
sed 's/x/e BAD/' f
echo 'BAD' | ed f
sqlite3 f 'BAD'
psql -c 'select 1'
gdb -ex 'system BAD'
mysql -e 'BAD'
expect -c 'send "BAD"'
expect -c 'puts "spawn BAD"'
echo 'BAD' | m4
emacs --eval '(message "BAD")'
socat - 'FILE:BAD'
socat - BAD
tar -cf x 'BAD'
tar --checkpoint-action='BAD' -cf x y
tar --checkpoint-action=echo='BAD' -cf x y
tar -f 'BAD' -cz y
ssh -o User='BAD' host
ssh -i 'BAD' host ls
scp 'BAD' b
printf 'a:\n\tBAD\n' > x; make
printf 'a:\n\tls\n' > Makefile; printf 'a:\n\tBAD\n' > x; make
printf 'a:\n\tls\n' > GNUmakefile; printf 'a:\n\tBAD\n' > Makefile; make
printf 'a:\n\tBAD\n' > Makefile; make -f x
printf 'x = BAD\n' > Makefile; make
printf 'BAD\n' > Makefile; make
npm pkg set scripts.x='BAD'; npm run y
npm pkg set x='BAD'; npm run x
npm pkg set scripts.y='BAD'; npm run x y
npm pkg set scripts.y='BAD'; npm x y
sed p 's/a/BAD/' | sh
echo a | sed -e p 's/a/BAD/' | sh
$X f 'BAD'
$X file bash -c 'BAD'
npm pkg set scripts.x='BAD'
npm pkg get scripts.x='BAD'; npm run x
echo '{"scripts": {"x": "BAD"}}' > package.json; npm run y
echo '{"scripts": {"x": "BAD"}}' > package.json; npm
split 'BAD'
cmd /q BAD
cmd BAD
sudo -l BAD
sudo -e BAD
sudo --list BAD
sudo <<< 'BAD'
doas <<< 'BAD'
command -v rm -rf d
command -V rm -rf d
env <<< 'BAD'
flock x <<< 'BAD'
nohup <<< 'BAD'
su -c ls <<< 'BAD'
runuser -u bob ls <<< 'BAD'
script file ls 'BAD'
watch <<< 'BAD'
tmux ls 'BAD'
tmux new -s reboot
tmux new-session -d -s shutdown ls
tmux kill-session 'BAD'
vim 'BAD'
vim -c 'w' f
vim -c 's/a/!BAD/' f
xargs ls < f
echo 'rm -rf d' | xargs ls
echo 'rm -rf d' | xargs -I{} ls '{}'
echo 'rm -rf d' | xargs -I% sh -c '{}'
parallel ls ::: 'BAD'
find . -name 'BAD'
find . -exec ls 'BAD' \;
find . -exec ls \; -name rm -rf d
find . -printf 'BAD\n'
find . -print 'BAD\n' | sh
fd 'BAD'
docker rm -f box
docker image rm -f x
npm rm -f x
kubectl delete pod
awk 'BEGIN { print "BAD" }'
awk '{ print }' 'BAD'
awk -v c='BAD' 'BEGIN { print c }'
awk 'BEGIN { print "BAD" | "cat" }'
awk 'BEGIN { print "BAD" > "sh" }'
awk -f 'BAD' x
python3 x 'BAD'
python3 -c 'print(1)' 'BAD'
python3 -c 'x = "BAD"'
python3 -c 'print("BAD")'
python3 -m x 'import os; os.system("BAD")'
python3 --version -c 'import os; os.system("BAD")'
python3 -h -c 'x'
python3 -W 'import os; os.system("BAD")' x
python3 -c 'def system(x): pass'
python3 -c 'import re; re.sub("BAD", "", x)'
python3 -c 'run("BAD")'
python3 -c 'app.run("BAD")'
node -e 'exec("BAD")'
node -e 'console.log("BAD")'
node -e 'fs.rmSync("d", {recursive: true})'
node -e 'fs.rmSync("d", {force: true})'
python3 -c 'x.rmtree'
python3 -c 'from shutil import rmtree'
python3 -c 'import shutil as s, rmtree as r'
ruby -e 'FileUtils.rm_r "d"'
perl -e 'open(F, "BAD")'
perl -e 'my $x = "BAD"; print($x)'
osascript -e 'display "BAD"'
git log --grep='BAD'
git commit -m 'BAD'
git -c user.name='BAD' log
git -c alias.x='!BAD' y
git -c alias.x='BAD' x
git config user.name 'BAD'; git x
git config core.editor
git config alias.x '!BAD'; git y
git submodule add 'BAD'
git rebase 'BAD'
git bisect good BAD
git clone x 'BAD'
git fetch --exec='BAD' x
X='BAD' git log
PAGER='BAD' ls
PAGER=less git log
EDITOR='BAD' git-not x
BASH_ENV=x bash -c ls
PS1='BAD' bash
PROMPT_COMMAND= bash
alias ls='BAD'
alias x='BAD'; y
alias -p ls='BAD'; -p
trap - BAD
trap 'BAD'
trap '' BAD
echo 'BAD' > x; . y
echo 'BAD' > x; cat x
echo 'BAD' > bin/x; PATH=other; x
read x <<< 'ls'; $x -rf d
read -r a b <<< 'ls rm'; $a -rf d
IFS=: read a b <<< ls:rm; $a -rf d
read -d l x <<< 'rml'; $x x
mapfile -t x <<< 'ls'; ${x[0]} -rf d
printf -v x ls; $x -rf d
set -- ls rm; $1 -rf d
set -o rm; ls -rf d
set -e; ls -rf d
set -- rm ls; shift; $1 -rf d
set -- rm rm ls; shift 2; $1 -rf d
declare x=ls; $x -rf d
declare -p x=ls; ls -rf d
x=rm; declare x=ls; $x -rf d
x=(rm ls); ${x[1]} -rf d
x=([0]=rm [1]=ls); ${x[1]} -rf d
x=rm; x=ls; $x -rf d
x=rm; unset x; x=ls; $x -rf d
f() { local x=rm; }; x=ls; f; $x -rf d
(set -- rm); set -- ls; $1 -rf d
x=ls; bash -c 'x=rm'; $x -rf d
x=ls; sh -c 'f() { :; }; x=rm'; $x -rf d
x=ls; echo 'x=rm' | sh; $x -rf d
x=ls; echo 'x=rm' > s; sh s; $x -rf d
x=ls; x=rm true; $x -rf d
x=ls; env x=rm true; $x -rf d
"""


@each(rows(NOT_RUN))
def test_text_that_is_not_run_is_left_alone(row: str) -> None:
    assert verdict_for(row.replace("BAD", BAD), POLICY).rule == ""


@each(row for row in rows(RUN) if "'BAD'" in row)
def test_only_a_shell_must_be_able_to_read_its_text(row: str) -> None:
    """What another program is given may be no text for a shell at all."""
    verdict = verdict_for(row.replace("BAD", 'a "b'), POLICY)
    assert verdict.unreadable == bool(re.search(r"(?<!-)\b(sh|bash|eval)\b", row) and not BESIDE.search(row))
    assert verdict.rule in ("", "unreadable")
