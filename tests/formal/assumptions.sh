#!/usr/bin/env bash
# What the library's theorems rest on (provers/formal/Assumptions.v) is within the list beside this file. Exit code 77,
# a skipped test, where Coq is not installed or the library is not compiled (provers/formal/run compiles it).
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
formal=$here/../../provers/formal
if ! command -v coqc >/dev/null || [ ! -f "$formal/Assumptions.vo" ]; then
  echo "skipped: Coq is not installed, or the library is not compiled (provers/formal/run does both)"
  exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$formal/Assumptions.v" "$scratch/Assumptions.v"
coqc -q -Q "$formal" Critscale "$scratch/Assumptions.v" >"$scratch/out" 2>"$scratch/errors" || { cat "$scratch/errors"; exit 1; }
grep -oE '^[^ :]+( :|$)' "$scratch/out" | sed 's/ :$//' | grep -v '^Axioms' | sort -u >"$scratch/found" || true
[ -s "$scratch/found" ] || { echo "Assumptions.v printed nothing"; exit 1; }
if comm -23 "$scratch/found" <(sort -u "$here/assumptions.txt") | grep .; then
  echo "are assumed, but not in tests/formal/assumptions.txt"
  exit 1
fi
