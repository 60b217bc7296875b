#!/usr/bin/env bash
# Several processes by mpirun: the same bytes as one, whatever their number; a table that is killed goes on with
# another number; bad input is said once. Without mpirun it is skipped (77).
#
#     tests/mpirun.sh PROGRAM CASE_FILE FOLDER
set -euo pipefail

program=$1 cases=$2 folder=$3
command -v mpirun >/dev/null || { echo "no mpirun here: skipped"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

run() { mpirun -n "$1" "$program" "${@:2}" 2>>log; }
fail() { echo "$*" >&2; exit 1; }

# attention: rows of the binary64 path and of the Ball path, gradients, grouped heads.
attention=(attention --gaussian n=300,m=290,d=16,heads=4,key_heads=2 --seed 3 --causal bottom-right --sink 1/2
  --format json)
"$program" "${attention[@]}" --digits 8 -o one8.json
"$program" "${attention[@]}" --digits 20 --quantities lse --quantities entropy --quantities output -o one20.json
small=(attention --gaussian n=40,d=8,heads=2,key_heads=2 --d-out gaussian --digits 5)
"$program" "${small[@]}" -o onesmall.txt
# tokens: several layers and rows, text with its own exact values.
tokens=(tokens --gaussian n=60,d=8,rho=1/3,seed=2 --gamma 1/2:3:4 --alpha 0 --alpha 1/2 --row 3 --pair 0,1 --digits 12
  --format json)
"$program" "${tokens[@]}" >onetokens.json
# The rows of a larger set are divided, at a small and a large gamma.
rows=(tokens --gaussian n=1100,d=6,rho=1/3,seed=2 --gamma 3/2 --gamma 40 --row 3 --pair 0,1 --digits 6 --format json)
"$program" "${rows[@]}" >onerows.json
"$program" table "$cases" -o one.csv 2>>log
for k in 1 2 4; do
  run $k "${attention[@]}" --digits 8 -o "$k.8.json"
  run $k "${attention[@]}" --digits 20 --quantities lse --quantities entropy --quantities output -o "$k.20.json"
  run $k "${small[@]}" -o "$k.small.txt"
  run $k "${tokens[@]}" >"$k.tokens.json"
  run $k "${rows[@]}" >"$k.rows.json"
  run $k table "$cases" -o "$k.csv"
  cmp one8.json "$k.8.json"
  cmp one20.json "$k.20.json"
  cmp onesmall.txt "$k.small.txt"
  cmp onetokens.json "$k.tokens.json"
  cmp onerows.json "$k.rows.json"
  cmp one.csv "$k.csv"
  echo "$k processes: the same bytes"
done

# One process is killed: what is written stays, and another number of processes goes on.
rows() { if [[ -e cut.csv.partial ]]; then grep -c '^[^#]' cut.csv.partial || true; else echo 0; fi; }
killed=0
for number in 2 3; do
  mpirun -n $number "$program" table "$cases" -o cut.csv 2>>log &
  job=$!
  # Until a few more rows are there.
  before=$(rows)
  for ((wait = 0; wait < 600; ++wait)); do
    (($(rows) > before + 1)) && break
    sleep 0.02
  done
  # The last of the processes that mpirun has started, which is never the one that writes.
  victim=$(pgrep -P "$job" | sort -n | tail -1)
  if [[ -n $victim ]] && kill -KILL "$victim" 2>/dev/null; then killed=$((killed + 1)); fi
  wait "$job" && status=0 || status=$?
  if [[ -e cut.csv ]]; then break; fi
  ((status != 0)) || fail "mpirun ended well without its table"
  after=$(rows)
  ((after >= before)) || fail "rows were lost: $before before, $after after"
  echo "killed one of $number: $after lines stay"
done
((killed > 0)) || fail "no process could be killed"
if [[ ! -e cut.csv ]]; then run 4 table "$cases" -o cut.csv; fi
cmp one.csv cut.csv
[[ ! -e cut.csv.partial ]] || fail "a partial file is left"

# Bad input: one line, by one process, and its exit code.
status=0
mpirun -n 3 "$program" table --rho 2 --n 10 --gamma 1 -o bad.csv 2>bad.log || status=$?
((status == 2)) || fail "bad input: exit code $status"
(($(grep -c '^critscale: ' bad.log) == 1)) || fail "bad input is said by several: $(cat bad.log)"
status=0
mpirun -n 2 "$program" attention --q none.npy --k none.npy --v none.npy 2>bad.log || status=$?
((status == 2)) || fail "a missing file: exit code $status"
(($(grep -c '^critscale: ' bad.log) == 1)) || fail "a missing file is said by several: $(cat bad.log)"
# Commands that are not divided are the first process's alone.
lines=$(mpirun -n 2 "$program" eval --rho 1/3 --n 10 --gamma 1 --quantities self_weight 2>>log | grep -c self_weight)
((lines == 1)) || fail "eval was run $lines times"
echo "identical"
