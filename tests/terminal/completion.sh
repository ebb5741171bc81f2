#!/usr/bin/env bash
# completion.sh KUBEXX: what the tab key does in bash, zsh and fish.
set -uo pipefail
kubexx=$1
. "$(dirname "$(readlink -f "$0")")/terminal.sh"
for shell in bash zsh fish; do
  command -v $shell >/dev/null || { echo "$shell is not installed (./dev test-interop installs it)" >&2; exit 1; }
done
export PATH=$work:$PATH
serve --workload 8 --workload-rate 0

# completes NAME TYPED SHOWN: a tab after TYPED makes the line end like SHOWN.
completes() {
  t send-keys -l "$2"
  t send-keys Tab
  await "$1" "$3"
  t send-keys C-c
  t send-keys -l ' clear'
  t send-keys Enter
  await "$1: done" "^prompt> *$"
}

# try_all SHELL: in a session that has a prompt.
try_all() {
  completes "$1: a command" 'kubexx wat' '^prompt> kubexx watch *$'
  completes "$1: a command by itself" 'kubexx completion fi' '^prompt> kubexx completion fish *$'
  completes "$1: a flag" 'kubexx get --all-n' '^prompt> kubexx get --all-namespaces *$'
  completes "$1: a resource" 'kubexx get deploym' '^prompt> kubexx get deployments *$'
  completes "$1: a namespace" 'kubexx get pods -n dem' '^prompt> kubexx get pods -n demo *$'
  completes "$1: a value" 'kubexx get pods -o jsonl -n demo --color alw' '--color always *$'
  completes "$1: an object" 'kubexx tree -n demo deployments/we' '^prompt> kubexx tree -n demo deployments/web *$'
  completes "$1: a kind waits for its name" 'kubexx tree -n demo deploym' '^prompt> kubexx tree -n demo deployments/ *$'
}

t new-session -d -x 100 -y 30 "env PS1='prompt> ' bash --norc --noprofile" || exit 1
await "bash" '^prompt>'
type_line 'source <(kubexx completion bash); clear'
await "bash: sourced" '^prompt> *$'
try_all bash
t kill-session

# As a file of $fpath, as `kubexx completion --help` says.
mkdir "$work/zsh"
"$kubexx" completion zsh >"$work/zsh/_kubexx"
t new-session -d -x 100 -y 30 "env PS1='prompt> ' zsh -f" || exit 1
await "zsh" '^prompt>'
type_line "fpath=($work/zsh \$fpath); autoload -U compinit; compinit -u -D; clear"
await "zsh: loaded" '^prompt> *$'
try_all zsh
t kill-session
t new-session -d -x 100 -y 30 "env PS1='prompt> ' zsh -f" || exit 1
await "zsh again" '^prompt>'
type_line 'autoload -U compinit; compinit -u -D; source <(kubexx completion zsh); clear'
await "zsh: sourced" '^prompt> *$'
completes "zsh: sourced" 'kubexx wat' '^prompt> kubexx watch *$'
t kill-session

mkdir -p "$work/.config/fish/completions"
"$kubexx" completion fish >"$work/.config/fish/completions/kubexx.fish"
t new-session -d -x 100 -y 30 "fish -C 'set -g fish_autosuggestion_enabled 0; function fish_prompt; echo -n \"prompt> \"; end; function fish_greeting; end; clear'" || exit 1
await "fish" '^prompt>'
try_all fish

stop_serving
[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
