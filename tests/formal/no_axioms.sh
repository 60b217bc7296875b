#!/usr/bin/env bash
# The Coq library has no hole: no Admitted, admit, Axiom, Parameter, Conjecture or Hypothesis outside of a section
# that is closed again. Needs no Coq. Usage: no_axioms.sh [FOLDER]
set -euo pipefail
folder=${1:-$(dirname -- "${BASH_SOURCE[0]}")/../../provers/formal}
status=0
if grep -nE '\b(Admitted|admit|give_up|Axiom|Axioms|Parameter|Parameters|Conjecture|Unset Guard Checking|bypass_check)\b' "$folder"/*.v; then
  echo "a proof is missing" >&2
  status=1
fi
for file in "$folder"/*.v; do
  # Variables and Hypotheses become axioms where no section is open.
  awk -v file="$file" '
    /^ *Section / { open++ } /^ *End / { open-- }
    /^ *(Variable|Variables|Hypothesis|Hypotheses|Context)[ (]/ && open <= 0 { print file ":" FNR ": " $0; bad = 1 }
    END { exit bad }' "$file" || status=1
done
# Every theorem of the library is among those whose assumptions are printed.
if [ -f "$folder/Assumptions.v" ] && [ -f "$folder/_CoqProject" ]; then
  for file in $(grep '\.v$' "$folder/_CoqProject"); do
    [ "$file" = Assumptions.v ] && continue
    for theorem in $(sed -nE "s/^ *(Theorem|Corollary) +([A-Za-z_0-9']+).*/\2/p" "$folder/$file"); do
      grep -qE "^  ${file%.v}\.$theorem[,)]" "$folder/Assumptions.v" && continue
      echo "$folder/$file: $theorem is not in Assumptions.v" >&2
      status=1
    done
  done
  # (Statements.v only prints; tests/formal/statements.py compiles it.)
  for file in "$folder"/*.v; do
    [ "${file##*/}" = Statements.v ] && continue
    grep -qx "$(basename "$file")" "$folder/_CoqProject" && continue
    echo "$file is not in _CoqProject" >&2
    status=1
  done
fi
exit "$status"
