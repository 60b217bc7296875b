#!/usr/bin/env bash
# Kills a table job at random moments, five times, and checks that it resumes and ends with the bytes of an
# uninterrupted run.
#
#     tests/resume.sh PROGRAM CASE_FILE FOLDER [KILLS [SEED]]
#
# For the paper's figures: tests/resume.sh build/release/critscale cases/figures.toml /tmp/resume
set -euo pipefail

program=$1 cases=$2 folder=$3 kills=${4:-5}
RANDOM=${5:-$(($(date +%s) % 32768))}
mkdir -p "$folder"
whole=$folder/whole.csv cut=$folder/cut.csv
rm -f "$whole" "$whole.partial"

# Milliseconds since some moment.
now() { echo $(($(date +%s%N) / 1000000)); }
# Whole rows of an unfinished table: lines that are neither comments nor the column names.
rows() { if [[ -e $cut.partial ]]; then grep -c '^[^#]' "$cut.partial" || true; else echo 0; fi; }

start=$(now)
"$program" table "$cases" -o "$whole" 2>"$folder/whole.log"
time=$(($(now) - start))
echo "uninterrupted: $(grep -c '^[^#]' "$whole") lines in $time ms"

# Each of the runs that are killed lives for a random part of its share of nine tenths of the time. One that ends before
# (the machine was busier at first) starts the whole job again.
attempt() {
  local k life pid before after
  rm -f "$cut" "$cut.partial"
  before=0
  for ((k = 1; k <= kills; ++k)); do
    life=$((time * 9 / 10 / kills * (20 + RANDOM % 81) / 100))
    "$program" table "$cases" -o "$cut" 2>>"$folder/cut.log" &
    pid=$!
    sleep "$((life / 1000)).$(printf %03d $((life % 1000)))"
    if ! kill -KILL "$pid" 2>/dev/null; then
      wait "$pid" || true
      return 1
    fi
    wait "$pid" 2>/dev/null || true
    if [[ -e $cut ]]; then return 1; fi
    after=$(rows)
    echo "kill $k after $life ms: $after lines"
    if ((after < before)); then
      echo "rows were lost: $before lines before, $after after" >&2
      exit 1
    fi
    before=$after
  done
  if ((before < 2)); then
    echo "no kill left a row: the case is too short for this test" >&2
    exit 1
  fi
}

for try in 1 2 3 4 5; do
  if attempt; then break; fi
  if ((try == 5)); then
    echo "the job ended before it could be killed $kills times" >&2
    exit 1
  fi
done
"$program" table "$cases" -o "$cut" 2>>"$folder/cut.log"
if [[ -e $cut.partial ]]; then
  echo "a partial file is left" >&2
  exit 1
fi
cmp "$whole" "$cut"
echo "identical after $kills kills"
