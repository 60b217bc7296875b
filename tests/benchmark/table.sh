#!/bin/sh
# Times `critscale table` on 90,000 rows of five quantities against a hand-written Arb loop:
# table.sh ARB_LOOP CRITSCALE FOLDER. Wall time and CPU time of each, one after the other, three times.
set -eu
mkdir -p "$3"
grid=$(dirname "$0")/grid.toml
for run in 1 2 3; do
  bash -c 'TIMEFORMAT="arb loop         wall %R s, CPU %U s"; time "$0" > "$1"/loop.csv' "$1" "$3"
  bash -c 'TIMEFORMAT="critscale table  wall %R s, CPU %U s"; time "$0" table "$2" --force -o "$1"/table.csv' "$2" "$3" "$grid"
done
