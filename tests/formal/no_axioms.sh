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
exit "$status"
