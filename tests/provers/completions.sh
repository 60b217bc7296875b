#!/usr/bin/env bash
# Completions and man page: bash completes what it should, the others are read by their programs where those are there.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for form in man bash zsh fish markdown; do "$program" describe "$form" > "$folder/$form"; done

complete_words() { # words...
  bash --norc -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _critscale; printf "%s\n" "${COMPREPLY[@]}"' \
    _ "$folder/bash" "$@"
}
expect() { # wanted, then the words
  local wanted=$1; shift
  local found; found=$(complete_words "$@")
  grep -qx -- "$wanted" <<<"$found" || { echo "completing '$*': no '$wanted' in: $found"; exit 1; }
}
expect eval critscale ev
expect report critscale ""
expect --gamma-ratio critscale eval --gam
expect json critscale limit --format js
expect latex critscale limit --format ""
[ -z "$(complete_words critscale eval --speed)" ] || { echo "an option that does not exist was completed"; exit 1; }

# Every subcommand and every long option of the help is in each of them.
for command in $("$program" --help | awk '/^Subcommands:/ { on = 1; next } on && NF { print $1 }'); do
  for option in $("$program" "$command" --help | grep -o -- '^  *\(-[a-z],\)\?--[a-z-]*' | grep -o -- '--[a-z-]*'); do
    for form in bash zsh markdown; do
      grep -q -- "$option" "$folder/$form" || { echo "$form: no $option of $command"; exit 1; }
    done
    grep -q -- " -l ${option#--}" "$folder/fish" || { echo "fish: no $option of $command"; exit 1; }
    grep -q -- "${option//-/\\\\-}" "$folder/man" || { echo "man: no $option of $command"; exit 1; }
  done
done
if command -v zsh >/dev/null; then
  mkdir "$folder/functions"
  cp "$folder/zsh" "$folder/functions/_critscale"
  loaded=$(zsh -f -c 'fpath=($1 $fpath); autoload -Uz compinit; compinit -u -D; autoload +X _critscale; print -r -- $_comps[critscale]' \
    _ "$folder/functions")
  [ "$loaded" = _critscale ] || { echo "zsh completes critscale by '$loaded'"; exit 1; }
else echo "zsh is not there: its file was not read"; fi
if command -v fish >/dev/null; then
  for wanted in "critscale ev:eval" "critscale eval --gam:--gamma-ratio" "critscale limit --format :latex"; do
    HOME=$folder XDG_CONFIG_HOME=$folder XDG_DATA_HOME=$folder fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
      "$folder/fish" "${wanted%:*}" | cut -f1 | grep -qx -- "${wanted##*:}" || { echo "fish does not complete '$wanted'"; exit 1; }
  done
else echo "fish is not there: its file was not read"; fi
if command -v man >/dev/null; then
  warnings=$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$folder/man" 2>&1 >/dev/null)
  [ -z "$warnings" ] || { echo "man: $warnings"; exit 1; }
else echo "man is not there: the page was not read"; fi
echo "completions and man page are right"
